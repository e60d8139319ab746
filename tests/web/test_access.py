"""Who may reach what: every address, by everybody, with something real behind it."""

import copy
import uuid
from collections.abc import Iterator
from datetime import timedelta
from functools import cache

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.urls import NoReverseMatch, URLPattern, URLResolver, get_resolver, resolve, reverse
from django.utils import timezone

from peerorder.web.assignments.models import Stage
from peerorder.web.courses.access import EVERY_ROLE, INSTRUCTORS, STAFF, STUDENTS
from peerorder.web.courses.models import Member, Role
from peerorder.web.papers.models import Paper
from peerorder.web.people.models import Person
from peerorder.web.ranking.models import Slot
from peerorder.web.results.models import Basis
from peerorder.web.results.release_audience import draft_release, fingerprint
from tests.web.world import (
    PASSWORD,
    REMOVED,
    World,
    entered,
    filled,
    kept,
    undone,
)

ROLES = ("anonymous", "outsider", "student", "assistant", "instructor", "stranger")
# "in" is a redirect to the log-in page, "go" one to somewhere else. An outsider is a student of another course, a
# stranger an instructor of another course. The first line of an address is for GET, the second for POST.
TABLE = """
address                     anonymous outsider student assistant instructor stranger
home                           in       200      200      200       200       200
                               403      405      405      405       405       405
health                         200      200      200      200       200       200
                               405      405      405      405       405       405
people:login                   200      200      200      200       200       200
                               go       go       go       go        go        go
people:logout                  405      405      405      405       405       405
                               go       go       go       go        go        go
people:send-link               200      200      200      200       200       200
                               200      200      200      200       200       200
people:send-reset              200      200      200      200       200       200
                               200      200      200      200       200       200
people:enter                   200      200      200      200       200       200
                               go       200      200      200       200       200
people:reset                   200      200      200      200       200       200
                               go       go       go       go        go        go
people:confirm-address         200      200      200      200       200       200
                               go       go       go       go        go        go
people:account                 in       200      200      200       200       200
                               403      go       go       go        go        go
people:details                 in       403      403      405       405       405
                               403      403      403      go        go        go
people:verify-address          in       405      405      405       405       405
                               403      go       go       go        go        go
people:end-session             in       405      405      405       405       405
                               403      go       go       go        go        go
people:revoke-link             in       405      405      405       405       405
                               403      go       go       go        go        go
people:end-all                 in       405      405      405       405       405
                               403      go       go       go        go        go
courses:new                    in       403      403      403       200       200
                               403      403      403      403       go        go
home:own-data                  in       200      200      200       200       200
                               403      200      200      200       200       200
home:course                    in       404      200      200       200       404
                               403      404      405      405       405       404
courses:settings               in       404      403      403       200       404
                               403      404      403      403       go        404
courses:archive                in       404      403      403       200       404
                               403      404      403      403       go        404
courses:bring_back             in       404      403      403       405       404
                               403      404      403      403       go        404
home:delete-course             in       404      403      403       200       404
                               403      404      403      403       409       404
courses:people                 in       404      403      200       200       404
                               403      404      403      405       405       404
courses:new_member             in       404      403      403       200       404
                               403      404      403      403       go        404
courses:staff                  in       404      403      200       200       404
                               403      404      403      405       405       404
courses:invite                 in       404      403      403       405       404
                               403      404      403      403       go        404
courses:invite-again           in       404      403      403       405       404
                               403      404      403      403       go        404
courses:revoke-invitation      in       404      403      403       405       404
                               403      404      403      403       go        404
courses:invitation             200      200      200      200       200       200
                               go       409      409      409       409       go
courses:links                  in       404      403      403       200       404
                               403      404      403      403       405       404
courses:export_links           in       404      403      403       405       404
                               403      404      403      403       200       404
courses:send_links             in       404      403      403       405       404
                               403      404      403      403       go        404
courses:revoke_all             in       404      403      403       405       404
                               403      404      403      403       go        404
courses:upload                 in       404      403      403       200       404
                               403      404      403      403       go        404
courses:roster                 in       404      403      403       200       404
                               403      404      403      403       405       404
courses:columns                in       404      403      403       405       404
                               403      404      403      403       go        404
courses:apply                  in       404      403      403       405       404
                               403      404      403      403       go        404
courses:changes                in       404      403      403       200       404
                               403      404      403      403       405       404
home:member                    in       404      403      200       200       404
                               403      404      403      405       405       404
home:change                    in       404      403      403       405       404
                               403      404      403      403       go        404
home:link                      in       404      403      403       405       404
                               403      404      403      403       200       404
home:revoke                    in       404      403      403       405       404
                               403      404      403      403       go        404
home:revoke-link               in       404      403      403       405       404
                               403      404      403      403       go        404
home:role                      in       404      403      403       405       404
                               403      404      403      403       go        404
home:remove                    in       404      403      403       405       404
                               403      404      403      403       go        404
home:put_back                  in       404      403      403       405       404
                               403      404      403      403       go        404
home:erase                     in       404      403      403       200       404
                               403      404      403      403       go        404
assignments:new                in       404      403      403       200       404
                               403      404      403      403       go        404
assignments:plan               in       404      403      200       200       404
                               403      404      403      405       405       404
lifecycle:assignment           in       404      200      200       200       404
                               403      404      405      405       405       404
assignments:preview            in       404      403      403       405       404
                               403      404      403      403       200       404
assignments:edit               in       404      403      403       200       404
                               403      404      403      403       go        404
lifecycle:delete               in       404      403      403       200       404
                               403      404      403      403       409       404
lifecycle:move                 in       404      403      403       200       404
                               403      404      403      403       go        404
lifecycle:hand-out-again       in       404      403      403       405       404
                               403      404      403      403       go        404
assignments:attach             in       404      403      403       405       404
                               403      404      403      403       go        404
assignments:attachment         in       404      200      200       200       404
                               403      404      405      405       405       404
assignments:detach             in       404      403      403       405       404
                               403      404      403      403       go        404
assignments:extensions         in       404      403      403       200       404
                               403      404      403      403       go        404
assignments:extension-students in       404      403      200       200       404
                               403      404      403      405       405       404
assignments:extension          in       404      403      403       200       404
                               403      404      403      403       go        404
assignments:withdraw-extension in       404      403      403       405       404
                               403      404      403      403       go        404
lifecycle:export               in       404      403      403       200       404
                               403      404      403      403       405       404
lifecycle:export-file          in       404      403      403       200       404
                               403      404      403      403       405       404
papers:hand-in                 in       404      200      403       403       404
                               403      404      go       403       403       404
papers:preview                 in       404      405      403       403       404
                               403      404      200      403       403       404
papers:pending                 in       404      200      403       403       404
                               403      404      go       403       403       404
papers:receipt                 in       404      200      403       403       404
                               403      404      405      403       403       404
papers:mine                    in       404      200      403       403       404
                               403      404      405      403       403       404
papers:my-page                 in       404      200      403       403       404
                               403      404      405      403       403       404
ranking:read                   in       404      200      404       404       404
                               403      405      405      405       405       405
ranking:read-page              in       404      200      404       404       404
                               403      405      405      405       405       405
papers:papers                  in       404      403      200       200       404
                               403      404      403      405       405       404
papers:on-behalf               in       404      403      200       200       404
                               403      404      403      go        go        404
ranking:paper                  in       404      403      200       200       404
                               403      404      403      405       405       404
papers:paper-page              in       404      403      200       200       404
                               403      404      403      405       405       404
papers:withdraw                in       404      403      405       405       404
                               403      404      403      go        go        404
papers:put-back                in       404      403      405       405       404
                               403      404      403      go        go        404
ranking:version                in       404      403      200       200       404
                               403      404      403      405       405       404
papers:version-page            in       404      403      200       200       404
                               403      404      403      405       405       404
papers:original                in       404      403      403       200       404
                               403      404      403      403       405       404
ranking:rank                   in       404      200      403       403       404
                               403      404      405      403       403       404
ranking:save                   in       404      405      403       403       404
                               403      404      go       403       403       404
ranking:hand-in                in       404      405      403       403       404
                               403      404      go       403       403       404
ranking:undo                   in       404      405      403       403       404
                               403      404      go       403       403       404
ranking:receipt                in       404      200      403       403       404
                               403      404      405      403       403       404
ranking:example                in       404      200      403       403       404
                               403      404      405      403       403       404
ranking:preview                in       404      403      200       200       404
                               403      404      403      200       200       404
ranking:report                 in       404      200      403       403       404
                               403      404      go       403       403       404
ranking:problems               in       404      403      200       200       404
                               403      404      403      405       405       404
ranking:answer                 in       404      403      405       405       404
                               403      404      403      go        go        404
monitor:monitor                in       404      403      200       200       404
                               403      404      403      405       405       404
monitor:remind-all             in       404      403      405       405       404
                               403      404      403      go        go        404
monitor:remind-one             in       404      403      405       405       404
                               403      404      403      go        go        404
monitor:offer-more             in       404      403      200       200       404
                               403      404      403      go        go        404
monitor:hand-out-late          in       404      403      200       200       404
                               403      404      403      go        go        404
monitor:answer                 in       404      405      403       403       404
                               403      404      go       403       403       404
results:my-result              in       404      200      403       403       404
                               403      404      405      403       403       404
results:feedback               in       404      405      403       403       404
                               403      404      go       403       403       404
results:comments               in       404      403      200       200       404
                               403      404      403      405       405       404
results:watched-words          in       404      403      403       405       404
                               403      404      403      403       go        404
results:comment                in       404      403      200       200       404
                               403      404      403      go        go        404
results:show-comment           in       404      403      405       405       404
                               403      404      403      go        go        404
results:marks                  in       404      403      200       200       404
                               403      404      403      405       405       404
results:preview                in       404      403      200       200       404
                               403      404      403      405       405       404
results:scale                  in       404      403      403       405       404
                               403      404      403      403       go        404
results:decide                 in       404      403      200       200       404
                               403      404      403      go        go        404
results:decisions              in       404      403      200       200       404
                               403      404      403      405       405       404
results:undo                   in       404      403      200       200       404
                               403      404      403      go        go        404
results:upload-decisions       in       404      403      403       405       404
                               403      404      403      403       200       404
results:apply-decisions        in       404      403      403       405       404
                               403      404      403      403       go        404
results:files                  in       404      403      403       200       404
                               403      404      403      403       405       404
results:file                   in       404      403      403       200       404
                               403      404      403      403       405       404
results:gradebook              in       404      403      403       405       404
                               403      404      403      403       200       404
results:results                in       404      403      200       200       404
                               403      404      403      405       405       404
results:compute                in       404      403      403       405       404
                               403      404      403      403       409       404
results:result                 in       404      403      200       200       404
                               403      404      403      405       405       404
results:graders                in       404      403      200       200       404
                               403      404      403      405       405       404
results:coverage               in       404      403      200       200       404
                               403      404      403      405       405       404
results:contrast               in       404      403      200       200       404
                               403      404      403      405       405       404
results:provenance             in       404      403      200       200       404
                               403      404      403      405       405       404
results:paper                  in       404      403      200       200       404
                               403      404      403      405       405       404
results:comparison             in       404      403      200       200       404
                               403      404      403      405       405       404
results:choose                 in       404      403      403       405       404
                               403      404      403      403       go        404
results:exclude                in       404      403      403       200       404
                               403      404      403      403       409       404
results:undo-exclusion         in       404      403      403       200       404
                               403      404      403      403       go        404
results:release                in       404      403      200       200       404
                               403      404      403      405       405       404
results:sign-off               in       404      403      403       405       404
                               403      404      403      403       go        404
results:one-release            in       404      403      200       200       404
                               403      404      403      405       405       404
results:withdraw               in       404      403      403       405       404
                               403      404      403      403       go        404
results:choose-student         in       404      403      403       200       404
                               403      404      403      403       405       404
results:view-as                in       404      403      403       200       404
                               403      404      403      403       405       404
courses:mails                  in       404      403      200       200       404
                               403      404      403      405       405       404
courses:try-mails-again        in       404      403      403       405       404
                               403      404      403      403       go        404
courses:audit-log              in       404      403      403       200       404
                               403      404      403      403       405       404
courses:audit-log-export       in       404      403      403       200       404
                               403      404      403      403       405       404
home:security-log              in       200      200      200       200       200
                               403      405      405      405       405       405
home:style-guide               in       200      200      200       200       200
                               403      405      405      405       405       405
assignments:job                in       404      403      200       200       404
                               403      404      403      405       405       404
"""
# What staff type into the preview of the ranking page, for each of its papers.
MADE_UP = {"unjudged": "on", "comment": "A comment that is long enough for everybody."}
DECISIONS = b"student,decision,value,reason\n%s,penalty,3,A day late.\n"
GRADEBOOK = (
    b"Student,ID,SIS User ID,SIS Login ID,Section,Essay (17)\n    Points Possible,,,,,100\nSomebody,1,%s,x,Monday,\n"
)
# Where a POST that is allowed may well change nothing: there is nothing to do, or never is.
CHANGES_NOTHING = {
    "people:logout",
    # Whoever is somebody else is asked first.
    "people:enter",
    "people:end-session",
    "assignments:preview",
    "papers:preview",
    "ranking:preview",
    "lifecycle:hand-out-again",
    "papers:put-back",
    "home:put_back",
    "courses:bring_back",
    "results:show-comment",
    # They show what a file would change.
    "results:upload-decisions",
}
# Their tokens are in a message to somebody, and let everybody in who has it.
SECRETS = {
    "people:enter": "link",
    "people:reset": "reset",
    "people:confirm-address": "confirm",
    "courses:invitation": "invitation",
}
# These look at the assignment that still takes papers.
WHILE_HANDING_IN = {"papers:hand-in", "papers:preview", "papers:pending", "papers:on-behalf"}
# These look at the assignment whose marks are released.
AFTER_RANKING = {f"results:{name}" for name in ("release", "sign-off", "one-release", "withdraw", "choose-student")}
AFTER_RANKING |= {"results:view-as"}
FOR = {
    "anybody": set(ROLES),
    "logged in": set(ROLES) - {"anonymous"},
    "makes courses": {"instructor", "stranger"},
    "staff anywhere": {"assistant", "instructor", "stranger"},
    EVERY_ROLE: {"student", "assistant", "instructor"},
    STAFF: {"assistant", "instructor"},
    INSTRUCTORS: {"instructor"},
    STUDENTS: {"student"},
}


