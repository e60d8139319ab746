"""The states of students, from the database: one expression for all pages, lists and e-mails."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db.models import (
    Case,
    CharField,
    Count,
    Exists,
    F,
    FilteredRelation,
    Min,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)

from peerorder.web.assignments.models import Assignment, Extension, Stage
from peerorder.web.assignments.queries import students_of
from peerorder.web.courses.models import Course, Member, Role
from peerorder.web.monitor.models import Offer
from peerorder.web.monitor.student_state import State, StudentState, times_of
from peerorder.web.papers.models import Authorship, State as PaperState
from peerorder.web.people.models import Person
from peerorder.web.ranking.content import judged_tokens
from peerorder.web.ranking.late_papers import joins_at
from peerorder.web.ranking.models import Ballot, Handout, Problem, Slot
from peerorder.web.ranking.queries import ballots_with_extra_papers, finished_ballots, submitted_ballots


def students_with_state(assignment: Assignment) -> QuerySet[Any]:
    """Return the students who take part, each with a ``state``."""
    stage = Value(assignment.stage, CharField())
    return with_state(students_of(assignment), stage, F("joined_at"), assignment=assignment.pk, member=OuterRef("pk"))


def with_state(rows: QuerySet[Any], stage: Any, joined_at: Any, *, assignment: Any, member: Any) -> QuerySet[Any]:
    """Annotate rows with the ``state`` of a student in an assignment, and whether they have ``wrote`` a paper.

    Parameters
    ----------
    rows
        Members, or assignments joined with members.
    stage, joined_at
        Expressions: the stage of the assignment, and when the student joined the course.
    assignment, member
        The two, by id or as outer references.
    """
    own = {"assignment": assignment, "grader": member}
    slots, ballots = Slot.objects.filter(**own), Ballot.objects.filter(**own)
    wrote = Authorship.objects.filter(assignment=assignment, member=member, paper__current__isnull=False)
    handed_out = Handout.objects.filter(assignment=assignment).order_by().values("assignment")
    before_ranking = Q(at_stage__in=(Stage.DRAFT, Stage.HANDING_IN))
    facts: QuerySet[Any] = rows.annotate(wrote=Exists(wrote)).alias(
        at_stage=stage,
        member_since=joined_at,
        has_papers=Exists(slots),
        takes_part=Exists(wrote.filter(paper__withdrawn_at=None)),
        handed_out_at=Subquery(handed_out.annotate(first=Min("ready_at")).values("first")),
    )
    state = Case(
        When(before_ranking & Q(wrote=True), then=Value(State.DONE)),
        When(before_ranking, then=Value(State.NO_PAPER)),
        When(has_papers=False, takes_part=True, then=Value(State.LATE)),
        When(has_papers=False, wrote=True, then=Value(State.WITHDRAWN)),
        When(has_papers=False, member_since__gt=F("handed_out_at"), then=Value(State.NEW)),
        When(has_papers=False, then=Value(State.NO_PAPER)),
        When(Exists(finished_ballots(ballots_with_extra_papers(ballots))), then=Value(State.EXTRA)),
        When(Exists(finished_ballots(ballots)), then=Value(State.DONE)),
        When(Exists(submitted_ballots(ballots)), then=Value(State.ADDED)),
        When(Exists(ballots), then=Value(State.MIDDLE)),
        default=Value(State.NOT_STARTED),
        output_field=CharField(),
    )
    return facts.annotate(state=state)  # type: ignore[no-any-return]


def states_of(person: Person, now: datetime, course: Course | None = None) -> list[StudentState]:
    """Return the assignments of a student in running courses, or in one; those that need something first."""
    members = person.memberships.filter(role=Role.STUDENT, removed_at=None)
    members = members.filter(course__archived_at=None) if course is None else members.filter(course=course)
    states = _load(list(members), Assignment.objects.exclude(stage=Stage.DRAFT), now)
    far = datetime.max.replace(tzinfo=now.tzinfo)
    return sorted(states, key=lambda each: (each.task is None, each.until or far))


def state_of(assignment: Assignment, member: Member, now: datetime) -> StudentState:
    """Return what an assignment is for a student who takes part in it."""
    return _load([member], Assignment.objects.filter(pk=assignment.pk), now)[0]


def _load(members: list[Member], assignments: QuerySet[Assignment], now: datetime) -> list[StudentState]:
    """Return the states of one person, by a handful of queries however many courses and assignments there are."""
    pks = [member.pk for member in members]
    in_sections = Assignment.sections.through.objects.filter(assignment=OuterRef("pk"))
    mine = FilteredRelation("course__members", condition=Q(course__members__in=pks))
    rows = with_state(
        assignments.alias(mine=mine).filter(mine__isnull=False).annotate(member_id=F("mine__pk")),
        F("stage"),
        F("mine__joined_at"),
        assignment=OuterRef("pk"),
        member=OuterRef("member_id"),
    ).filter(~Exists(in_sections) | Exists(in_sections.filter(section=OuterRef("mine__section"))))
    # As ``submission_window`` has it: one that cannot be shown may still be replaced.
    out = Slot.written.filter(assignment=OuterRef("pk"), paper__authorships__member=OuterRef("member_id"))
    rows = rows.annotate(is_out=Exists(out.exclude(paper__current__state=PaperState.BROKEN)))
    asked: dict[int, set[str]] = {}
    slots = Slot.objects.filter(grader__in=pks, paper__withdrawn_at=None).order_by()
    for assignment, token in slots.values_list("assignment", "token"):
        asked.setdefault(assignment, set()).add(token)
    ballots = _by_assignment(Ballot.objects.filter(grader__in=pks).select_related("submission"))
    extensions = _by_assignment(Extension.objects.filter(member__in=pks).select_related("assignment"))
    offers = _by_assignment(Offer.objects.filter(member__in=pks, answered_at=None))
    answered = Problem.objects.filter(slot__grader__in=pks, answered_at__isnull=False).order_by()
    answers = dict(answered.values_list("slot__assignment").annotate(Count("pk")))
    return [
        _state(
            each,
            asked.get(each.pk, set()),
            ballots.get(each.pk),
            extensions.get(each.pk),
            offers.get(each.pk),
            answers.get(each.pk, 0),
            now,
        )
        for each in rows.select_related("course").order_by("pk")
    ]


def _state(
    assignment: Any,
    asked: set[str],
    ballot: Ballot | None,
    extension: Extension | None,
    offer: Offer | None,
    answers: int,
    now: datetime,
) -> StudentState:
    return StudentState(
        assignment,
        State(assignment.state),
        **times_of(assignment, extension, now, is_out=assignment.is_out),
        joins_at=joins_at(assignment, now) if assignment.state == State.LATE else None,
        extension=extension,
        papers=len(asked),
        ranked=len(asked & judged_tokens(ballot.content)) if ballot is not None else 0,
        unjudged=len(asked.intersection(ballot.content.get("unjudged", ()))) if ballot is not None else 0,
        ballot=ballot,
        changed=ballot is not None and ballot.submission is not None and not ballot.has_submitted(ballot.content),
        offer=offer if assignment.is_at(Stage.RANKING) else None,
        # An answer to a report is news while people rank.
        answers=answers if assignment.is_at(Stage.RANKING, Stage.REVIEW) else 0,
    )


def _by_assignment(rows: Iterable[Any]) -> dict[int, Any]:
    return {row.assignment_id: row for row in rows}
