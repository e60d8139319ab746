"""A course in the middle of a round and one with released marks, made by the app itself; `make.py` keeps them.

It runs inside the app, on an empty database, and is written for one version: port it to the services of the next one
before keeping its data. Time and randomness are fixed, so that two databases get the same rows. What a test needs to
know is printed at the end, as a line of JSON.
"""

import hashlib
import io
import json
import multiprocessing.process  # noqa: F401 - it draws a key when it is first imported, on one database only
import os
import random
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from unittest import mock

import pikepdf
from django.apps import apps
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client, RequestFactory
from django.test.utils import override_settings, setup_test_environment
from django.utils import timezone
from PIL import Image

from peerorder.web.assignments import extensions, services as assignment_services
from peerorder.web.assignments.models import Assignment, Extension, Stage
from peerorder.web.audit.models import Event
from peerorder.web.courses.models import Course, Member, Role, RosterUpload
from peerorder.web.courses.services import courses, invitations, links, rosters
from peerorder.web.jobs import services as jobs
from peerorder.web.jobs.models import Job
from peerorder.web.jobs.registry import JOBS
from peerorder.web.lifecycle import services as lifecycle
from peerorder.web.mail.models import Mail
from peerorder.web.monitor import services as monitor
from peerorder.web.monitor.models import Offer, Reminded
from peerorder.web.operations import staff
from peerorder.web.papers.models import Paper, PendingSubmission, Version
from peerorder.web.people import passwords, throttling
from peerorder.web.people.links import make_link
from peerorder.web.people.models import Link, Person, Session
from peerorder.web.ranking import queries, services as ranking
from peerorder.web.ranking.models import Ballot, Comment, Problem, Save, Slot
from peerorder.web.results import feedback, moderation, releases, services as results
from peerorder.web.results.comments import received_comments
from peerorder.web.results.mark_sheets import released_sheet
from peerorder.web.results.models import Decision, Release
from peerorder.web.results.release_audience import draft_release, fingerprint
from peerorder.web.results.student_result import mark_text

BEGIN = datetime(2026, 11, 2, 8, tzinfo=UTC)
"""When the course is made."""
FAR = datetime(2099, 6, 1, 12, tzinfo=UTC)
"""Deadlines that no test outlives."""
INSTRUCTOR = ("Ottoline Frask", "frask@example.edu", "correct horse battery staple")
ASSISTANT = ("Perrin Oxvale", "oxvale@example.edu")
STUDENTS = (
    *("Quenby Alder", "Rufina Brackwell", "Sorrel Cindermoor", "Tobin Dunnacre"),
    *("Ursel Eddlestane", "Vesper Fennimark", "Wystan Garrowby", "Yorath Hollinsett"),
)
EARLIER = (
    *("Anselm Jarrow", "Brunhild Kestrel", "Corvin Lathbury"),
    *("Delphine Morrow", "Edmund Nettle", "Fausta Orpwood"),
)
"""The students of the course whose marks are released."""
SECTIONS = ("Monday", "Thursday")
# Pages are shown without `collectstatic`, which other tests look at.
STATIC = {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
FILES = ("grades.csv", "marks.csv", "graders.csv", "overrides.csv", "anchors.csv")
DEAD = "worker-that-died"


# Time, randomness and a worker.


class Moment(type):
    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, datetime)


class Clock(datetime, metaclass=Moment):
    """The time as Django sees it: it stands still but for a millisecond a look, until it is moved."""

    current = BEGIN

    @classmethod
    def now(cls, tz=None) -> datetime:
        cls.current += timedelta(milliseconds=1)
        return cls.current

    @classmethod
    def move_to(cls, **later: float) -> datetime:
        """Set the time, counted from the beginning."""
        moment = BEGIN + timedelta(**later)
        assert moment > cls.current, "time runs forwards"
        cls.current = moment
        return moment


@contextmanager
def fixed() -> Iterator[None]:
    """Fix time and randomness: tokens, codes, keys, salts and ids of jobs."""
    source = random.Random(20261102)
    with (
        mock.patch("django.utils.timezone.datetime", Clock),
        mock.patch.object(os, "urandom", source.randbytes),
        mock.patch.object(random, "_urandom", source.randbytes),
    ):
        yield


