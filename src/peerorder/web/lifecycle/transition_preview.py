"""What a step of an assignment's life does, in numbers and sentences, for whoever is about to make it."""

from copy import copy
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.utils import formats, timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from peerorder.web.assignments.models import Assignment, Extension, Stage
from peerorder.web.lifecycle.queries import count
from peerorder.web.lifecycle.transitions import due_at
from peerorder.web.ranking.queries import waiting_problems

Text = str | Promise


@dataclass(frozen=True)
class Step:
    """What to say of a step; the names are those of the facts below."""

    numbers: tuple[tuple[str, Text], ...]
    """The name of a number, and what it counts."""
    says: tuple[tuple[str, Text], ...]
    """What must be so, and what is said then."""
    undo: Text


@dataclass(frozen=True)
class TransitionPreview:
    """What people read."""

    numbers: list[tuple[Text, int]]
    sentences: list[str]
    undo: Text


NEXT = (
    ("next_at", _("It goes on to the step after this one by itself, at %(next_at)s.")),
    ("next_by_hand", _("The step after this one is made by you.")),
)
CLEARED = ("cleared", _("The deadline is over, so it is taken away. Set a new one in the settings, or go on by hand."))
ANY_TIME = _("This can be undone at any time: you can come back from the page of the assignment.")

STEPS: dict[tuple[Stage, Stage], Step] = {
    (Stage.DRAFT, Stage.HANDING_IN): Step(
        numbers=(("students", _("Students who see it and can hand in")),),
        says=(
            ("nobody", _("There are no students yet: whoever joins the course later sees it then.")),
            ("hand_in_by", _("They can hand in until %(hand_in_by)s.")),
            *NEXT,
        ),
        undo=_("This can be undone as long as nobody has handed in."),
    ),
    (Stage.HANDING_IN, Stage.RANKING): Step(
        numbers=(
            ("ready", _("Papers that are ranked")),
            ("will_rank", _("Students who rank")),
            ("each", _("Papers for each of them")),
            ("without_paper", _("Students who have handed in nothing")),
            ("may_hand_in", _("Extensions for handing in that still run")),
        ),
        says=(
            ("without_paper", _("Who has handed in nothing takes no part, unless you give them more time.")),
            ("may_hand_in", _("Papers that come by an extension join later, and their authors rank then, too.")),
            ("broken", _("Papers that cannot be shown to anybody are left out, with their authors: %(broken)d.")),
            (
                "early_hand_in",
                _(
                    "It is earlier than the deadline (%(hand_in_by)s): without an extension nobody can "
                    "hand in or replace a paper any more."
                ),
            ),
            ("always", _("The papers are handed out, which takes seconds to minutes.")),
            ("rank_by", _("Students can rank until %(rank_by)s.")),
            *NEXT,
        ),
        undo=_("This can be undone as long as nobody has begun to rank; the papers are taken back then."),
    ),
    (Stage.RANKING, Stage.REVIEW): Step(
        numbers=(
            ("graders", _("Students who were given papers")),
            ("handed_in", _("Students who have handed in their rankings")),
            ("with_new_papers", _("Of these, students who have new papers to add")),
            ("not_sent", _("Students who have saved something and not handed it in")),
            ("may_rank", _("Extensions for ranking that still run")),
            ("problems", _("Reported problems that wait for an answer")),
        ),
        says=(
            (
                "with_new_papers",
                _("If a student received another paper after handing in, the earlier ranking counts."),
            ),
            ("not_sent", _("What was saved and not handed in does not count.")),
            ("may_rank", _("Who has an extension can still rank; all others no longer can.")),
            ("may_not_rank", _("Nobody can rank any more.")),
            ("early_rank", _("It is earlier than the deadline (%(rank_by)s).")),
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
            ("always", _("Nobody has begun to rank, so nothing is lost. Who ranks what is worked out anew later.")),
            CLEARED,
            *NEXT,
        ),
        undo=_("Go on to ranking again when you like."),
    ),
    (Stage.REVIEW, Stage.RANKING): Step(
        numbers=(
            ("graders", _("Students who can rank, and change what they handed in")),
            ("not_handed_in", _("Students of them who have not handed in")),
        ),
        says=(CLEARED, *NEXT),
        undo=_("Go on to the review again when you like."),
    ),
    (Stage.RELEASED, Stage.REVIEW): Step(
        numbers=(("students", _("Students who see that rankings are being looked at")),),
        says=(),
        undo=_("Release it again when you like."),
    ),
}


def preview_transition(assignment: Assignment, to: Stage, now: datetime) -> TransitionPreview:
    """What a step does."""
    step, facts = STEPS[Stage(assignment.stage), to], _facts(assignment, to, now)
    return TransitionPreview(
        [(what, facts[name]) for name, what in step.numbers],
        [str(text) % facts for needs, text in step.says if facts[needs]],
        step.undo,
    )


def _facts(assignment: Assignment, to: Stage, now: datetime) -> dict[str, Any]:
    """All numbers and times by their names."""
    counts = count(assignment)
    extensions = Extension.objects.filter(assignment=assignment)
    may_rank = extensions.filter(rank_by__gt=now).count()
    there = copy(assignment)
    there.stage, cleared = to, False
    if to.number < Stage(assignment.stage).number:
        cleared = there.forget_deadline_that_is_over(now)
    next_at = due_at(there)
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
        "next_at": _moment(next_at),
        "next_by_hand": next_at is None,
    }


def _moment(moment: datetime | None) -> str:
    if moment is None:
        return ""
    local = timezone.localtime(moment)
    return f"{formats.date_format(local, 'DATETIME_FORMAT')} {local.tzname()}"