@cache
def table() -> dict[tuple[str, str], dict[str, str]]:
    rows, name = {}, ""
    for line in TABLE.strip().splitlines()[1:]:
        words = line.split()
        method = "POST"
        if len(words) == len(ROLES) + 1:
            name, method = words.pop(0), "GET"
        rows[name, method] = dict(zip(ROLES, words, strict=True))
    return rows


@cache
def every_address() -> dict[str, URLPattern]:
    """By name, all there are."""
    return addresses_below(get_resolver().url_patterns, "")


def addresses_below(patterns: list[URLPattern | URLResolver], space: str) -> dict[str, URLPattern]:
    found: dict[str, URLPattern] = {}
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            inner = f"{pattern.namespace}:" if pattern.namespace else ""
            found |= addresses_below(pattern.url_patterns, space + inner)
        else:
            assert pattern.name, pattern
            assert space + pattern.name not in found, pattern.name
            found[space + pattern.name] = pattern
    return found


LOGGED_IN: dict[int, str] = {}
"""The sessions of people in a test, by their ids: logging in takes as long as a page."""


@pytest.fixture(scope="module")
def one_world(django_db_setup, django_db_blocker) -> Iterator[World]:
    with kept(django_db_blocker) as made:
        yield made


@pytest.fixture
def world(one_world, db) -> World:
    """Papers are being ranked; everything is there. What a test changes is taken back."""
    LOGGED_IN.clear()
    return copy.deepcopy(one_world)


