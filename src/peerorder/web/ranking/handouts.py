"""A placeholder until the hand-outs are there: only what the life of an assignment calls."""

from peerorder.web.jobs.models import Job
from peerorder.web.jobs.services import ask
from peerorder.web.people.models import Person
from peerorder.web.ranking.models import HandOut, Slot
from peerorder.web.rounds.models import Assignment

__all__ = ["ask_for_first", "withdraw_first"]


def ask_for_first(assignment: Assignment) -> Job:
    """Queue the hand-out of the beginning."""
    return ask("hand-out", assignment=assignment, key=f"hand-out first {assignment.pk}", why=HandOut.Why.FIRST.value)


def withdraw_first(assignment: Assignment, by: Person | None = None) -> None:
    """Take the hand-out back."""
    Slot.written.filter(assignment=assignment).delete()
    HandOut.objects.filter(assignment=assignment).delete()