def work() -> None:
    """Do everything that waits in the queue, as a worker does."""
    name = "worker-that-stopped"
    jobs.heartbeat(name)
    while (job := jobs.claim(name)) is not None:
        jobs.run(job)
    jobs.forget_worker(name)
    unfinished = Job.objects.exclude(state=Job.State.DONE).exclude(kind="pages")
    assert not unfinished.exists(), list(unfinished.values_list("kind", "state", "message"))


class Killed(BaseException):
    """The end of a worker that was killed."""


def die_at_work(job: Job) -> None:
    """Let a worker take a job and be killed in the middle of it."""

    def killed(*_about: object) -> str:
        raise Killed

    jobs.heartbeat(DEAD)
    claimed = jobs.claim(DEAD)
    assert claimed == job
    with mock.patch.dict(JOBS, {job.kind: killed}):
        try:
            jobs.run(claimed)
        except Killed:
            return
    raise AssertionError("the worker is still alive")


# People and what they send.


def token_of(address: str) -> str:
    return address.rstrip("/").rpartition("/")[2]


def pdf() -> bytes:
    """One page with a line of text."""
    document, out = pikepdf.new(), io.BytesIO()
    font = pikepdf.Dictionary(Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type1, BaseFont=pikepdf.Name.Helvetica)
    page = document.add_blank_page(page_size=(300, 200))
    page.Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(F1=document.make_indirect(font)))
    page.Contents = document.make_stream(b"BT /F1 18 Tf 20 100 Td (Merge sort, in one line) Tj ET")
    document.save(out, deterministic_id=True)
    return out.getvalue()


def image() -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (40, 32), "teal").save(out, "PNG")
    return out.getvalue()


def submit_paper(assignment: Assignment, member: Member, **sent: object) -> str:
    """Send a paper by the page; return where the page leads."""
    client = Client()
    client.force_login(member.person)
    response = client.post(f"/assignments/{assignment.pk}/hand-in/", {"how": "text", **sent})
    client.logout()
    assert response.status_code == 302, response.content
    return response.url


def roster_file(*names: str) -> bytes:
    rows = [
        f"s{number:02},{name},{name.split()[1].lower()}@example.edu,{SECTIONS[number % 2 - 1]}"
        for number, name in enumerate(names, 1)
    ]
    return "\n".join(["student,name,email,section", *rows, ""]).encode()


# Rankings.


def tokens_of(assignment: Assignment, member: Member) -> list[str]:
    return [item.token for item in queries.papers_of(assignment, member)]


def content(*order: list[str], unjudged: tuple[str, ...] = (), comments: dict[str, str] | None = None) -> dict:
    """A ranking as a page sends it: tied papers stand in one list."""
    return {"orders": {"0": [*order]} if order else {}, "unjudged": [*unjudged], "comments": comments or {}}


def save_ranking(assignment: Assignment, member: Member, what: dict, revision: int, client: str, number: int) -> str:
    sent = ranking.RankingUpdate(what, revision, client, number)
    return ranking.save(assignment, member, sent).status.value


def submit_ranking(assignment: Assignment, member: Member, what: dict, revision: int, client: str, number: int) -> str:
    result = ranking.hand_in(assignment, member, ranking.RankingUpdate(what, revision, client, number))
    assert not result.missing, result.missing
    return result.status.value


# The story, day by day.