def address_of(world: World, name: str, **other) -> str:
    """The address, with the numbers of things that are there."""
    names = {**world.names, **other}
    if name in WHILE_HANDING_IN and "assignment_id" not in other:
        names["assignment_id"] = world.other.pk
    if name in AFTER_RANKING and "assignment_id" not in other:
        names["assignment_id"] = world.marked.pk
    if name in SECRETS:
        names["token"] = names[SECRETS[name]]
    if name == "home:role":
        # Students have none that could be changed.
        names["member_id"] = other.get("member_id", world.assistant.pk)
    if name == "monitor:remind-one":
        names["member_id"] = other.get("member_id", names["unfinished_id"])
    return reverse(name, kwargs={each: names[each] for each in every_address()[name].pattern.converters})


def form_of(world: World, name: str, person: Person | None = None) -> dict[str, object]:
    """What somebody would send who means it."""
    soon = (timezone.now() + timedelta(days=20)).strftime("%Y-%m-%dT%H:%M")
    member = Member.objects.select_related("person").get(pk=world.names["member_id"])
    course = {"name": "Renamed", "time_zone": "Europe/Athens"}
    text = {"how": "text", "text": "An answer that is long enough."}
    someone = {"name": "Newt", "email": "newt@example.org", "section": "", "team": "", "student": "newt"}
    assignment = {"title": "Sonnet", "takes_text": "on", "papers_each": "3", "late_hours": "0", "remind_hours": "0"}
    assignment |= {"least_comment": "0"}
    problem = f"p{world.names['problem_id']}-answer"
    forms: dict[str, dict[str, object]] = {
        "people:login": {"login": "asa@example.org", "password": PASSWORD},
        "people:send-link": {"email": "somebody@example.org"},
        "people:send-reset": {"email": "somebody@example.org"},
        "people:reset": {"password": "another very long one 77"},
        "people:account": {"current": PASSWORD, "password": "another very long one 77"},
        "people:details": {
            "details-name": "Somebody",
            "details-email": "other@example.org",
            "details-current": PASSWORD,
        },
        "courses:new": course,
        "courses:settings": course,
        "courses:new_member": someone,
        "home:change": someone,
        "courses:invite": {"name": "Newt", "email": "newt@example.org", "role": "assistant"},
        "home:role": {"role": "instructor"},
        "home:revoke-link": {"link": world.names["link_id"]},
        "courses:export_links": {"who": "all"},
        "courses:send_links": {"who": "all", "once": uuid.uuid4()},
        "courses:upload": {"file": SimpleUploadedFile("roster.csv", b"student\nnewt\n")},
        "home:delete-course": {"typed": "Algorithms"},
        "home:erase": {"typed": member.student},
        "assignments:new": assignment,
        "assignments:preview": {"task": "*Written*"},
        "assignments:attach": {"audience": "task", "file": SimpleUploadedFile("sheet.txt", b"Read this.")},
        "assignments:edit": assignment | {"title": "Sestina"},
        "assignments:extensions": {"student": world.students[3].student, "rank_by": soon},
        "assignments:extension": {"student": member.student, "rank_by": soon},
        "papers:hand-in": text,
        "papers:preview": text,
        "papers:on-behalf": text | {"student": world.students[3].student},
        "papers:withdraw": {"withdrawn_because": "A reason."},
        "ranking:save": filled(world, world.student) | {"number": 7},
        "ranking:hand-in": filled(world, world.student) | {"number": 7},
        "ranking:preview": {f"{name}-example{at}": value for at in "ABC" for name, value in MADE_UP.items()},
        "ranking:report": {"kind": "other", "text": "Something."},
        "ranking:answer": {problem: "All right."},
        "monitor:answer": {"answer": "no"},
        "results:feedback": {"comment": world.names["comment_key"], "kind": "helpful"},
        "results:comment": {"reason": "It names somebody."},
        "results:watched-words": {"words": "nonsense"},
        "results:scale": {"scale": "curve", "mean": 70, "sd": 10, "low": 0, "high": 100, "penalty": 0}
        | {"done": 70, "reliable": 30, "revision": Basis.objects.get(assignment=world.assignment).revision},
        "results:decide": {"kind": "mark", "mark-value": "50", "mark-reason": "A reason.", "confirm": "yes"},
        "results:undo": {"reason": "A reason."},
        "results:upload-decisions": {"file": SimpleUploadedFile("decisions.csv", DECISIONS % member.student.encode())},
        "results:apply-decisions": {"plan": world.names["plan"]},
        "results:gradebook": {"file": SimpleUploadedFile("grades.csv", GRADEBOOK % member.student.encode())},
        "results:choose": {"revision": Basis.objects.get(assignment=world.assignment).revision},
        "results:exclude": {"reason": "A reason."},
        "results:undo-exclusion": {"reason": "A reason."},
        "results:sign-off": {"what": "marks", "seen": fingerprint(draft_release(world.marked)), "signs": "on"},
        "results:withdraw": {"reason": "A wrong scale."},
    }
    if name == "courses:invitation":
        return {"account": "" if person is None else person.pk}
    if name == "courses:apply":
        from peerorder.web.courses.models import RosterUpload
        from peerorder.web.courses.services.rosters import plan_of

        return {"digest": plan_of(RosterUpload.objects.get(pk=world.names["upload_id"])).digest}
    return forms.get(name, {})


