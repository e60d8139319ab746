"""Files: input is read with all its problems reported together, results are written completely or not at all."""

from typing import TYPE_CHECKING

from peerorder._lazy import lazy_attributes

if TYPE_CHECKING:
    from peerorder.files.formats.output import check_output, check_writable, table_bytes, write_table
    from peerorder.files.formats.plain_csv import read_rows, write_rows
    from peerorder.files.formats.problems import FileError, Problem
    from peerorder.files.formats.sheets import Column, Sheet, read_sheet
    from peerorder.files.formats.writing import output_directory, write_bytes, write_provenance, write_text
    from peerorder.files.outgoing.gradebooks import Gradebook, fill_gradebook, make_gradebook
    from peerorder.files.tables.anchors import Anchors, read_anchors
    from peerorder.files.tables.codes import make_codes, read_codes
    from peerorder.files.tables.conflicts import Conflicts, read_conflicts
    from peerorder.files.tables.exercises import Exercise, read_exercise
    from peerorder.files.tables.handouts import Handout, read_handout
    from peerorder.files.tables.rankings import Rankings, read_rankings
    from peerorder.files.tables.roster import Roster, read_roster

__all__ = [
    "Anchors",
    "Column",
    "Conflicts",
    "Exercise",
    "FileError",
    "Gradebook",
    "Handout",
    "Problem",
    "Rankings",
    "Roster",
    "Sheet",
    "check_output",
    "check_writable",
    "fill_gradebook",
    "make_codes",
    "make_gradebook",
    "output_directory",
    "read_anchors",
    "read_codes",
    "read_conflicts",
    "read_exercise",
    "read_handout",
    "read_rankings",
    "read_roster",
    "read_rows",
    "read_sheet",
    "table_bytes",
    "write_bytes",
    "write_provenance",
    "write_rows",
    "write_table",
    "write_text",
]

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "tables.anchors": ("Anchors", "read_anchors"),
        "tables.codes": ("make_codes", "read_codes"),
        "tables.conflicts": ("Conflicts", "read_conflicts"),
        "tables.exercises": ("Exercise", "read_exercise"),
        "outgoing.gradebooks": ("Gradebook", "fill_gradebook", "make_gradebook"),
        "tables.handouts": ("Handout", "read_handout"),
        "formats.output": ("check_output", "check_writable", "table_bytes", "write_table"),
        "formats.problems": ("FileError", "Problem"),
        "tables.rankings": ("Rankings", "read_rankings"),
        "tables.roster": ("Roster", "read_roster"),
        "formats.sheets": ("Column", "Sheet", "read_sheet"),
        "formats.plain_csv": ("read_rows", "write_rows"),
        "formats.writing": ("output_directory", "write_bytes", "write_provenance", "write_text"),
    },
)
