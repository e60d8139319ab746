"""Staff from the command line: somebody must be the first, and somebody may have to go."""

from dataclasses import dataclass

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.utils import timezone

from peerorder.core.errors import InputError
from peerorder.core.translation import gettext as _, ngettext
from peerorder.web.audit.services import record
from peerorder.web.courses.models import Course, Member, Role
from peerorder.web.people.access import is_staff_anywhere
from peerorder.web.people.links import make_link, revoke_access
from peerorder.web.people.models import Link, Person
from peerorder.web.people.passwords import assign_login, make_password

FIRST = "admin"


@dataclass(frozen=True)
class Keys:
    """How somebody gets in; the secrets are known now and never again, and are empty where there are none."""

    person: Person
    login: str
    password: str = ""
    link: str = ""


@dataclass(frozen=True)
class Removal:
    """What went with an account."""

    login: str
    links: int
    without_instructor: tuple[str, ...] = ()
    """Courses that have no instructor any more."""


def needs_first_staff() -> bool:
    """Return whether nobody may make courses yet."""
    return not Person.objects.filter(makes_courses=True, is_active=True).exists()


def only_login() -> str:
    """Return the username of the one who may make courses; nothing where there are several, or in production.

    What is printed in production ends up in the journal, and a username may be somebody's address.
    """
    logins = Person.objects.filter(makes_courses=True, is_active=True).values_list("login", flat=True)[:2]
    return logins[0] or "" if len(logins) == 1 and not settings.ENVIRONMENT.production else ""


def first_staff() -> Keys | None:
    """Make the first account and return how to log in, unless there is one.

    In production nothing is made and nothing told: what is printed there ends up in the journal.
    """
    with transaction.atomic():
        if settings.ENVIRONMENT.production or not needs_first_staff():
            return None
        person = Person.objects.create_user(None, name=_("Administrator"), makes_courses=True)
        assign_login(person, FIRST)
        return Keys(person, person.login or "", make_password(person), make_link(person))


def add_staff(name: str, email: str, course: str | None = None) -> Keys:
    """Make an account that may make courses, with a link that works once; with a course, of its instructor.

    It is always a new account: one that has this address, or that name, may be anybody's.
    """
    try:
        validate_email(email)
    except ValidationError:
        text = _("{email!r} is not an e-mail address; write it like ida@example.edu")
        raise InputError(text.format(email=email)) from None
    with transaction.atomic():
        existing = Person.objects.filter(login=email).first()
        if existing is not None and is_staff_anywhere(existing):
            text = _("{email} already has an account; `peerorder staff password {email}` sets a new password")
            raise InputError(text.format(email=email))
        joins = None if course is None else _course(course)
        person = Person.objects.create_user(None, name=name, email=email, makes_courses=True)
        assign_login(person, email)
        record("staff account made", None, person=person.pk)
        if joins is not None:
            Member.objects.create(course=joins, person=person, role=Role.INSTRUCTOR)
            record("staff added", None, course=joins, person=person.pk)
        return Keys(person, person.login or "", link=make_link(person, Link.Kind.ONCE))


def new_password(login: str) -> Keys:
    """Make a new password for somebody; their links and sessions end."""
    with transaction.atomic():
        person = _by_login(login)
        if person is None:
            raise _unknown(login)
        return Keys(person, person.login or "", make_password(person))


def revoke_staff(login: str) -> Removal:
    """End the links, the password and the sessions of somebody, who stays staff."""
    with transaction.atomic():
        person = _find(login)
        links = revoke_access([person])
        record("staff revoked", None, person=person.pk, links=links)
    return Removal(login, links)


def remove_staff(login: str, *, force: bool = False) -> Removal:
    """Close the account of somebody for good, and end their part as staff everywhere."""
    with transaction.atomic():
        person = _find(login)
        others = Person.objects.filter(makes_courses=True, is_active=True).exclude(pk=person.pk)
        if person.makes_courses and not force and not others.exists():
            text = _("{login} is the only account that may create courses; add another one first, or give --force")
            raise InputError(text.format(login=login))
        links = revoke_access([person])
        # The name is free again, for another account: this one never comes back.
        Person.objects.filter(pk=person.pk).update(is_active=False, makes_courses=False, login=None)
        record("staff removed", None, person=person.pk, links=links)
        members = list(Member.objects.filter(person=person, removed_at=None).exclude(role=Role.STUDENT))
        for member in members:
            Member.objects.filter(pk=member.pk).update(removed_at=timezone.now())
            record("member removed", None, course=member.course, member=member.pk)
        instructors = Member.objects.filter(role=Role.INSTRUCTOR, removed_at=None).values("course")
        left = Course.objects.filter(pk__in=[member.course_id for member in members]).exclude(pk__in=instructors)
        return Removal(login, links, tuple(left.order_by("name").values_list("name", flat=True)))


def staff() -> list[tuple[str, str, str, str]]:
    """Return username, name, e-mail and courses of everybody who may make courses or is staff of one."""
    rows = []
    everybody = Person.objects.filter(is_active=True, erased_at=None).prefetch_related("memberships__course")
    for person in everybody.order_by("login"):
        of = [m.course.name for m in person.memberships.all() if m.is_staff and m.removed_at is None]
        if person.makes_courses or of:
            rows.append((person.login or "", person.name, person.email, ", ".join(sorted(of))))
    return rows


def _by_login(login: str) -> Person | None:
    """Return the staff with a username. Students are not meant: their accounts are their courses'."""
    person = Person.objects.select_for_update().filter(login=login, is_active=True, erased_at=None).first()
    return person if person is not None and is_staff_anywhere(person) else None


def _find(login: str) -> Person:
    """Return the staff to lock out, by username, or by an address that only one account has."""
    person = _by_login(login)
    if person is not None:
        return person
    people = Person.objects.select_for_update().filter(email__iexact=login, is_active=True, erased_at=None)
    matches = [person for person in people if is_staff_anywhere(person)]
    if len(matches) == 1:
        return matches[0]
    if matches:
        text = ngettext(
            "{count} account has the address {login}; give its username",
            "{count} accounts have the address {login}; give the username of one",
            len(matches),
        )
        raise InputError(text.format(count=len(matches), login=login))
    raise _unknown(login)


def _unknown(login: str) -> InputError:
    text = _("no staff account has the username {login!r}; `peerorder staff list` shows all")
    return InputError(text.format(login=login))


def _course(text: str) -> Course:
    courses = list(Course.objects.filter(name=text)[:2])
    if not courses and text.isdecimal():
        courses = list(Course.objects.filter(pk=int(text)))
    if len(courses) == 1:
        return courses[0]
    existing = ", ".join(f"{course.pk} ({course.name})" for course in Course.objects.order_by("pk")[:20]) or _(
        "none yet"
    )
    problem = _("no course is called {text!r}; give its number: {courses}")
    if courses:
        problem = _("several courses are called {text!r}; give its number: {courses}")
    raise InputError(problem.format(text=text, courses=existing))