def people(world: World) -> dict[str, Person | None]:
    return {role: None if role == "anonymous" else getattr(world, role).person for role in ROLES}


class Writes:
    """Which tables a request writes to; who is logged in where is not counted."""

    def __init__(self) -> None:
        self.tables: list[str] = []

    def __call__(self, execute, sql, params, many, context):
        words = sql.replace('"', " ").split()
        if words[0] in ("INSERT", "UPDATE", "DELETE"):
            table = words[1] if words[0] == "UPDATE" else next(w for w in words[1:] if w not in ("INTO", "FROM", "OR"))
            if table != "people_session":
                self.tables.append(table)
        return execute(sql, params, many, context)


def asked(person: Person | None, method: str, address: str, data=None) -> tuple[str, list[str]]:
    """The answer in a word, and what was written; afterwards all is as it was before."""
    client, writes = Client(), Writes()
    if person is not None:
        if person.pk not in LOGGED_IN:
            client.force_login(Person.objects.get(pk=person.pk))
            LOGGED_IN[person.pk] = client.cookies[settings.SESSION_COOKIE_NAME].value
        client.cookies[settings.SESSION_COOKIE_NAME] = LOGGED_IN[person.pk]
    with undone(), connection.execute_wrapper(writes):
        response = client.generic(method, address) if method != "POST" else client.post(address, data or {})
    if response.status_code == 302:
        return ("in" if response.url.startswith("/login/?next=") else "go"), writes.tables
    response.close()
    return str(response.status_code), writes.tables