def make_course() -> tuple[Course, Person, list[Member], dict]:
    """Day 0: a course with its people, and their links."""
    name, address, password = INSTRUCTOR
    keys = staff.add_staff(name, address)
    by = keys.person
    passwords.set_password(by, password)
    course = courses.make_course(by, "Algorithms", "Europe/Athens")
    upload = rosters.keep_roster(course, by, "roster.csv", roster_file(*STUDENTS))
    rosters.apply_roster(upload, by, rosters.plan_of(upload).digest, remove=False, remove_with_work=False)
    (invitation,) = invitations.invite(course, by, [invitations.Invitee(*ASSISTANT, Role.ASSISTANT)])
    work()
    assistant = invitations.accept(invitation, None)
    students = list(
        Member.objects.filter(course=course, role=Role.STUDENT).select_related("person").order_by("student")
    )
    links.send_links(course, by, students, once="first")
    work()
    tokens = {
        "instructor": token_of(keys.link),
        "assistant": token_of(make_link(assistant.person)),
        "student": token_of(links.link_for(students[0], by)),
        "revoked": token_of(links.link_for(students[7], by)),
    }
    links.revoke_member_access(students[7], by)
    students[7].person.refresh_from_db()
    return course, by, students, tokens


def release_round(by: Person) -> tuple[Assignment, list[Member]]:
    """Day 0: a course whose round is over, with released marks, and a correction that is signed off for later."""
    course = courses.make_course(by, "Data structures", "Europe/Athens")
    upload = rosters.keep_roster(course, by, "earlier.csv", roster_file(*EARLIER))
    rosters.apply_roster(upload, by, rosters.plan_of(upload).digest, remove=False, remove_with_work=False)
    students = list(
        Member.objects.filter(course=course, role=Role.STUDENT).select_related("person").order_by("student")
    )
    values = {"title": "Exercise 0: Stacks", "papers_each": 3, "comments": True}
    deadlines = {"hand_in_by": BEGIN + timedelta(hours=4), "rank_by": BEGIN + timedelta(hours=8)}
    assignment = assignment_services.make(course, values | deadlines, by)
    lifecycle.move(assignment, Stage.HANDING_IN, by, timezone.now())
    for number, member in enumerate(students, 1):
        submit_paper(assignment, member, text=f"What came last goes first. This is answer number {number}.")
    Clock.move_to(hours=5)
    lifecycle.move(assignment, Stage.RANKING, by, timezone.now())
    work()
    for number, member in enumerate(students):
        a, b, c = tokens_of(assignment, member)
        comments = {token: f"Remark {number} on {at}." for at, token in enumerate((a, b, c))}
        said = content([a], [b, c] if number == 2 else [c], *([] if number == 2 else [[b]]), comments=comments)
        assert submit_ranking(assignment, member, said, 0, "page", 1) == "saved"
    Clock.move_to(hours=9)
    lifecycle.move(assignment, Stage.REVIEW, by, timezone.now())
    work()
    mark_and_release(assignment, by, students)
    assignment.refresh_from_db()
    return assignment, students


def mark_and_release(assignment: Assignment, by: Person, students: list[Member]) -> None:
    papers = list(Paper.objects.filter(assignment=assignment).order_by("pk"))
    mark, anchor, penalty, _exclude = Decision.Kind
    results.set_scale(assignment, {"marks": "curve:mean=70,sd=10", "penalty": 10.0}, by, 1)
    without = results.exclude(assignment, students[5], "Ranked by length.", by)
    work()
    without.refresh_from_db()
    results.choose_result(assignment, without, by, 2)
    results.decide(assignment, mark, papers[0], "81.5", "Read twice: “clear”.", by)
    results.decide(assignment, penalty, papers[1], "5", "A day late.", by)
    results.decide(assignment, anchor, papers[2], "60", "Marked by hand.", by)
    results.undo(results.decide(assignment, mark, papers[3], "12", "Too short.", by), by, "A mistake.")
    moderation.watch_words(assignment, "stupid\nlazy", by)
    moderation.hide_comment(
        assignment, Slot.objects.filter(paper=papers[4]).order_by("pk")[0], "It names somebody.", by
    )
    release(assignment, by)
    Clock.move_to(hours=10)
    assert releases.publish_due(timezone.now()) == 1
    work()
    look(assignment, students[0])
    for member, kind, text in ((students[0], "helpful", ""), (students[1], "report", "This is not about my paper.")):
        key = received_comments(papers[students.index(member)].pk)[0].key
        feedback.give_feedback(assignment, member, key, kind, text)
    results.decide(assignment, mark, papers[3], "64", "After an appeal.", by)
    release(assignment, by, FAR)


