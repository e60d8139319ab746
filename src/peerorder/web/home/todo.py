"""What is to do: the assignments of a student, those that need something first."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime

from django.db.models import Exists, OuterRef
from django.urls import reverse
from django.utils.translation import gettext as _

from peerorder.web.assignments.access import takes_part
from peerorder.web.assignments.deadlines import takes_paper, takes_ranking, with_extension
from peerorder.web.assignments.models import Assignment, Extension, Stage
from peerorder.web.courses.models import Course, Role
from peerorder.web.home.progress import answered_for, rankings_of
from peerorder.web.papers.models import Authorship
from peerorder.web.people.models import Person
from peerorder.web.ranking.models import Ballot, Slot
from peerorder.web.ranking.queries import finished

FAR = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True)
class Todo:
    """An assignment, as it is for one student now."""

    assignment: Assignment
    action: str
    """``hand in``, ``rank``, or nothing where nothing is asked."""
    deadline: datetime | None
    progress: str = ""
    """How far it is, in a sentence."""
    answers: int = 0
    """How many reports of theirs staff have answered."""
    begun: bool = False
    """Whether there is something already to go on with."""

    @property
    def address(self) -> str:
        """Its page."""
        return reverse("lifecycle:assignment", args=[self.assignment.pk])

    @property
    def action_address(self) -> str:
        """Where what is asked can be done."""
        return self.address + {"hand in": "hand-in/", "rank": "ranking/"}.get(self.action, "")


def to_do(person: Person, now: datetime, course: Course | None = None) -> list[Todo]:
    """The assignments of a student over all courses, or in one, those that need something first."""
    members = person.memberships.filter(role=Role.STUDENT, removed_at=None)
    members = members.filter(course__archived_at=None) if course is None else members.filter(course=course)
    of_course = {member.course_id: member for member in members}
    mine = list(of_course.values())
    assignments = (
        Assignment.objects.filter(course__in=of_course)
        .exclude(stage=Stage.DRAFT)
        .select_related("course")
        .annotate(
            handed_in=Exists(
                Authorship.objects.filter(assignment=OuterRef("pk"), member__in=mine, paper__current__isnull=False)
            ),
            has_papers=Exists(Slot.objects.filter(assignment=OuterRef("pk"), grader__in=mine)),
            ranked=Exists(finished(Ballot.objects.filter(assignment=OuterRef("pk"), grader__in=mine))),
            begun=Exists(Ballot.objects.filter(assignment=OuterRef("pk"), grader__in=mine)),
        )
        .order_by("pk")
    )
    granted = Extension.objects.filter(member__in=mine).select_related("assignment")
    extensions = {extension.assignment_id: extension for extension in granted}
    rankings = rankings_of(mine)
    answers = answered_for(mine)
    found = [
        _for_one(
            assignment,
            extensions.get(assignment.pk),
            rankings.get(assignment.pk, ""),
            now,
            answers.get(assignment.pk, 0),
        )
        for assignment in assignments
        if takes_part(of_course[assignment.course_id], assignment)
    ]
    return sorted(found, key=lambda todo: (not todo.action, todo.deadline or FAR))


def _for_one(assignment: Assignment, extension: Extension | None, ranking: str, now: datetime, answers: int) -> Todo:
    """What is asked of somebody; an answer to a report is news while people rank."""
    todo = _asked(assignment, extension, ranking, now)
    return replace(todo, answers=answers) if assignment.is_at(Stage.RANKING, Stage.REVIEW) else todo


def _asked(assignment: Assignment, extension: Extension | None, ranking: str, now: datetime) -> Todo:
    times = with_extension(assignment, extension)
    facts = vars(assignment)
    if not facts["handed_in"] and takes_paper(assignment, extension, now):
        return Todo(assignment, "hand in", times.hand_in, _("Your paper is not handed in yet."))
    if facts["has_papers"] and not facts["ranked"] and takes_ranking(assignment, extension, now):
        return Todo(assignment, "rank", times.rank, ranking, begun=facts["begun"])
    if assignment.is_at(Stage.HANDING_IN):
        said = _("Your paper is handed in.") if facts["handed_in"] else _("You have handed in nothing.")
        return Todo(assignment, "", times.hand_in, said)
    if facts["handed_in"] and not facts["has_papers"] and takes_paper(assignment, extension, now):
        said = _(
            "Your paper is handed in, and you can replace it. It joins the others when your time to hand in is over."
        )
        return Todo(assignment, "", times.hand_in, said)
    if extension is not None and extension.hand_in_cut and not facts["has_papers"]:
        said = _(
            "Your time to hand in is over, because ranking was ended before. Ask your instructor if it is a mistake."
        )
        return Todo(assignment, "", None, said)
    return Todo(assignment, "", times.rank, ranking if assignment.is_at(Stage.RANKING) else "")