def test_the_table_has_every_address():
    rows = table()
    assert {name for name, _method in rows} == set(every_address())
    assert all((name, method) in rows for name in every_address() for method in ("GET", "POST"))


def test_everybody_gets_what_the_table_says(world):
    wrong, who = [], people(world)
    for (name, method), expected in table().items():
        for role, answer in expected.items():
            # A fresh form for everybody: files are read once.
            data = form_of(world, name, who[role]) if method == "POST" else None
            found, written = asked(who[role], method, address_of(world, name), data)
            if found != answer:
                wrong.append(f"{method} {name} by {role}: {found} instead of {answer}")
            elif found in ("403", "404", "405", "in") and written:
                wrong.append(f"{method} {name} by {role} is refused, but writes {written}")
            elif method == "POST" and found in ("200", "go") and not written and name not in CHANGES_NOTHING:
                wrong.append(f"{method} {name} by {role} is allowed, but writes nothing: is the form right?")
    assert not wrong, "\n".join(wrong)


def test_every_view_wears_a_decorator_that_agrees_with_the_table(world):
    rows = table()
    for name in every_address():
        allowed = getattr(resolve(address_of(world, name)).func, "allowed", None)
        assert allowed in FOR, f"{name} wears no decorator of access.py"
        welcome = {
            role for role in ROLES for method in ("GET", "POST") if rows[name, method][role] in ("200", "go", "405")
        }
        # Whoever is logged in may ask for a paper by its token; it is there for its grader alone.
        assert welcome == FOR[allowed], name