def release(assignment: Assignment, by: Person, at: datetime | None = None) -> None:
    seen = fingerprint(draft_release(assignment))
    choice = releases.ReleaseChoice(marks=True, comments=True, tells=True, seen=seen)
    releases.sign_off(assignment, by, choice, at, timezone.now())


def look(assignment: Assignment, member: Member) -> None:
    """Let a student look at their result."""
    client = Client()
    client.force_login(member.person)
    assert client.get(f"/assignments/{assignment.pk}/my-result/").status_code == 200
    client.logout()


def open_round(course: Course, by: Person, students: list[Member]) -> Assignment:
    """Days 0 to 4: papers come in, and are handed out."""
    values = {
        "title": "Exercise 1: Binary search",
        "task": "Explain **binary search** on half a page.",
        "instructions": "Put first what you would give to a friend.",
        "solution": "Every comparison halves what is left.",
        "hand_in_by": BEGIN + timedelta(days=4),
        "rank_by": BEGIN + timedelta(days=8),
        "papers_each": 3,
        "comments": True,
    }
    assignment = assignment_services.make(course, values, by)
    lifecycle.move(assignment, Stage.HANDING_IN, by, timezone.now(), tell=True)
    work()
    for number, member in enumerate(students):
        Clock.move_to(days=1, hours=number)
        if number == 1:
            submit_paper(assignment, member, text="A first version that was replaced.")
        if number == 7:
            file = SimpleUploadedFile("drawing.png", image(), "image/png")
            submit_paper(assignment, member, how="file", file=file)
        else:
            said = f"Look in the middle, and go on in **one** half. This is answer number {number + 1}: ⌊log₂ n⌋ + 1."
            submit_paper(assignment, member, text=said)
    Clock.move_to(days=4, hours=-1)
    extensions.grant(assignment, students[5], None, BEGIN + timedelta(days=12), "Was ill.", by, timezone.now())
    Clock.move_to(days=4, hours=1)
    lifecycle.move(assignment, Stage.RANKING, by, timezone.now(), tell=True)
    work()
    return assignment


def rank(assignment: Assignment, students: list[Member]) -> None:
    """Days 5 and 6: three submit, one of these saves something else later; two only save; three have not begun."""
    first, second, third, fourth, fifth, *_others = students
    Clock.move_to(days=5)
    for slot in Slot.objects.filter(assignment=assignment, grader__in=students[:3]).order_by("pk"):
        ranking.mark_opened(slot)
    a, b, c = tokens_of(assignment, first)
    comments = {a: "Clear and complete.", b: "Right, but short.", c: "The example is missing: “why”?"}
    assert save_ranking(assignment, first, content([b]), 0, "page1", 1) == "saved"
    assert save_ranking(assignment, first, content([b], [a]), 1, "page1", 2) == "saved"
    assert submit_ranking(assignment, first, content([a], [b], [c], comments=comments), 2, "page1", 3) == "saved"
    Clock.move_to(days=5, hours=1)
    a, b, c = tokens_of(assignment, second)
    comments = {a: "As good as the other one.", c: "As good as the first one."}
    said = content([c, a], unjudged=(b,), comments=comments | {b: "I cannot read this one."})
    assert submit_ranking(assignment, second, said, 0, "page2", 1) == "saved"
    Clock.move_to(days=5, hours=2)
    a, b, c = tokens_of(assignment, third)
    comments = {token: f"Comment {number}." for number, token in enumerate((a, b, c), 1)}
    assert submit_ranking(assignment, third, content([c], [b], [a], comments=comments), 0, "page3", 1) == "saved"
    Clock.move_to(days=6)
    assert save_ranking(assignment, third, content([a], [b], [c], comments=comments), 1, "page4", 1) == "saved"
    a, b, c = tokens_of(assignment, fourth)
    assert save_ranking(assignment, fourth, content([a], [b]), 0, "page5", 1) == "saved"
    assert save_ranking(assignment, fourth, content([b], [c]), 0, "page6", 1) == "conflict"
    a, b, c = tokens_of(assignment, fifth)
    comments = dict.fromkeys((a, b, c), "Saved in time.")
    assert save_ranking(assignment, fifth, content([b], [a], [c], comments=comments), 0, "form", 0) == "saved"


