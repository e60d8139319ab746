"""Layout of a form in a workbook: only ranks can be typed, with instructions next to them.

Readers take no notice of any of this: the instruction has a column of its own, whose name is none that they know.
"""

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from peerorder.core.translation import gettext as _, message, translate

__all__ = ["dress_form"]

TITLE = message("How to fill in this form")
LINES = (
    message("Write 1 next to the best paper, 2 next to the second best and so on."),
    message("Papers that are equally good get the same number."),
    message("Leave the cell empty if you did not judge a paper."),
    message("Then save the file and send it back."),
)
WIDTH = 66
# One that students need not see: which ballot this is, where a grader has several.
HIDDEN = "ballot"


def dress_form(book: Any, sheet: Any, table: pa.Table) -> None:
    """Add the instruction to a sheet of XlsxWriter, and let nothing be typed but ranks from 1 to the most papers."""
    sheet.protect("", {"format_columns": True, "format_rows": True})
    if HIDDEN in table.column_names:
        index = table.column_names.index(HIDDEN)
        sheet.set_column(index, index, None, None, {"hidden": True})
    beside = table.num_columns + 1
    sheet.set_column(beside, beside, WIDTH)
    sheet.write_string(0, beside, translate(TITLE), book.add_format({"bold": True}))
    for index, line in enumerate(LINES, 1):
        sheet.write_string(index, beside, translate(line))
    if table.num_rows:
        rank = table.column_names.index("rank")
        typed = book.add_format({"locked": False, "bg_color": "#FFF8DC", "border": 1, "border_color": "#BFBFBF"})
        for index in range(1, table.num_rows + 1):
            sheet.write_blank(index, rank, None, typed)
        most = pc.max(pc.value_counts(table["grader"]).field("counts")).as_py()
        sheet.data_validation(1, rank, table.num_rows, rank, _ranks_up_to(most))


def _ranks_up_to(most: int) -> dict[str, Any]:
    return {
        "validate": "integer",
        "criteria": "between",
        "minimum": 1,
        "maximum": most,
        "input_title": _("Rank"),
        "input_message": _("1 is the best, {last} the last. The same number is a tie; empty means not judged.").format(
            last=most
        ),
        "error_title": _("Not a rank"),
        "error_message": _("Write a whole number from 1 (the best) to {last}, or leave the cell empty.").format(
            last=most
        ),
    }