def test_no_view_takes_other_methods(world):
    for name in every_address():
        row = table()[name, "GET"]
        role = next(role for role in ("instructor", "student", "anonymous") if row[role] in ("200", "go", "405"))
        for method in ("PUT", "DELETE", "PATCH", "OPTIONS"):
            found, written = asked(people(world)[role], method, address_of(world, name))
            assert (found, written) == ("405", []), (name, method)


def test_head_is_answered_as_get_is(world):
    for name in every_address():
        for role in ("student", "instructor"):
            found, _written = asked(people(world)[role], "HEAD", address_of(world, name))
            assert found == table()[name, "GET"][role], (name, role)


def test_every_form_needs_its_token(world):
    for name in every_address():
        for role in ("student", "instructor"):
            if table()[name, "POST"][role] not in ("200", "go"):
                continue
            client = entered(getattr(world, role), enforce_csrf_checks=True)
            writes, data = Writes(), form_of(world, name)
            with connection.execute_wrapper(writes):
                response = client.post(address_of(world, name), data)
            assert (response.status_code, writes.tables) == (403, []), (name, role)


# Others of the same course.


def addresses_below_assignments(world: World, **other) -> list[tuple[str, str]]:
    addresses = every_address()
    return [
        (name, address_of(world, name, **other))
        for name in addresses
        if "assignment_id" in addresses[name].pattern.converters
    ]


