"""Search the audit log."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q, QuerySet
from django.utils.dateparse import parse_datetime

from peerorder.web.audit.models import Event
from peerorder.web.audit.registry import MESSAGES
from peerorder.web.database.sql import LARGEST, fetch_all

PAGE = 200


@dataclass(frozen=True)
class Search:
    """Which events somebody looks for; None and "" are no condition."""

    course: int | None = None
    assignment: int | None = None
    verb: str = ""
    verbs: Collection[str] | None = None
    people: Collection[int] | None = None
    """What these did, and what was done to them."""
    since: datetime | None = None
    until: datetime | None = None

    def events(self) -> QuerySet[Event]:
        """Return the events, in no order."""
        events = Event.objects.all()
        if self.course is not None:
            events = events.filter(course_id=self.course)
        if self.assignment is not None:
            events = events.filter(assignment_id=self.assignment)
        if self.verb:
            events = events.filter(verb=self.verb)
        if self.verbs is not None:
            events = events.filter(verb__in=self.verbs)
        if self.people is not None:
            events = events.filter(Q(person_id__in=self.people) | Q(about_id__in=self.people))
        if self.since is not None:
            events = events.filter(at__gte=self.since)
        if self.until is not None:
            events = events.filter(at__lt=self.until)
        return events


@dataclass(frozen=True)
class Page:
    """Some events, the newest first, and where older ones begin. Nothing is counted, so no page takes longer."""

    events: list[Event]
    older: str
    """The mark that the next page begins after; "" where this is the last."""


def read_page(events: QuerySet[Event], mark: str = "", size: int = PAGE) -> Page:
    """Return the newest events, or those after a mark that another page gave; a mark that is none counts as none."""
    time, _sep, number = mark.partition("~")
    if number.isdecimal() and int(number) <= LARGEST and (moment := _moment(time)) is not None:
        # The first condition is for the index.
        events = events.filter(Q(at__lt=moment) | Q(pk__lt=int(number)), at__lte=moment)
    rows = list(events.order_by("-at", "-pk")[: size + 1])
    last = rows[size - 1] if len(rows) > size else None
    return Page(rows[:size], "" if last is None else f"{last.at.isoformat()}~{last.pk}")


def read_all(events: QuerySet[Event], size: int = 1000) -> Iterator[list[Event]]:
    """Yield all events in pages, the newest first."""
    mark = ""
    while True:
        page = read_page(events, mark, size)
        yield page.events
        if not (mark := page.older):
            return


def _moment(text: str) -> datetime | None:
    try:
        # A plus in an address may have become a blank.
        moment = parse_datetime(text.replace(" ", "+"))
    except ValueError:
        return None
    return moment if moment is not None and moment.tzinfo is not None else None


def verbs_in(course: int, assignment: int | None = None) -> list[str]:
    """Return the verbs of the events of a course or of an assignment, by a look into an index for each verb."""
    where, number = ("course_id", course) if assignment is None else ("assignment_id", assignment)
    verbs = ", ".join(["(%s)"] * len(MESSAGES))
    rows = fetch_all(
        f"WITH known(verb) AS (VALUES {verbs}) SELECT verb FROM known "
        f"WHERE EXISTS (SELECT 1 FROM log_event event WHERE event.{where} = %s AND event.verb = known.verb)",
        *MESSAGES,
        number,
    )
    return sorted(verb for (verb,) in rows)
