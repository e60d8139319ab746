"""Two results side by side: who moves, and whose mark changes."""

from dataclasses import dataclass

from peerorder.web.results.mark_sheets import Sheet, StudentMark


@dataclass(frozen=True)
class Move:
    """What another result makes of one student."""

    member: int
    before: StudentMark | None
    """None where the student is not in that result."""
    after: StudentMark | None

    @property
    def places(self) -> int:
        """By how many places the paper moves up; negative for down, 0 where one of the places is not known."""
        if self.before is None or self.after is None or self.before.place is None or self.after.place is None:
            return 0
        return self.before.place - self.after.place

    @property
    def in_words(self) -> str:
        """The same as people read it."""
        from peerorder.reports.instructor.text import moved

        return moved(self.places)

    @property
    def is_move(self) -> bool:
        """Whether the place becomes another, or there is one where there was none, or none any more."""
        return getattr(self.before, "place", None) != getattr(self.after, "place", None)

    @property
    def changes_mark(self) -> bool:
        """Whether the mark of the paper becomes another."""
        return getattr(self.before, "mark", None) != getattr(self.after, "mark", None)

    @property
    def changes_review_mark(self) -> bool:
        """Whether the mark for ranking becomes another."""
        return getattr(self.before, "review_mark", None) != getattr(self.after, "review_mark", None)


def moves(before: Sheet, after: Sheet) -> list[Move]:
    """Return everybody for whom something changes, the largest move first, then those whose mark changes."""
    members = dict.fromkeys((*before.members, *after.members))
    every = (Move(member, before.students.get(member), after.students.get(member)) for member in members)
    found = [move for move in every if move.is_move or move.changes_mark or move.changes_review_mark]
    return sorted(found, key=lambda move: (-abs(move.places), not move.is_move, not move.changes_mark, move.member))