@pytest.mark.parametrize("which", ["draft", "elsewhere"])
def test_students_do_not_learn_of_drafts_and_of_other_sections(world, which):
    assignment = getattr(world, which)
    for name, address in addresses_below_assignments(world, assignment_id=assignment.pk):
        for method in ("GET", "POST"):
            assert asked(world.student.person, method, address, form_of(world, name)) == ("404", []), (method, name)
    assert asked(world.assistant.person, "GET", f"/assignments/{assignment.pk}/")[0] == "200"


def test_somebody_who_moves_to_another_section_no_longer_reads_the_papers(world):
    world.assignment.sections.set(world.elsewhere.sections.all())
    for name in (
        "ranking:read",
        "ranking:read-page",
        "ranking:rank",
        "ranking:receipt",
        "papers:mine",
        "papers:receipt",
    ):
        assert asked(world.student.person, "GET", address_of(world, name))[0] == "404", name


def test_somebody_who_was_removed_reaches_nothing(world):
    Member.objects.filter(pk=world.student.pk).update(removed_at=timezone.now())
    for name in every_address():
        for method in ("GET", "POST"):
            expected = table()[name, method]["outsider"]
            found, _written = asked(world.student.person, method, address_of(world, name), form_of(world, name))
            assert found == expected, (method, name)
    removed = world.students[REMOVED]
    assert asked(removed.person, "GET", f"/courses/{world.course.pk}/")[0] == "404"


def test_staff_who_were_removed_reach_nothing(world):
    Member.objects.filter(pk=world.instructor.pk).update(removed_at=timezone.now())
    for name in every_address():
        for method in ("GET", "POST"):
            expected = table()[name, method]["stranger"]
            found, _written = asked(
                world.instructor.person, method, address_of(world, name), form_of(world, name, world.instructor.person)
            )
            assert found == expected, (method, name)


def test_a_token_is_good_for_its_grader_alone(world):
    token = world.names["token"]
    paper = Slot.objects.get(token=token).paper
    others = [each for each in world.there if each.pk != world.student.pk]
    # Also who ranks the same paper, and who wrote it.
    assert any(Slot.objects.filter(grader=each, paper=paper).exists() for each in others)
    assert any(paper.authorships.filter(member=each).exists() for each in others)
    for other in others:
        for name in ("ranking:read", "ranking:read-page", "ranking:report"):
            assert asked(other.person, "GET", address_of(world, name))[0] == "404", (name, other)
        data = form_of(world, "ranking:report")
        assert asked(other.person, "POST", address_of(world, "ranking:report"), data) == ("404", [])


