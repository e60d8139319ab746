"""Files on disk: what people send, read with all its problems at once, and results, written whole or not at all."""

from typing import TYPE_CHECKING

from peerorder._lazy import loading

if TYPE_CHECKING:
    from peerorder.files.anchors import Anchors, read_anchors
    from peerorder.files.codes import make_codes, read_codes
    from peerorder.files.conflicts import Conflicts, read_conflicts
    from peerorder.files.decisions import Session, read_session
    from peerorder.files.gradebooks import Gradebook, fill_gradebook, filled_gradebook
    from peerorder.files.handouts import Handout, read_handout
    from peerorder.files.letters import form_columns, form_names, form_path, letter_columns
    from peerorder.files.output import check_output, check_writable, table_bytes, write_table
    from peerorder.files.problems import FileError, Problem
    from peerorder.files.rankings import Rankings, read_rankings
    from peerorder.files.roster import Roster, read_roster
    from peerorder.files.sheets import Column, Sheet, read_sheet
    from peerorder.files.tables import read_rows, write_rows
    from peerorder.files.writing import output_directory, write_bytes, write_provenance, write_text

__all__ = [
    "Anchors",
    "Column",
    "Conflicts",
    "FileError",
    "Gradebook",
    "Handout",
    "Problem",
    "Rankings",
    "Roster",
    "Session",
    "Sheet",
    "check_output",
    "check_writable",
    "fill_gradebook",
    "filled_gradebook",
    "form_columns",
    "form_names",
    "form_path",
    "letter_columns",
    "make_codes",
    "output_directory",
    "read_anchors",
    "read_codes",
    "read_conflicts",
    "read_handout",
    "read_rankings",
    "read_roster",
    "read_rows",
    "read_session",
    "read_sheet",
    "table_bytes",
    "write_bytes",
    "write_provenance",
    "write_rows",
    "write_table",
    "write_text",
]

__getattr__, __dir__ = loading(
    __name__,
    {
        "anchors": ("Anchors", "read_anchors"),
        "codes": ("make_codes", "read_codes"),
        "conflicts": ("Conflicts", "read_conflicts"),
        "decisions": ("Session", "read_session"),
        "gradebooks": ("Gradebook", "fill_gradebook", "filled_gradebook"),
        "handouts": ("Handout", "read_handout"),
        "letters": ("form_columns", "form_names", "form_path", "letter_columns"),
        "output": ("check_output", "check_writable", "table_bytes", "write_table"),
        "problems": ("FileError", "Problem"),
        "rankings": ("Rankings", "read_rankings"),
        "roster": ("Roster", "read_roster"),
        "sheets": ("Column", "Sheet", "read_sheet"),
        "tables": ("read_rows", "write_rows"),
        "writing": ("output_directory", "write_bytes", "write_provenance", "write_text"),
    },
)
