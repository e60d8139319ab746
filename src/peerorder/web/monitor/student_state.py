"""What an assignment is for one student now: what is asked, what is done, what changed since, and until when.

The first page, the page of a course and the page of an assignment show this, the monitor counts it, and reminders and
notifications go by it: nothing else works it out.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from django.db.models import TextChoices
from django.urls import reverse
from django.utils.translation import gettext as _, gettext_lazy, ngettext

from peerorder.web.assignments.deadlines import Deadlines, ranking_begins, takes_paper, takes_ranking, with_extension
from peerorder.web.assignments.models import Assignment, Extension, Stage
from peerorder.web.monitor.models import Offer
from peerorder.web.ranking.models import Ballot


class State(TextChoices):
    """How far a student is, in the order in which staff see them. Before ranking there are only two."""

    DONE = "done", gettext_lazy("Done")
    """Handed in; while ranking, a ranking of all papers that were asked for."""
    EXTRA = "extra", gettext_lazy("Done, ranking extra papers")
    """The same, and said yes to more papers, which are not ranked yet."""
    ADDED = "added", gettext_lazy("New papers to add")
    MIDDLE = "middle", gettext_lazy("In progress")
    NOT_STARTED = "not-started", gettext_lazy("Not started")
    LATE = "late", gettext_lazy("Handed in late, waiting for papers")
    WITHDRAWN = "withdrawn", gettext_lazy("Paper withdrawn")
    """The same, without papers to rank; who has some ranks them."""
    NO_PAPER = "no-paper", gettext_lazy("No paper handed in")
    NEW = "new", gettext_lazy("Joined later")


FINISHED = (State.DONE, State.EXTRA)
"""Of whom nothing is asked any more."""
SUBMITTED = (*FINISHED, State.ADDED)
"""Who have handed in a ranking."""
BUSY = (*SUBMITTED, State.MIDDLE, State.NOT_STARTED)
"""Who have papers to rank; the others take no part in ranking, or not yet."""
UNFINISHED = {
    Stage.HANDING_IN: (State.NO_PAPER,),
    Stage.RANKING: (State.NOT_STARTED, State.MIDDLE, State.ADDED),
}
"""Who can be reminded, at which stage."""


class Task(StrEnum):
    """What is asked of a student."""

    HAND_IN = "hand in"
    RANK = "rank"
    HAND_IN_CHANGES = "hand in changes"
    """Their ranking is handed in, and was changed since."""
    ANSWER = "answer"
    """Staff ask whether they would rank a few more papers."""


@dataclass(frozen=True)
class StudentState:
    """An assignment, as it is for one student now."""

    assignment: Assignment
    state: State
    times: Deadlines
    takes_paper: bool = False
    """Whether a paper of theirs is accepted now: not once others have it; ..."""
    takes_ranking: bool = False
    """... and a ranking."""
    late: bool = False
    """Whether a paper that comes now is late."""
    joins_at: datetime | None = None
    """When their late paper is distributed automatically."""
    extension: Extension | None = None
    papers: int = 0
    """How many papers they are asked to rank, ..."""
    ranked: int = 0
    """... and how many of these they have dealt with, whether handed in or not."""
    unjudged: int = 0
    """How many of these they said that they cannot judge."""
    ballot: Ballot | None = None
    changed: bool = False
    """Whether their ranking was changed since they handed it in."""
    offer: Offer | None = None
    """The request for more papers that waits for their answer."""
    answers: int = 0
    """How many of their reports staff have answered."""

    @property
    def task(self) -> Task | None:
        """Return what they have to do now, if anything."""
        if self.takes_paper and self.state in (State.NO_PAPER, State.NEW):
            return Task.HAND_IN
        if not self.takes_ranking or not self.papers:
            return None
        if self.state in (*UNFINISHED[Stage.RANKING], State.EXTRA):
            return Task.RANK
        if self.changed:
            return Task.HAND_IN_CHANGES
        return Task.ANSWER if self.offer is not None else None

    @property
    def until(self) -> datetime | None:
        """Return the deadline of the task; None where there is none, or nothing is asked."""
        if self.task is None:
            return None
        if self.task == Task.HAND_IN:
            return self.times.hand_in_late if self.late else self.times.hand_in
        return self.times.rank

    @property
    def can_change_ranking(self) -> bool:
        """Return whether their ranking is handed in, with nothing else to do, and may still be changed."""
        submitted = self.ballot is not None and self.ballot.submission is not None
        return submitted and self.takes_ranking and self.task is None

    @property
    def ranking_begins(self) -> datetime | None:
        """Return when ranking begins, for somebody who waits for it."""
        return ranking_begins(self.assignment) if self.assignment.is_at(Stage.HANDING_IN) else None

    @property
    def address(self) -> str:
        """The page of the assignment."""
        return reverse("lifecycle:assignment", args=[self.assignment.pk])

    @property
    def task_address(self) -> str:
        """Return the page of the task."""
        names = {Task.HAND_IN: "papers:hand-in", Task.RANK: "ranking:rank", Task.HAND_IN_CHANGES: "ranking:rank"}
        return reverse(names[self.task], args=[self.assignment.pk]) if self.task in names else self.address

    @property
    def action(self) -> str:
        """Return the words on the button that leads to the task."""
        if self.task == Task.HAND_IN:
            return _("Hand in")
        if self.task == Task.HAND_IN_CHANGES:
            return _("Review your changes")
        return _("Rank papers") if self.state == State.NOT_STARTED else _("Continue ranking")

    @property
    def heading(self) -> str:
        """Return the state in a few words, as a heading."""
        if self.assignment.is_at(Stage.DRAFT, Stage.HANDING_IN) or self.task == Task.HAND_IN:
            if self.state == State.DONE:
                return _("Your paper is handed in")
            return _("Hand in your paper") if self.task == Task.HAND_IN else _("Handing in is over")
        if self.task == Task.RANK and self.state in (State.ADDED, State.EXTRA):
            return _("Rank your new papers")
        if self.task == Task.RANK:
            return ngettext("Rank %(papers)d paper", "Rank %(papers)d papers", self.papers) % {"papers": self.papers}
        if self.task == Task.HAND_IN_CHANGES:
            return _("Your changes are not handed in")
        if self.ballot is not None and self.ballot.submission is not None:
            return _("Your ranking is handed in")
        if self.assignment.is_at(Stage.RANKING) and not self.papers:
            return _("Your papers to rank are on their way") if self._waits_for_papers else _("Others are ranking")
        return _("Ranking is over")

    @property
    def _waits_for_papers(self) -> bool:
        return self.state == State.LATE and not self.takes_paper

    @property
    def summary(self) -> str:
        """Return the state in a sentence or two."""
        if self.assignment.is_at(Stage.DRAFT, Stage.HANDING_IN):
            return self._about_paper()
        if self.state in (State.NO_PAPER, State.NEW, State.LATE, State.WITHDRAWN):
            return self._about_waiting()
        return self._about_ranking() if self.task is not None else self._about_ranking_over()

    def _about_paper(self) -> str:
        if self.state == State.DONE:
            return _("Your paper is handed in.")
        if self.task == Task.HAND_IN:
            return _("Your paper is not handed in yet.")
        return _("Handing in is over, and you did not hand in a paper.")

    def _about_waiting(self) -> str:
        if self.task == Task.HAND_IN:
            return _("Your paper is not handed in yet.")
        if self.extension is not None and self.extension.hand_in_cut:
            return _("Your extension ended when ranking ended. If you think this is a mistake, ask your instructor.")
        if self.state == State.WITHDRAWN:
            return _("Your instructors withdrew your paper, so you have no papers to rank.")
        if self.state != State.LATE:
            return _("You have not handed in a paper, so you have no papers to rank.")
        if self.takes_paper and self.joins_at is None:
            return _("Your paper is handed in. Your instructor decides when it is distributed.")
        if self.takes_paper:
            return _("Your paper is handed in.")
        if self.assignment.is_at(Stage.RANKING):
            return _("Your paper is handed in. You will get papers to rank soon.")
        return _("Your paper is handed in. You had no papers to rank.")

    def _about_ranking(self) -> str:
        about = {"ranked": self.ranked, "papers": self.papers}
        if self.task == Task.HAND_IN_CHANGES:
            return _(
                "Your ranking is handed in, but you have changed it since. Your changes count once you hand in again."
            )
        if self.task == Task.ANSWER and self.offer is not None:
            count = self.offer.papers
            return ngettext(
                "Your ranking is handed in. Would you rank %(count)d more paper?",
                "Your ranking is handed in. Would you rank %(count)d more papers?",
                count,
            ) % {"count": count}
        if self.state == State.NOT_STARTED:
            return ngettext(
                "You have %(papers)d paper to rank.", "You have %(papers)d papers to rank.", self.papers
            ) % (about)
        if self.state == State.MIDDLE:
            return (
                ngettext(
                    "You have ranked %(ranked)d of %(papers)d paper. Your ranking is saved, but not handed in yet.",
                    "You have ranked %(ranked)d of %(papers)d papers. Your ranking is saved, but not handed in yet.",
                    self.papers,
                )
                % about
            )
        if self.state == State.ADDED:
            added = _(
                "You received new papers after you handed in. Rank them too and hand in again: "
                "%(ranked)d of %(papers)d papers ranked so far."
            )
            return added % about
        extra = _(
            "You agreed to rank more papers. Rank them and hand in again: %(ranked)d of %(papers)d papers ranked so "
            "far. The ranking that you handed in before counts until then."
        )
        return extra % about

    def _about_ranking_over(self) -> str:
        if self.ballot is None or self.ballot.submission is None:
            if not self.papers:
                return _("There are no papers for you to rank.")
            return _("You did not hand in a ranking in time.")
        if self.state == State.ADDED:
            return _("Your ranking is handed in, without the papers that were added later.")
        if self.changed:
            return _("Your ranking is handed in. Changes that you made afterwards do not count.")
        return _("Your ranking is handed in.")


def assumed_state(assignment: Assignment, now: datetime, *, has_paper: bool) -> StudentState:
    """Return what an assignment would be for a student who has handed in a paper and no ranking, or nothing."""
    state, papers = State.NO_PAPER, 0
    if has_paper and assignment.is_at(Stage.DRAFT, Stage.HANDING_IN):
        state = State.DONE
    elif has_paper:
        state, papers = State.NOT_STARTED, assignment.papers_each
    return StudentState(assignment, state, **times_of(assignment, None, now), papers=papers)


def times_of(
    assignment: Assignment, extension: Extension | None, now: datetime, *, is_out: bool = False
) -> dict[str, Any]:
    """Return the deadlines of a student, and what is accepted now, as fields of a state.

    A paper that ``is_out``, with those who rank it, stays as it is.
    """
    times = with_extension(assignment, extension)
    accepted = not is_out and takes_paper(assignment, extension, now)
    return {
        "times": times,
        "takes_paper": accepted,
        "late": accepted and times.is_late(now),
        "takes_ranking": takes_ranking(assignment, extension, now),
    }
