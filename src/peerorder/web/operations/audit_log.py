"""Search the audit log of the whole site from the command line: nobody in the app stands above courses."""

import difflib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Any

from django.db import Error, connection
from django.db.models import Q
from django.utils import timezone
from django.utils.dateparse import parse_date, parse_datetime

from peerorder.core.errors import InputError
from peerorder.core.translation import gettext as _
from peerorder.web.audit.export import TYPES, export_lines
from peerorder.web.audit.messages import describe
from peerorder.web.audit.models import Event, Seal
from peerorder.web.audit.queries import Search, read_all, read_page
from peerorder.web.audit.registry import MESSAGES
from peerorder.web.audit.services import record
from peerorder.web.courses.models import Course
from peerorder.web.operations.upgrade import database_name
from peerorder.web.people.models import Person


@contextmanager
def log_database() -> Iterator[None]:
    """Say in one line where there is no audit log of this version, or its database does not answer."""
    try:
        if Seal._meta.db_table not in connection.introspection.table_names():
            text = _(
                "there is no audit log in the database ({database}); check PEERORDER_HOME and PEERORDER_DATABASE, "
                "and start this version once, which upgrades the database"
            )
            raise InputError(text.format(database=database_name()))
        yield
    except Error as error:
        reason = str(error).strip().splitlines()[0]
        text = _("the database ({database}) cannot be used: {reason}; check PEERORDER_DATABASE")
        raise InputError(text.format(database=database_name(), reason=reason)) from None
    finally:
        connection.close()


def search_log(
    *, person: str | None, course: str | None, verb: str | None, since: str | None, until: str | None
) -> Search:
    """Return what is asked for.

    Raises
    ------
    InputError
        If there is no such person, course or verb, or a time is none.
    """
    if verb is not None and verb not in MESSAGES and not Event.objects.filter(verb=verb).exists():
        near = ", ".join(map(repr, difflib.get_close_matches(verb, MESSAGES, n=3) or sorted(MESSAGES)[:5]))
        text = _("--verb is {verb!r}, which is not in the log; similar ones are {near}")
        raise InputError(text.format(verb=verb, near=near))
    return Search(
        people=None if person is None else _people(person),
        course=None if course is None else _course(course),
        verb=verb or "",
        since=None if since is None else _moment("--since", since),
        until=None if until is None else _moment("--until", until, days=1),
    )


def newest_events(search: Search, count: int) -> list[dict[str, Any]]:
    """Return the newest events, for people and machines."""
    events = read_page(search.events(), size=count).events
    return [
        {
            "at": timezone.localtime(event.at).isoformat(sep=" ", timespec="seconds"),
            "person": event.person_id,
            "who": entry.who,
            "verb": event.verb,
            "what": entry.what,
            "about": event.about_id,
            "course": event.course_id,
            "assignment": event.assignment_id,
            "details": event.details,
        }
        for event, entry in zip(events, describe(events), strict=True)
    ]


def export(search: Search, file: Path, *, force: bool = False) -> int:
    """Write all events to a file, CSV or JSON Lines by its name; return how many there were."""
    suffix = file.suffix.lstrip(".").lower()
    if suffix not in TYPES:
        text = _("--out is {file!r}; give it a name that ends in .csv or .jsonl")
        raise InputError(text.format(file=str(file)))
    if file.exists() and not force:
        raise InputError(_("{file} already exists; give another name, or --force to replace it").format(file=file))
    count = 0

    def counted() -> Iterator[list[Event]]:
        nonlocal count
        for page in read_all(search.events()):
            count += len(page)
            yield page

    part = file.with_name(f".{file.name}.part")
    try:
        with part.open("w", encoding="utf-8", newline="") as stream:
            part.chmod(0o600)
            stream.writelines(export_lines(counted(), suffix, timezone.get_current_timezone()))
        part.replace(file)
    except OSError as error:
        raise InputError(_("{file} cannot be written ({reason})").format(file=file, reason=error.strerror)) from None
    finally:
        part.unlink(missing_ok=True)
    record("site log exported", None, events=count)
    return count


def _people(text: str) -> list[int]:
    """Return the accounts of somebody, by number, username or e-mail address: a student has one for every course."""
    if text.isdecimal() and len(text) < 19:
        return [int(text)]
    people = list(Person.objects.filter(Q(login__iexact=text) | Q(email__iexact=text)).values_list("pk", flat=True))
    if not people:
        problem = _("--person is {text!r}; nobody has this username or e-mail address, and it is not a number")
        raise InputError(problem.format(text=text))
    return people


def _course(text: str) -> int:
    courses = list(Course.objects.filter(name=text).values_list("pk", flat=True)[:2])
    if len(courses) == 1:
        return courses[0]
    if text.isdecimal() and len(text) < 19:
        # It may be deleted, and its events are still there.
        return int(text)
    problem = _("--course is {text!r}; no course is called that, so give its number")
    if courses:
        problem = _("--course is {text!r}; several courses are called that, so give its number")
    raise InputError(problem.format(text=text))


def _moment(option: str, text: str, days: int = 0) -> datetime:
    """Return a moment, or the beginning of a day (of a later one, so that the end of a time includes its day)."""
    try:
        day, moment = parse_date(text), parse_datetime(text)
        if day is not None:
            moment = datetime.combine(day + timedelta(days=days), time.min)
    except (ValueError, OverflowError):
        moment = None
    if moment is None:
        problem = _("{option} is {text!r}; write it like 2026-11-17 or 2026-11-17T14:30")
        raise InputError(problem.format(option=option, text=text))
    return moment if timezone.is_aware(moment) else timezone.make_aware(moment)
