"""What several pages ask about courses and members."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime

from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.db.models import Exists, Max, OuterRef, Q, QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _

from peerorder.web.access import takes_part
from peerorder.web.courses.models import Course, Member, Role
from peerorder.web.courses.progress import answered_for, rankings_of
from peerorder.web.courses.search import matching
from peerorder.web.log.models import Event
from peerorder.web.mail.models import MOST_TRIES, Mail
from peerorder.web.mail.services import is_set_up
from peerorder.web.papers.models import Authorship
from peerorder.web.people.models import Link, Person
from peerorder.web.ranking.models import Ballot, Slot
from peerorder.web.ranking.queries import finished
from peerorder.web.rounds.deadlines import takes_paper, takes_ranking, with_extension
from peerorder.web.rounds.models import Assignment, Extension, Stage

__all__ = [
    "Todo",
    "came",
    "is_sample",
    "listed",
    "manages",
    "never_came",
    "students_of",
    "to_do",
    "with_own_account",
    "with_work",
    "without_link",
]

# A link that was printed and then used has got to somebody after all.
HAS_GOT = Q(printed=False) | Q(last_used_at__isnull=False)
FAR = datetime.max.replace(tzinfo=UTC)


def is_sample(course: Course) -> bool:
    """Whether everything in it is made up, whatever it is called now."""
    return Event.objects.filter(course_id=course.pk, verb="sample made").exists()


def students_of(course: Course) -> QuerySet[Member]:
    """The students who are on the roster now."""
    return Member.objects.select_related("person").filter(course=course, role=Role.STUDENT, removed_at=None)


def never_came(members: QuerySet[Member]) -> QuerySet[Member]:
    """Those who have never been here, by link or by password."""
    return members.filter(person__last_login=None)


def came(members: QuerySet[Member]) -> QuerySet[Member]:
    """Those who have been here."""
    return members.filter(person__last_login__isnull=False)


def without_link(course: Course) -> QuerySet[Member]:
    """Students without a way in: no link that works, none on its way by mail, no password, no account of their own."""
    links = Link.objects.filter(HAS_GOT, person=OuterRef("person"), revoked_at=None)
    students = students_of(course).filter(~Exists(links))
    if is_set_up():
        waiting = Mail.objects.filter(
            person=OuterRef("person"), sent_at=None, tries__lt=MOST_TRIES, body__contains="{link}"
        )
        students = students.filter(~Exists(waiting))
    students = students.filter(person__password__startswith=UNUSABLE_PASSWORD_PREFIX)
    return students.exclude(pk__in=with_own_account(course).values("pk"))


def listed(course: Course, search: str = "", section: str = "", state: str = "") -> QuerySet[Member]:
    """Everybody in a course as staff look for them; ``section`` is a number, ``state`` one of the names below."""
    members = Member.objects.filter(course=course).select_related("person", "section")
    members = members.annotate(
        link_made_at=Max(
            "person__links__made_at",
            filter=Q(person__links__revoked_at=None)
            & (Q(person__links__printed=False) | Q(person__links__last_used_at__isnull=False)),
        ),
    )
    members = members.exclude(removed_at=None) if state == "removed" else members.filter(removed_at=None)
    if state == "never":
        members = never_came(members.filter(role=Role.STUDENT))
    elif state == "came":
        members = came(members.filter(role=Role.STUDENT))
    elif state == "without":
        members = members.filter(pk__in=without_link(course).values("pk"))
    elif state == "staff":
        members = members.exclude(role=Role.STUDENT)
    if search:
        members = members.filter(pk__in=matching(Member.objects.filter(course=course), search))
    if section.isdecimal():
        members = members.filter(section=int(section[:18]))
    return members.order_by("person__name", "student", "pk")


def with_own_account(course: Course) -> QuerySet[Member]:
    """Members whose account is not the course's to change, and to make links to.

    They make courses, or are in other courses too: with such a link one would get into those.
    """
    others = Member.objects.filter(person=OuterRef("person")).exclude(pk=OuterRef("pk"))
    return Member.objects.filter(Q(person__makes_courses=True) | Exists(others), course=course)


def manages(member: Member) -> bool:
    """Whether a course may change somebody's account and make links to it."""
    return member.person.erased_at is None and not with_own_account(member.course).filter(pk=member.pk).exists()


def with_work(course: Course) -> frozenset[int]:
    """The numbers of the members who have handed in a paper or begun to rank."""
    authors = Authorship.objects.filter(assignment__course=course).values_list("member", flat=True)
    graders = Ballot.objects.filter(assignment__course=course).values_list("grader", flat=True)
    return frozenset(authors) | frozenset(graders)


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
        return reverse("rounds:assignment", args=[self.assignment.pk])

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
