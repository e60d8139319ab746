"""Marks into the gradebook of a learning platform, for ``peerorder grade``."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from peerorder.cli import display

if TYPE_CHECKING:
    from peerorder.files.outgoing.gradebooks import Gradebook
    from peerorder.rounds.grading import GradedRound

__all__ = ["book_record", "fill_books", "show_book"]


def fill_books(graded: "GradedRound", given: Mapping[str, Any]) -> "list[Gradebook]":
    """The gradebook with everybody's marks in it; and before that, if it is wanted, with those for ranking."""
    path, column, review_column = given["gradebook"], given["column"], given["gradebook_review_column"]
    if path is None:
        return []
    from functools import partial

    from peerorder.core.errors import InputError
    from peerorder.files.outgoing.gradebooks import filled_gradebook

    table, people = graded.students(), graded.round.people
    highest = graded.marking.highest if graded.marking is not None else 100.0
    emails = dict(zip(graded.round.graders, people.emails, strict=True)) if people is not None else {}
    marks, reviews = (dict(zip(table["student"], table[name], strict=True)) for name in ("mark", "review_mark"))
    fill = partial(
        filled_gradebook, path, marks, column, emails=emails, points=given["gradebook_points"], highest=highest
    )
    if review_column is None:
        books = [fill()]
    else:
        # First, so that the column that is empty is the other one.
        review = filled_gradebook(path, reviews, review_column, emails=emails)
        book = fill(content=review.data)
        books = [book, review]
        if book.column == review.column:
            raise InputError(
                f"{path}: the marks and those for ranking would both go into {review.column}; name another column with "
                "`column`"
            )
    if not given["force"]:
        for book in books:
            book.keep_marks(path)
    return books


def book_record(book: "Gradebook") -> dict[str, Any]:
    """What machines are told about it."""
    wanted = ("system", "column", "matched_by", "points", "filled", "missing", "unmarked", "notes")
    return {name: getattr(book, name) for name in wanted}


def show_book(book: "Gradebook", before: "Sequence[Gradebook]") -> None:
    """What people are told about it, and was not told about another column before."""
    marks = display.count(book.filled, "mark") + (" for ranking" if before else "")
    display.say(
        f"Gradebook of {book.system}: {marks} in the column {book.column}, students matched by {book.matched_by}."
    )
    # Whom the gradebook does not have is said once; without a mark may be another one in each column.
    said = {student for other in before for student in other.missing}
    if missing := [student for student in book.missing if student not in said]:
        display.say(f"Not in the gradebook: {display.some(missing)}.")
    if book.unmarked:
        display.say(f"In the gradebook, but without a mark: {display.some(list(book.unmarked))}.")
    for note in book.notes:
        display.say(f"Note: {note}")
