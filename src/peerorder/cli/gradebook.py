"""Marks for the gradebook of a learning platform, for ``peerorder grade``."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from peerorder.cli import display
from peerorder.core.translation import gettext as _, ngettext

if TYPE_CHECKING:
    from peerorder.files.outgoing.gradebooks import Gradebook
    from peerorder.rounds.grading import GradedRound

__all__ = ["book_record", "fill_books", "show_book"]


def fill_books(graded: "GradedRound", given: Mapping[str, Any]) -> "list[Gradebook]":
    """Return the gradebook filled with all marks; and before that, if wanted, with the marks for ranking."""
    path, column, review_column = given["gradebook"], given["column"], given["gradebook_review_column"]
    if path is None:
        return []
    from peerorder.files.outgoing.gradebooks import make_gradebooks

    table, people = graded.students(), graded.round.people
    marks, reviews = (dict(zip(table["student"], table[name], strict=True)) for name in ("mark", "review_mark"))
    return make_gradebooks(
        path,
        marks,
        column,
        reviews=reviews,
        review_column=review_column,
        emails=dict(zip(graded.round.graders, people.emails, strict=True)) if people is not None else {},
        highest=graded.marking.highest if graded.marking is not None else 100.0,
        points=given["gradebook_points"],
        replace=given["force"],
    )


def book_record(book: "Gradebook") -> dict[str, Any]:
    """Return the JSON record of a gradebook."""
    wanted = ("system", "column", "matched_by", "points", "filled", "missing", "unmarked", "notes")
    return {name: getattr(book, name) for name in wanted}


def show_book(book: "Gradebook", before: "Sequence[Gradebook]") -> None:
    """Show what was filled in, without repeating what was said about another column."""
    text = ngettext(
        "Gradebook of {system}: {count:,} mark in the column {column}, students matched by {key}.",
        "Gradebook of {system}: {count:,} marks in the column {column}, students matched by {key}.",
        book.filled,
    )
    if before:
        text = ngettext(
            "Gradebook of {system}: {count:,} mark for ranking in the column {column}, students matched by {key}.",
            "Gradebook of {system}: {count:,} marks for ranking in the column {column}, students matched by {key}.",
            book.filled,
        )
    display.say(text.format(system=book.system, count=book.filled, column=book.column, key=book.matched_by))
    # Students missing from the gradebook are listed once; students without a mark differ by column.
    listed = {student for other in before for student in other.missing}
    if missing := [student for student in book.missing if student not in listed]:
        display.say(_("Not in the gradebook: {students}.").format(students=display.some(missing)))
    if book.unmarked:
        text = _("In the gradebook, but without a mark: {students}.")
        display.say(text.format(students=display.some(list(book.unmarked))))
    for note in book.notes:
        display.say(_("Note: {note}").format(note=note))
