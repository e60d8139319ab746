"""How long a link or a session lasts. It is decided at every use, so that a new end of a course counts at once."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Q

from peerorder.web.people.models import Link, Person
from peerorder.web.people.registry import Enrolment, enrolments

STAFF_LINK = timedelta(hours=24)
STAFF_IDLE = timedelta(hours=12)
LONGEST_SESSION = timedelta(days=90)
# Of people in no course, whose links nothing else would end.
LONGEST_LINK = timedelta(days=365)


@dataclass(frozen=True)
class Standing:
    """What the length of somebody's links and sessions depends on."""

    is_staff: bool
    ends_at: datetime | None
    """When the last of their courses ends; None for people in no course."""


def courses_of(person: Person) -> list[Enrolment]:
    """Return the courses that somebody is in."""
    return [enrolment for find in enrolments for enrolment in find(person)]


def standing_of(person: Person) -> Standing:
    """Return whether somebody makes courses or is staff of one, and when their courses end."""
    courses = courses_of(person)
    is_staff = person.makes_courses or any(course.is_staff for course in courses)
    return Standing(is_staff, max((course.ends_at for course in courses), default=None))


def link_end(link: Link, standing: Standing) -> datetime:
    """Return when a link stops working."""
    of_student = standing.ends_at or link.made_at + LONGEST_LINK
    end = link.made_at + STAFF_LINK if standing.is_staff else of_student
    return min(end, link.ends_at) if link.ends_at else end


def session_end(standing: Standing, made_at: datetime, last_seen_at: datetime) -> datetime:
    """Return when a session ends unless it is used meanwhile."""
    end = made_at + LONGEST_SESSION
    if standing.is_staff:
        return min(end, last_seen_at + STAFF_IDLE)
    return min(end, standing.ends_at) if standing.ends_at else end


def links_in_force(now: datetime, prefix: str = "") -> Q:
    """Return the links that were neither revoked nor replaced; ends of courses, and of a day for staff, are beside it.

    ``prefix`` leads to the links, as ``person__links__``.
    """
    return Q(**{f"{prefix}revoked_at": None}) & (Q(**{f"{prefix}ends_at": None}) | Q(**{f"{prefix}ends_at__gt": now}))
