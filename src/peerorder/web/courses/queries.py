"""What several pages ask about courses and members."""

from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.db.models import Case, Count, Exists, Max, OuterRef, Q, QuerySet, Value, When
from django.utils import timezone

from peerorder.web.audit.models import Event
from peerorder.web.courses.models import Course, Invitation, Member, Role
from peerorder.web.courses.registry import members_with_work
from peerorder.web.courses.search import find_members
from peerorder.web.mail.messages import LINK
from peerorder.web.mail.models import MOST_TRIES, Mail
from peerorder.web.mail.services import is_set_up
from peerorder.web.people.expiry import links_in_force
from peerorder.web.people.models import Link

# A link that was printed and then used has got to somebody after all.
HAS_GOT = Q(printed=False) | Q(last_used_at__isnull=False)

OTHERS = Member.objects.filter(person=OuterRef("person")).exclude(pk=OuterRef("pk"))
IS_ELSEWHERE = Q(person__makes_courses=True) | Q(Exists(OTHERS))
HAS_OWN_ACCOUNT = ~Q(role=Role.STUDENT) | IS_ELSEWHERE


def is_sample(course: Course) -> bool:
    """Return whether everything in it is made up, whatever it is called now."""
    return Event.objects.filter(course_id=course.pk, verb="sample made").exists()


def students_of(course: Course) -> QuerySet[Member]:
    """Return the students who are on the roster now."""
    return Member.objects.select_related("person").filter(course=course, role=Role.STUDENT, removed_at=None)


def never_logged_in(members: QuerySet[Member]) -> QuerySet[Member]:
    """Return the members who have never logged in, by link or by password."""
    return members.filter(person__last_login=None)


def logged_in_members(members: QuerySet[Member]) -> QuerySet[Member]:
    """Return the members who have logged in."""
    return members.filter(person__last_login__isnull=False)


def students_without_link(course: Course) -> QuerySet[Member]:
    """Students without a way in: no link that works, none on its way by mail, no password, no account of their own."""
    links = Link.objects.filter(HAS_GOT, links_in_force(timezone.now()), person=OuterRef("person"))
    students = students_of(course).filter(~Exists(links))
    if is_set_up():
        waiting = Mail.objects.filter(
            person_id=OuterRef("person"), sent_at=None, tries__lt=MOST_TRIES, body__contains=LINK
        )
        students = students.filter(~Exists(waiting))
    students = students.filter(person__password__startswith=UNUSABLE_PASSWORD_PREFIX)
    return students.exclude(pk__in=members_with_own_account(course).values("pk"))


def count_members(course: Course) -> dict[str, int]:
    """Return how many ``students`` and ``staff`` a course has, and how many students ``came``."""
    is_student = Q(role=Role.STUDENT)
    return Member.objects.filter(course=course, removed_at=None).aggregate(
        students=Count("pk", filter=is_student),
        staff=Count("pk", filter=~is_student),
        came=Count("pk", filter=is_student & Q(person__last_login__isnull=False)),
    )


def search_members(course: Course, words: str = "", section: str = "", state: str = "") -> QuerySet[Member]:
    """Return the members of a course as staff look for them, each with ``link_made_at`` and ``has_own_account``.

    ``section`` is the id of one; ``state`` one of the names below, everyone who was not removed where it is empty.
    """
    members = Member.objects.filter(course=course).select_related("person", "section")
    members = members.annotate(
        link_made_at=Max(
            "person__links__made_at",
            filter=links_in_force(timezone.now(), "person__links__")
            & (Q(person__links__printed=False) | Q(person__links__last_used_at__isnull=False)),
        ),
        has_own_account=Case(When(HAS_OWN_ACCOUNT, then=Value(True)), default=Value(False)),
    )
    members = members.exclude(removed_at=None) if state == "removed" else members.filter(removed_at=None)
    if state == "students":
        members = members.filter(role=Role.STUDENT)
    elif state == "never":
        members = never_logged_in(members.filter(role=Role.STUDENT))
    elif state == "came":
        members = logged_in_members(members.filter(role=Role.STUDENT))
    elif state == "without":
        members = members.filter(pk__in=students_without_link(course).values("pk"))
    elif state == "staff":
        members = members.exclude(role=Role.STUDENT)
    if words:
        members = members.filter(pk__in=find_members(Member.objects.filter(course=course), words))
    if section:
        members = members.filter(section=int(section))
    return members


def members_with_own_account(course: Course) -> QuerySet[Member]:
    """Members whose account is not the course's to change, and to make links to: the staff, and people elsewhere.

    Staff may join other courses with the same account at any time, and a link that one course had made before, or an
    address that it had set, would lead into those.
    """
    return Member.objects.filter(HAS_OWN_ACCOUNT, course=course)


def manages(member: Member) -> bool:
    """Return whether a course may change somebody's account and make links to it."""
    return member.person.erased_at is None and not members_with_own_account(member.course).filter(pk=member.pk).exists()


def is_elsewhere(member: Member) -> bool:
    """Return whether somebody makes courses or is in another course, so that their account must be kept."""
    return Member.objects.filter(IS_ELSEWHERE, pk=member.pk).exists()


def pending_invitations(course: Course) -> QuerySet[Invitation]:
    """Return the invitations that wait for an answer, and those that expired without one."""
    waiting = Invitation.objects.filter(course=course, accepted_at=None, revoked_at=None)
    return waiting.select_related("invited_by").order_by("-invited_at", "-pk")


def ids_with_work(course: Course) -> frozenset[int]:
    """Return the ids of the members who have handed in a paper or begun to rank."""
    return frozenset(member for find in members_with_work for member in find(course))