def look_after(assignment: Assignment, by: Person, students: list[Member]) -> None:
    """Days 6 and 7: problems, reminders by the clock, and an offer that waits for an answer."""
    slots = [Slot.objects.filter(grader=member).order_by("position")[0] for member in students[:2]]
    problem = ranking.report(slots[0], Problem.Kind.OTHER, "The formula is cut off.", students[0].person)
    ranking.report(slots[1], Problem.Kind.PLAGIARISM, "I have read this before.", students[1].person)
    assert problem is not None
    ranking.answer(problem, "Turn the phone; the paper is whole.", by, tell=True)
    Clock.move_to(days=7, hours=6)
    assert monitor.remind_automatically() == 1
    work()
    monitor.enqueue_offers(assignment, by)
    work()
    first = Offer.objects.filter(assignment=assignment).order_by("pk").first()
    assert first is not None
    assert monitor.answer_offer(assignment, first.member, accepted=False)


def pass_deadline(assignment: Assignment, by: Person, students: list[Member]) -> None:
    """Day 8: the deadline passes. One saves too late, twice; one tries to submit; then it is moved."""
    Clock.move_to(days=8, hours=1)
    fourth, fifth = students[3:5]
    a, b, c = tokens_of(assignment, fourth)
    assert save_ranking(assignment, fourth, content([c], [b], [a]), 1, "page5", 2) == "late"
    assert save_ranking(assignment, fourth, content([c], [b], [a]), 1, "page5", 2) == "late"
    there = Ballot.objects.get(assignment=assignment, grader=fifth)
    assert submit_ranking(assignment, fifth, there.content, 0, "form", 0) == "late"
    Clock.move_to(days=8, hours=2)
    assignment_services.change(assignment, {"rank_by": FAR}, ["rank_by"], by)
    assignment.refresh_from_db()
    extensions.grant(assignment, students[5], None, FAR + timedelta(days=7), "Was ill.", by, timezone.now())


def open_second(course: Course, by: Person, students: list[Member]) -> tuple[Assignment, Assignment]:
    """Day 8: an assignment for one section, with a paper that is held and one whose worker died; and a draft."""
    values = {"title": "Exercise 2: Merge sort", "hand_in_by": FAR, "rank_by": FAR + timedelta(days=14)}
    section = course.sections.get(name=SECTIONS[0])
    assignment = assignment_services.make(
        course, {**values, "papers_each": 2, "in_teams": True, "sections": [section]}, by
    )
    lifecycle.move(assignment, Stage.HANDING_IN, by, timezone.now())
    submit_paper(assignment, students[0], text="Sort both halves, and merge them.")
    file = SimpleUploadedFile("final-s03.pdf", pdf(), "application/pdf")
    submit_paper(assignment, students[2], how="file", file=file)
    die_at_work(Job.objects.get(kind="pages"))
    name = students[4].person.name
    assert submit_paper(assignment, students[4], text=f"By {name}: merging is linear.").endswith("/anyway/")
    draft = assignment_services.make(course, {"title": "Exercise 3: Hash tables"}, by)
    return assignment, draft


def log_in(tokens: dict) -> dict:
    """Day 9: the instructor comes by password, a student by link; their sessions last for as long as the data."""
    Clock.move_to(days=9)
    _name, login, password = INSTRUCTOR
    by_password, by_link = Client(), Client()
    assert by_password.post("/login/", {"login": login, "password": password}).status_code == 302
    assert by_link.post(f"/in/{tokens['student']}/").status_code == 302
    throttling.reserve_log_in(RequestFactory().post("/login/", REMOTE_ADDR="192.0.2.7"), login)
    Session.objects.update(expire_date=FAR + timedelta(days=90))
    return {"instructor": by_password.session.session_key, "student": by_link.session.session_key}


