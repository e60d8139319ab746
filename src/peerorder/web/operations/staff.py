"""Staff from the command line: somebody must be the first."""

import secrets
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction

from peerorder.core.errors import InputError
from peerorder.web.audit.services import record
from peerorder.web.courses.models import Course, Member, Role
from peerorder.web.people.models import Person
from peerorder.web.people.services import make_link

FIRST = "admin"


@dataclass(frozen=True)
class Keys:
    """How somebody gets in; both secrets are known now and never again."""

    person: Person
    login: str
    password: str
    link: str


def first_staff() -> Keys | None:
    """Make the first account and return how to log in, unless somebody may make courses already."""
    with transaction.atomic():
        if Person.objects.filter(makes_courses=True, is_active=True).exists():
            return None
        login = FIRST
        while Person.objects.filter(login=login).exists():
            login = f"{FIRST}-{secrets.token_hex(2)}"
        return _with_keys(Person(login=login, name="Administrator", makes_courses=True))


def add_staff(name: str, email: str, course: str | None = None) -> Keys:
    """Make an account that may make courses; with a course, by its name or number, of its instructor."""
    try:
        validate_email(email)
    except ValidationError:
        raise InputError(f"{email!r} is no e-mail address; write it like ida@example.edu") from None
    with transaction.atomic():
        if Person.objects.filter(login=email).exists():
            raise InputError(f"{email} has an account already; `peerorder staff password {email}` makes a new password")
        joins = None if course is None else _course(course)
        keys = _with_keys(Person(login=email, name=name, email=email, makes_courses=True))
        if joins is not None:
            Member.objects.create(course=joins, person=keys.person, role=Role.INSTRUCTOR)
            record("staff added", None, course=joins, person=keys.person.pk)
    return keys


def new_password(login: str) -> Keys:
    """Make a new password and a new link for somebody."""
    with transaction.atomic():
        person = Person.objects.select_for_update().filter(login=login, erased_at=None).first()
        if person is None:
            raise InputError(f"nobody has the log-in name {login!r}; `peerorder staff list` shows the names")
        return _with_keys(person)


def staff() -> list[tuple[str, str, str, str]]:
    """Return log-in name, name, e-mail and courses of everybody who may make courses or is staff of one."""
    rows = []
    everybody = Person.objects.filter(is_active=True, erased_at=None).prefetch_related("memberships__course")
    for person in everybody.order_by("login"):
        of = [m.course.name for m in person.memberships.all() if m.is_staff and m.removed_at is None]
        if person.makes_courses or of:
            rows.append((person.login or "", person.name, person.email, ", ".join(sorted(of))))
    return rows


def _course(text: str) -> Course:
    courses = list(Course.objects.filter(name=text)[:2])
    if not courses and text.isdecimal():
        courses = list(Course.objects.filter(pk=int(text)))
    if len(courses) == 1:
        return courses[0]
    there = ", ".join(f"{course.pk} ({course.name})" for course in Course.objects.order_by("pk")[:20]) or "none yet"
    what = "several courses are" if courses else "no course is"
    raise InputError(f"{what} called {text!r}; give its number: {there}")


def _with_keys(person: Person) -> Keys:
    password = secrets.token_urlsafe(12)
    person.is_active = True
    person.set_password(password)
    person.save()
    record("password made", None, person=person.pk)
    return Keys(person, person.login or "", password, make_link(person))
