"""What a transition does, in numbers and sentences, for the instructor who is about to make it."""

from copy import copy
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.utils import formats, timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from peerorder.web.assignments.models import Assignment, Extension, Stage
from peerorder.web.lifecycle.queries import count
from peerorder.web.lifecycle.transitions import due_at, neighbour
from peerorder.web.ranking.queries import waiting_problems

Text = str | Promise


@dataclass(frozen=True)
class Step:
    """What to say about a transition; the names are those of the facts below."""

    numbers: tuple[tuple[str, Text], ...]
    """The name of a number, and what it counts."""
    says: tuple[tuple[str, Text], ...]
    """The name of a fact, and what is said where it holds."""
    undo: Text


@dataclass(frozen=True)
class TransitionPreview:
    """What people read."""

    numbers: list[tuple[Text, int]]
    sentences: list[str]
    undo: Text


NEXT = (
    ("next_at", _("The %(next_stage)s stage starts automatically on %(next_at)s.")),
    ("next_by_hand", _("You start the %(next_stage)s stage yourself.")),
)
CLEARED = (
    "cleared",
    _("The deadline has passed and is removed. Set a new one, or start the next stage yourself."),
)
ANY_TIME = _("You can undo this at any time on the page of the assignment.")

STEPS: dict[tuple[Stage, Stage], Step] = {
    (Stage.DRAFT, Stage.HANDING_IN): Step(
        numbers=(("students", _("Students who take part")),),
        says=(
            ("nobody", _("There are no students yet. Students who join the course later will see it.")),
            ("hand_in_by", _("They can hand in until %(hand_in_by)s.")),
            *NEXT,
        ),
        undo=_("You can undo this as long as nobody has handed in."),
    ),
    (Stage.HANDING_IN, Stage.RANKING): Step(
        numbers=(
            ("ready", _("Papers to be ranked")),
            ("will_rank", _("Students who will rank")),
            ("each", _("Papers per student")),
            ("without_paper", _("Students who have not handed in")),
            ("may_hand_in", _("Extensions for handing in still open")),
        ),
        says=(
            (
                "without_paper",
                _("Students who have not handed in do not take part unless you give them an extension."),
            ),
            ("may_hand_in", _("Papers handed in with an extension are added later, and their authors rank then, too.")),
            ("broken", _("Papers that cannot be shown are left out, and so are their authors: %(broken)d.")),
            (
                "early_hand_in",
                _(
                    "This is before the deadline (%(hand_in_by)s). From now on, only students with an extension can "
                    "hand in or replace a paper."
                ),
            ),
            ("always", _("The papers are distributed, which takes from seconds to minutes.")),
            ("rank_by", _("Students can rank until %(rank_by)s.")),
            *NEXT,
        ),
        undo=_("You can undo this as long as nobody has started ranking; the papers are then taken back."),
    ),
    (Stage.RANKING, Stage.REVIEW): Step(
        numbers=(
            ("graders", _("Students who were given papers")),
            ("handed_in", _("Students who have handed in their rankings")),
            ("with_new_papers", _("Of these, students who have new papers to add")),
            ("not_sent", _("Students who have saved a ranking but not handed it in")),
            ("may_rank", _("Extensions for ranking still open")),
            ("problems", _("Reported problems without an answer")),
        ),
        says=(
            (
                "with_new_papers",
                _("If a student received another paper after handing in, the earlier ranking counts."),
            ),
            ("not_sent", _("Rankings that were saved but not handed in do not count.")),
            ("may_rank", _("Students with an extension can still rank; all others no longer can.")),
            ("may_not_rank", _("Students can no longer rank.")),
            ("early_rank", _("This is before the deadline (%(rank_by)s).")),
        ),
        undo=ANY_TIME,
    ),
    (Stage.HANDING_IN, Stage.DRAFT): Step(
        numbers=(("students", _("Students who no longer see it")),),
        says=(("always", _("Nobody has handed in, so nothing is lost.")),),
        undo=ANY_TIME,
    ),
    (Stage.RANKING, Stage.HANDING_IN): Step(
        numbers=(
            ("graders", _("Students whose papers to rank are taken back")),
            ("students", _("Students who can hand in and replace their papers again")),
        ),
        says=(
            ("always", _("Nobody has started ranking, so nothing is lost. Papers will be allocated anew later.")),
            CLEARED,
            *NEXT,
        ),
        undo=_("You can start ranking again at any time."),
    ),
    (Stage.REVIEW, Stage.RANKING): Step(
        numbers=(
            ("graders", _("Students who can rank, and change what they handed in")),
            ("not_handed_in", _("Of these, students who have not handed in")),
        ),
        says=(CLEARED, *NEXT),
        undo=_("You can end ranking again at any time."),
    ),
    (Stage.RELEASED, Stage.REVIEW): Step(
        numbers=(("students", _("Students who see that rankings are being reviewed")),),
        says=(),
        undo=_("You can release it again at any time."),
    ),
}


def preview_transition(assignment: Assignment, to: Stage, now: datetime) -> TransitionPreview:
    """Return what a transition does."""
    step, facts = STEPS[Stage(assignment.stage), to], _facts(assignment, to, now)
    return TransitionPreview(
        [(what, facts[name]) for name, what in step.numbers],
        [str(text) % facts for needs, text in step.says if facts[needs]],
        step.undo,
    )


def _facts(assignment: Assignment, to: Stage, now: datetime) -> dict[str, Any]:
    """Return all numbers and times by their names."""
    counts = count(assignment)
    extensions = Extension.objects.filter(assignment=assignment)
    may_rank = extensions.filter(rank_by__gt=now).count()
    moved = copy(assignment)
    moved.stage, cleared = to, False
    if to.number < Stage(assignment.stage).number:
        cleared = moved.forget_deadline_that_is_over(now)
    next_at, next_stage = due_at(moved), neighbour(to, +1)
    return {
        **vars(counts),
        "always": True,
        "nobody": not counts.students,
        "broken": counts.broken,
        "each": assignment.papers_each,
        "without_paper": counts.without_paper,
        "not_handed_in": counts.graders - counts.handed_in,
        "not_sent": counts.begun - counts.handed_in,
        "may_hand_in": extensions.filter(hand_in_by__gt=now - timedelta(hours=assignment.late_hours)).count(),
        "may_rank": may_rank,
        "may_not_rank": not may_rank,
        "problems": waiting_problems(assignment),
        "hand_in_by": _moment(assignment.hand_in_by),
        "rank_by": _moment(assignment.rank_by),
        "early_hand_in": assignment.hand_in_by is not None and now < assignment.hand_in_by,
        "early_rank": assignment.rank_by is not None and now < assignment.rank_by,
        "cleared": cleared,
        "next_stage": next_stage.label if next_stage is not None else "",
        "next_at": _moment(next_at),
        "next_by_hand": next_at is None,
    }


def _moment(moment: datetime | None) -> str:
    if moment is None:
        return ""
    return formats.date_format(timezone.localtime(moment), "l, j M Y, H:i")