def tell_story() -> dict:
    course, by, students, tokens = make_course()
    released, graders = release_round(by)
    assignment = open_round(course, by, students)
    rank(assignment, students)
    look_after(assignment, by, students)
    pass_deadline(assignment, by, students)
    work()
    second, draft = open_second(course, by, students)
    # Long enough after the release to hear of thanks.
    look(released, graders[1])
    sessions = log_in(tokens)
    rosters.keep_roster(course, by, "roster-2.csv", roster_file(*STUDENTS, "Zenobia Inkpen"))
    # The last e-mail waits, with the job that would send it.
    assert monitor.remind_one(assignment, students[6], by)
    assignments = {"ranking": assignment, "handing_in": second, "draft": draft}
    return facts(course, by, assignments, tokens, sessions) | {"released": released_facts(released, by)}


# What a test needs to know.


def digest(value: object) -> str:
    """Of JSON, whatever order a database keeps its keys in."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def facts(course: Course, by: Person, assignments: dict[str, Assignment], tokens: dict, sessions: dict) -> dict:
    assistant = Member.objects.get(course=course, role=Role.ASSISTANT)
    return {
        "row_counts": row_counts(),
        "course": {"id": course.pk, "name": course.name, "time_zone": course.time_zone},
        "assignments": {
            name: {"id": each.pk, "title": each.title, "stage": str(each.stage)} for name, each in assignments.items()
        },
        "instructor": {
            "person": by.pk,
            "name": by.name,
            "login": INSTRUCTOR[1],
            "password": INSTRUCTOR[2],
            "link": tokens["instructor"],
            "session": sessions["instructor"],
        },
        "assistant": {"person": assistant.person_id, "name": assistant.person.name, "link": tokens["assistant"]},
        "student": {"student": "s01", "link": tokens["student"], "session": sessions["student"]},
        "revoked_link": {"student": "s08", "link": tokens["revoked"]},
        "links": {"working": Link.objects.filter(revoked_at=None).count(), "all": Link.objects.count()},
        "students": [
            {
                "student": member.student,
                "member": member.pk,
                "person": member.person_id,
                "name": member.person.name,
                "email": member.person.email,
                "section": str(member.section),
            }
            for member in Member.objects.filter(course=course, role=Role.STUDENT).order_by("student")
        ],
        "papers": [paper_facts(paper) for paper in Paper.objects.order_by("pk")],
        "bundles": {
            member.student: tokens_of(assignments["ranking"], member)
            for member in Member.objects.filter(course=course, role=Role.STUDENT).order_by("student")
        },
        "ballots": [ballot_facts(each) for each in Ballot.objects.filter(assignment__course=course).order_by("pk")],
        "saves": [save_facts(each) for each in Save.objects.order_by("pk")],
        "events": {event.pk: event_digest(event) for event in Event.objects.order_by("pk")},
        **loose_ends(assignments["ranking"]),
    }


def released_facts(assignment: Assignment, by: Person) -> dict:
    """What staff and students see of marks: of the first release, of the draft, and of what waits."""
    client = Client()
    client.force_login(by)
    folder = f"/assignments/{assignment.pk}/marks/files"
    files = {
        address: client.get(f"{folder}/{address}").content.decode("utf-8-sig")
        for address in (f"{name}{which}" for which in ("?release=1", "?release=2", "") for name in FILES)
    }
    client.logout()
    students = Member.objects.filter(course=assignment.course_id, role=Role.STUDENT).order_by("student")
    sheet = released_sheet(Release.objects.get(assignment=assignment, number=1))
    assert sheet is not None
    return {
        "assignment": assignment.pk,
        "files": files,
        "marks": {each.student: mark_text(sheet.students[each.pk].mark) for each in students},
        "people": {each.student: each.person_id for each in students},
        "due": Release.objects.get(assignment=assignment, number=2).due_at.isoformat(),
    }


def row_counts() -> dict[str, int]:
    """Rows in every table of the app and of Django."""
    found = {}
    with connection.cursor() as cursor:
        for table in sorted(connection.introspection.table_names(cursor)):
            cursor.execute(f"SELECT COUNT(*) FROM {connection.ops.quote_name(table)}")
            found[table] = cursor.fetchone()[0]
    known = {model._meta.db_table for model in apps.get_models(include_auto_created=True)}
    assert known | {"django_migrations"} == set(found), known ^ set(found)
    return found


def paper_facts(paper: Paper) -> dict:
    version = paper.current
    assert version is not None
    return {
        "id": paper.pk,
        "assignment": paper.assignment_id,
        "code": paper.code,
        "author": paper.authorships.get().member.student,
        "kind": version.kind,
        "state": version.state,
        "digest": version.digest,
        "versions": Version.objects.filter(paper=paper).count(),
        "files": [name for name in (version.file.name, *(page.image.name for page in version.pages.all())) if name],
    }


def ballot_facts(ballot: Ballot) -> dict:
    """What is saved and what counts, and whether a save that submits it stands behind what counts."""
    submitting = contents(list(ballot.saves.filter(hands_in=True)))
    return {
        "id": ballot.pk,
        "assignment": ballot.assignment_id,
        "student": ballot.grader.student,
        "revision": ballot.revision,
        "saved": ballot.content,
        "submitted": ballot.submitted,
        "submitted_at": ballot.submission and ballot.submission.at.isoformat(),
        "has_submitting_save": ballot.submitted in submitting,
    }


def contents(saves: list[Save]) -> list[dict]:
    """What was saved, with the texts of comments, which are in a table of their own."""
    return Comment.objects.put_back([each.content for each in saves])


def save_facts(each: Save) -> dict:
    return {
        "id": each.pk,
        "ballot": each.ballot_id,
        "at": each.at.isoformat(),
        "revision": each.revision,
        "client": each.client,
        "client_number": each.client_number,
        "hands_in": each.hands_in,
        "conflict": each.conflict,
        "late": each.late,
        "digest": digest(contents([each])[0]),
    }


def event_digest(event: Event) -> str:
    return digest(
        [
            *(event.at.isoformat(), event.person_id, event.course_id, event.assignment_id),
            *(event.verb, event.details),
        ]
    )


def loose_ends(assignment: Assignment) -> dict:
    held = PendingSubmission.objects.get()
    extension = Extension.objects.get()
    return {
        "held": {"id": held.pk, "assignment": held.assignment_id, "student": held.member.student, "shows": held.shows},
        "extension": {"student": extension.member.student, "rank_by": extension.rank_by.isoformat()},
        "problems": [
            {
                "id": problem.pk,
                "student": problem.slot.grader.student,
                "kind": problem.kind,
                "answer": problem.answer,
                "answered": problem.answered_at is not None,
            }
            for problem in Problem.objects.order_by("pk")
        ],
        "offers": [
            {"id": offer.pk, "student": offer.member.student, "papers": offer.papers, "accepted": offer.accepted}
            for offer in Offer.objects.order_by("pk")
        ],
        "reminded": [each.deadline.isoformat() for each in Reminded.objects.filter(assignment=assignment)],
        "roster_uploads": [
            {"id": each.pk, "name": each.name, "applied": each.applied_at is not None, "bytes": len(each.content)}
            for each in RosterUpload.objects.order_by("pk")
        ],
        "messages": {
            "sent": Mail.objects.filter(sent_at__isnull=False).count(),
            "waiting": list(Mail.objects.filter(sent_at=None).order_by("pk").values_list("pk", flat=True)),
        },
        "jobs": [
            {
                "id": str(job.pk),
                "kind": job.kind,
                "state": job.state,
                "tries": job.tries,
                "crashes": job.crashes,
                "worker": job.worker,
            }
            for job in Job.objects.order_by("enqueued_at", "pk")
        ],
        "dead_worker": DEAD,
    }


if __name__ == "__main__":
    setup_test_environment()
    with fixed(), override_settings(STORAGES=settings.STORAGES | STATIC):
        print("TOLD", json.dumps(tell_story()))