def test_a_ranking_with_another_graders_token_is_refused(world):
    mine = filled(world, world.student)
    theirs = Slot.objects.filter(assignment=world.assignment).exclude(grader=world.student)[0].token
    content = {"orders": {"0": [[theirs]]}, "unjudged": [], "comments": {}}
    sent = {"revision": mine["revision"], "client": "page", "number": 9, "content": content}
    response = entered(world.student).post(address_of(world, "ranking:save"), sent, content_type="application/json")
    assert response.status_code == 400
    assert theirs not in response.content.decode()


def test_an_author_does_not_reach_the_paper_of_another(world):
    other = Paper.objects.get(pk=world.names["paper_id"])
    assert not other.authorships.filter(member=world.student).exists()
    for name in ("ranking:paper", "papers:paper-page", "ranking:version", "papers:version-page"):
        assert asked(world.student.person, "GET", address_of(world, name))[0] == "403", name
    for word in (other.code, other.pk, other.current_id):
        assert asked(world.student.person, "GET", f"/papers/{word}/")[0] == "404"


def test_things_are_reached_by_their_own_course_and_assignment_only(world):
    """A number that belongs elsewhere is no way in, whoever asks."""
    world.stranger.course.assignments.create(title="Leaves", stage=Stage.RANKING)
    leaves = world.stranger.course.assignments.get()
    inner = {"member_id", "upload_id", "paper_id", "version_id", "job_id", "problem_id", "extension_id", "token"}
    inner |= {"invitation_id", "slot_id", "decision_id"}
    for name, pattern in every_address().items():
        if not inner & set(pattern.pattern.converters) or name in (*SECRETS, "ranking:read", "ranking:read-page"):
            continue
        address = address_of(world, name, course_id=world.stranger.course_id, assignment_id=leaves.pk)
        for method in ("GET", "POST"):
            found, written = asked(world.stranger.person, method, address, form_of(world, name))
            assert found in ("404", "405", "403"), (method, name, found)
            assert written == [], (method, name)


@pytest.mark.parametrize("stage", [Stage.HANDING_IN, Stage.RANKING, Stage.REVIEW, Stage.RELEASED])
def test_papers_are_read_while_they_are_ranked_and_reviewed(world, stage):
    world.assignment.stage = stage
    world.assignment.save()
    expected = "200" if stage in (Stage.RANKING, Stage.REVIEW) else "404"
    for name in ("ranking:read", "ranking:read-page"):
        assert asked(world.student.person, "GET", address_of(world, name))[0] == expected
    for name in (
        "lifecycle:assignment",
        "papers:mine",
        "papers:receipt",
        "ranking:rank",
        "papers:my-page",
        "ranking:receipt",
    ):
        assert asked(world.student.person, "GET", address_of(world, name))[0] == "200", name


@pytest.mark.parametrize("number", [0, 2**63 - 1, 10**30])
def test_numbers_of_nothing_are_not_found(world, number):
    names = ("course_id", "assignment_id", "member_id", "upload_id", "paper_id", "version_id", "problem_id")
    for name, pattern in every_address().items():
        for each in {*names, "extension_id", "invitation_id", "number", "slot_id", "decision_id"} & set(
            pattern.pattern.converters
        ):
            try:
                address = address_of(world, name, **{each: number})
            except NoReverseMatch:
                continue
            for role in ("student", "instructor"):
                found, written = asked(people(world)[role], "GET", address)
                assert found in ("403", "404", "405"), (name, each, role, found)
                assert written == []


def test_an_assistant_cannot_become_an_instructor_by_the_forms(world):
    data = {"name": "Asa", "email": "asa@example.org", "role": Role.INSTRUCTOR}
    for name in ("courses:invite", "courses:invite-again", "home:role"):
        assert asked(world.assistant.person, "POST", address_of(world, name), data) == ("403", [])
