"""Columns of rankings by other names that people give them.

A column with our own name always counts. Where there is none, a usual name for the same thing is taken, if one column
alone can be meant; what was taken for what is said, so that nobody is surprised.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from peerorder.core.text import join_with_and
from peerorder.core.translation import gettext as _
from peerorder.files.formats.problems import shown
from peerorder.files.formats.sheets import Sheet, Wanted, read_sheet
from peerorder.files.tables.roster_columns import positions

__all__ = ["OF_RANKINGS", "apply_aliases"]

OF_RANKINGS: Mapping[str, tuple[str, ...]] = {
    "grader": ("reviewer", "judge", "rater", "assessor", "evaluator", "grader id"),
    "paper": ("code", "submission", "item", "paper id", "essay"),
    "rank": ("ranking", "place", "position"),
    "score": ("points",),
}


def apply_aliases(sheet: Sheet, wanted: Wanted, missing: Iterable[str], names: Mapping[str, tuple[str, ...]]) -> Sheet:
    """A sheet with columns of other names under ours, as far as these are missing; notes say which they are."""
    places = {name: positions(sheet.header, names[name]) for name in missing if name not in sheet.header}
    chosen = {name: sheet.header[result[0]] for name, result in places.items() if len(result) == 1}
    if not chosen:
        return sheet
    path, others = sheet.path, frozenset(chosen.values())
    sheet = read_sheet(path, lambda name: wanted(name) or name in others)
    columns, left_out = (
        {name: column for name, column in some.items() if wanted(name) and name not in others}
        | {name: some[other] for name, other in chosen.items() if other in some}
        for some in (sheet.columns, sheet.left_out)
    )
    texts = [
        _('the column "{title}" as {name}').format(title=shown(other), name=name) for name, other in chosen.items()
    ]
    note = _("{file}: read {columns}").format(file=path, columns=join_with_and(texts))
    return replace(sheet, columns=columns, left_out=left_out, notes=(*sheet.notes, note))
