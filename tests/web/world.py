"""A class in which everything has happened, for the tests that look at the whole app.

Everybody has an unmistakable name, id, e-mail, team and file, and all numbers of rows are large and apart: whatever
of it turns up where it should not can be found in the bytes of an answer. Papers come in by the pages of the app.
"""

import io
import json
import logging
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta

import pikepdf
from django.apps import apps
from django.core import signing
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, transaction
from django.test import Client, override_settings
from django.utils import timezone
from PIL import Image, PngImagePlugin

from peerorder.web.assignments.attachments import attach
from peerorder.web.assignments.extensions import grant
from peerorder.web.assignments.models import Assignment, Attachment, Extension, Stage
from peerorder.web.courses.models import Course, Member, Role, RosterUpload, Section
from peerorder.web.courses.services.invitations import Invitee, invite, make_link as invitation_link
from peerorder.web.jobs.models import Heartbeat, Job
from peerorder.web.lifecycle.services import move
from peerorder.web.mail.models import Mail
from peerorder.web.monitor.models import Offer
from peerorder.web.papers.models import Paper, Version
from peerorder.web.people.links import digest, make_link, new_token
from peerorder.web.people.models import Confirmation, Link, Person
from peerorder.web.ranking import handouts
from peerorder.web.ranking.models import Ballot, Problem, Slot
from peerorder.web.ranking.services import answer, report
from peerorder.web.results.comments import comment_key, comment_texts
from peerorder.web.results.mark_sheets import decisions_in_force
from peerorder.web.results.models import Basis, Decision, Look, Release
from peerorder.web.results.release_audience import draft_release, fingerprint
from peerorder.web.results.releases import GRACE, ReleaseChoice, publish_due, sign_off
from peerorder.web.results.services import choose_result, decide, request_result, set_scale
from peerorder.web.results.views.mark_files import SALT
from tests.web.factories import enrol, run_job, submit_paper, submit_ranking

# In the order of the roster, which is neither that of the alphabet nor that of the numbers.
NAMES = (
    "Quorbeth Zwindlemar",
    "Ylvander Ochskrapp",
    "Brunhexa Tjolvenik",
    "Xaverilde Pflomgast",
    "Dwimmora Kvistelund",
    "Uxmalia Grzebrond",
    "Fjordanka Wemblish",
    "Sprotwin Øllengård",
    "Hexaplex O'Vrantiq",
    "Jorvimund Ctesibor",
    "Nyxolinda Braathwyn",
    "Kazzimir Thrumbolt",
    "Mordwenna Szylagyi",
)
TEAM = (4, 5)
LATE, EMPTY, REMOVED, ON_BEHALF = 7, 11, 12, 10
PASSWORD = "a very long password indeed"


@contextmanager
def undone() -> Iterator[None]:
    """Whatever happens in the database is taken back at the end."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


@contextmanager
def kept(blocker) -> "Iterator[World]":
    """A world at ranking for all tests of a module, because making it takes a while."""
    logging.disable(logging.WARNING)
    with blocker.unblock(), tempfile.TemporaryDirectory() as folder, override_settings(MEDIA_ROOT=folder), undone():
        cache.clear()
        made = make_world()
        hand_in(made)
        begin_ranking(made)
        rank(made)
        release(made)
        finish(made)
        furnish(made)
        yield made
    logging.disable(logging.NOTSET)


@dataclass
class World:
    """Who and what is there."""

    course: Course
    instructor: Member
    assistant: Member
    students: list[Member]
    outsider: Member
    stranger: Member
    """An instructor of another course."""
    assignment: Assignment
    """The one that goes through all stages; everything happens in it."""
    other: Assignment
    """One that takes papers all the time."""
    draft: Assignment
    elsewhere: Assignment
    """For another section than that of the students."""
    marked: Assignment
    """One whose marks are released."""
    names: dict[str, object] = field(default_factory=dict)

    @property
    def student(self) -> Member:
        """One with a PDF, who has ranked."""
        return self.students[1]

    @property
    def there(self) -> list[Member]:
        """Students who have not been removed."""
        return [each for at, each in enumerate(self.students) if at != REMOVED]


def marker(at: int) -> str:
    """What stands in the paper of a student, and says nothing about whose it is to anybody else."""
    return f"Thesis{'abcdefghijklmnop'[at] * 5}"


def entered(member: Member, **options) -> Client:
    client = Client(**options)
    client.force_login(member.person)
    return client


def number_apart() -> None:
    """Large numbers for all rows from now on, others for every table."""
    models = [model for model in apps.get_models() if model._meta.auto_field is not None]
    with connection.cursor() as cursor:
        for at, model in enumerate(sorted(models, key=lambda model: model._meta.db_table)):
            begin, table = 700_000_003 + 1_300_021 * at, model._meta.db_table
            if connection.vendor == "sqlite":
                cursor.execute("DELETE FROM sqlite_sequence WHERE name = %s", [table])
                cursor.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (%s, %s)", [table, begin])
            else:
                column = model._meta.auto_field.column
                cursor.execute("SELECT setval(pg_get_serial_sequence(%s, %s), %s)", [table, column, begin])


def pdf_of(words: str, name: str) -> bytes:
    """Two pages, with their author in every place for it."""
    pdf = pikepdf.new()
    font = pikepdf.Dictionary(Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type1, BaseFont=pikepdf.Name.Helvetica)
    for _ in range(2):
        page = pdf.add_blank_page(page_size=(595, 842))
        page.Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(F1=pdf.make_indirect(font)))
        page.Contents = pdf.make_stream(f"BT /F1 24 Tf 60 700 Td ({words}) Tj ET".encode())
    pdf.docinfo["/Author"] = name
    with pdf.open_metadata() as metadata:
        metadata["dc:creator"] = [name]
    pdf.attachments["cv.txt"] = pikepdf.AttachedFileSpec(pdf, name.encode(), filename=f"{name}.txt")
    out = io.BytesIO()
    pdf.save(out)
    return out.getvalue()


def image_of(kind: str, name: str) -> bytes:
    """A picture that knows who made it."""
    picture, out, more = Image.new("RGB", (320, 240), "teal"), io.BytesIO(), {}
    if kind == "PNG":
        more["pnginfo"] = PngImagePlugin.PngInfo()
        more["pnginfo"].add_text("Author", name)
    else:
        exif = Image.Exif()
        exif[0x013B] = exif[0x8298] = exif[0x010E] = name
        more = {"exif": exif.tobytes(), "comment": name.encode()}
    picture.save(out, kind, **more)
    return out.getvalue()


def sent_by(at: int, member: Member) -> dict[str, object]:
    """What somebody hands in: texts, PDFs, images and a link."""
    name, file = member.person.name, f"final-{member.student}"
    if at in (1, 9):
        return {"how": "file", "file": SimpleUploadedFile(f"{file}.pdf", pdf_of(marker(at), name), "application/pdf")}
    if at == 2:
        return {"how": "file", "file": SimpleUploadedFile(f"{file}.jpg", image_of("JPEG", name), "image/jpeg")}
    if at == 8:
        return {"how": "file", "file": SimpleUploadedFile(f"{file}.png", image_of("PNG", name), "image/png")}
    if at == 3:
        return {"how": "link", "link": f"https://example.org/{marker(at)}"}
    return {"how": "text", "text": f"My **answer** is {marker(at)}, and [this](https://example.org/) is why."}


def work() -> None:
    """Do all jobs that wait, as a worker would."""
    for job in Job.objects.filter(state=Job.State.WAITING):
        run_job(job.pk)
        job.refresh_from_db()
        assert job.state == Job.State.DONE, (job.kind, job.message)


def make_world() -> World:
    """The people, and assignments without papers."""
    number_apart()
    now = timezone.now()
    course = Course.objects.create(name="Algorithms", time_zone="Europe/Athens")
    sections = [Section.objects.create(course=course, name=name) for name in ("Monday", "Friday")]
    made = {}
    for at in sorted(range(len(NAMES)), key=lambda at: (at * 5) % len(NAMES)):
        code = f"sid{(at * 7919 + 4211) % 9973:04d}zq"
        person = Person.objects.create_user(
            f"login.{code}", PASSWORD, name=NAMES[at], email=f"{NAMES[at][:4].lower()}.{code}@mail.example.edu"
        )
        team = "crew-vexnor" if at in TEAM else f"crew-{code[::-1]}"
        made[at] = Member.objects.create(
            course=course, person=person, role=Role.STUDENT, student=code, team=team, section=sections[0]
        )

    def staff(name: str, role: Role, where: Course) -> Member:
        person = Person.objects.create_user(
            f"{name.lower()}@example.org", PASSWORD, name=name, makes_courses=role == Role.INSTRUCTOR
        )
        return Member.objects.create(course=where, person=person, role=role)

    botany = Course.objects.create(name="Botany")
    person = Person.objects.create_user("oz@example.org", PASSWORD, name="Oz")
    deadlines = {"hand_in_by": now + timedelta(days=1), "rank_by": now + timedelta(days=8)}
    common = {"papers_each": 3, "takes_links": True, "in_teams": True, "comments": True, "task": "Answer.", **deadlines}
    common |= {"instructions": "Judge fairly.", "solution": "Forty-two."}
    world = World(
        course=course,
        instructor=staff("Ida", Role.INSTRUCTOR, course),
        assistant=staff("Asa", Role.ASSISTANT, course),
        students=[made[at] for at in range(len(NAMES))],
        outsider=Member.objects.create(course=botany, person=person, role=Role.STUDENT, student="oz"),
        stranger=staff("Stan", Role.INSTRUCTOR, botany),
        assignment=Assignment.objects.create(
            course=course, title="Essay", stage=Stage.HANDING_IN, seed=20_261_116, **common
        ),
        other=Assignment.objects.create(course=course, title="Poem", stage=Stage.HANDING_IN, **common),
        draft=Assignment.objects.create(course=course, title="Secret", **common),
        elsewhere=Assignment.objects.create(course=course, title="Theirs", stage=Stage.HANDING_IN, **common),
        marked=Assignment.objects.create(
            course=course, title="Riddle", stage=Stage.HANDING_IN, **{**common, "in_teams": False, "comments": False}
        ),
    )
    world.elsewhere.sections.set(sections[1:])
    return world


def hand_in(world: World) -> None:
    """All papers but the late one come in, by the page; one twice, one by staff, one is held."""
    for at, member in enumerate(world.students):
        if at in (TEAM[1], LATE, EMPTY):
            continue
        data = sent_by(at, member)
        if at == ON_BEHALF:
            address, client = f"/assignments/{world.assignment.pk}/papers/hand-in/", entered(world.instructor)
            data["student"] = member.student
        else:
            address, client = f"/assignments/{world.assignment.pk}/hand-in/", entered(member)
        if at == 6:
            assert client.post(address, {"how": "text", "text": "An earlier version."}).status_code == 302
        response = client.post(address, data)
        assert response.status_code == 302, response.content.decode()
    for where in (world.assignment, world.other):
        member = world.students[EMPTY] if where == world.assignment else world.student
        said = f"This is by {member.person.name}."
        response = entered(member).post(f"/assignments/{where.pk}/hand-in/", {"how": "text", "text": said})
        assert response.url.endswith("/anyway/")
    work()
    # Other times for all, to see whether one of them can be seen by others.
    for at, version in enumerate(Version.objects.order_by("pk")):
        back = timedelta(days=2, hours=at % 5, minutes=13 * at % 60, seconds=at)
        Version.objects.filter(pk=version.pk).update(handed_in_at=version.handed_in_at - back)
    removed = world.students[REMOVED]
    Member.objects.filter(pk=removed.pk).update(removed_at=timezone.now())
    removed.refresh_from_db()


def begin_ranking(world: World) -> None:
    """The papers go out; somebody has more time to hand in."""
    now = timezone.now()
    by, late = world.instructor.person, world.students[LATE]
    grant(world.assignment, late, now + timedelta(days=2), None, "was ill", by, now)
    move(world.assignment, Stage.RANKING, by, now)
    work()


def rank(world: World) -> None:
    """Most rank, with comments; problems are reported and answered; a late paper joins; a top-up is made."""
    page = f"/assignments/{world.assignment.pk}/ranking/"
    asked = [member for member in world.there if Slot.objects.filter(grader=member).exists()]
    for member in asked[:-2]:
        assert entered(member).post(f"{page}hand-in/", filled(world, member)).status_code == 302
    member = asked[-2]
    world.names["unfinished_id"] = member.pk
    tokens = list(Slot.objects.filter(grader=member).values_list("token", flat=True))
    content = {"orders": {"0": [tokens[:1]]}, "unjudged": tokens[1:2], "comments": {tokens[0]: "Well begun."}}
    sent = {"revision": 0, "client": "page", "number": 1, "content": content}
    response = entered(member).post(f"{page}save/", json.dumps(sent), content_type="application/json")
    assert response.status_code == 200, response.content
    for number, slot in enumerate(Slot.objects.filter(assignment=world.assignment).order_by("pk")[::3]):
        problem = report(slot, Problem.Kind.PLAGIARISM, "I have read this before.", slot.grader.person)
        if number % 2:
            answer(problem, "It is all right.", world.instructor.person)
    late = world.students[LATE]
    response = entered(late).post(f"/assignments/{world.assignment.pk}/hand-in/", sent_by(LATE, late))
    assert response.status_code == 302, response.content
    Version.objects.filter(handed_in_by=late).update(handed_in_at=timezone.now() - timedelta(days=1, hours=7))
    handouts.enqueue_late_handout(world.assignment)
    work()
    # One has said yes to more papers, another is still asked.
    handouts.enqueue_top_up(world.assignment, 4, among=[asked[0].pk, asked[2].pk])
    work()
    Offer.objects.create(assignment=world.assignment, member=world.student, papers=2, rankings_each=4)
    Paper.objects.filter(authorships__member=world.students[3]).update(
        withdrawn_at=timezone.now(), withdrawn_because="It is on another site."
    )


def filled(world: World, member: Member) -> dict[str, object]:
    """The form of the ranking page, with a place and a comment for every paper."""
    slots = Slot.objects.filter(assignment=world.assignment, grader=member)
    ballot = Ballot.objects.filter(assignment=world.assignment, grader=member).first()
    data: dict[str, object] = {"revision": ballot.revision if ballot else 0, "client": "form", "number": 0}
    for slot in slots:
        data[f"place-{slot.token}"] = slot.position + 1
        data[f"comment-{slot.token}"] = f"A remark on paper {slot.position}."
    return data


def release(world: World) -> Release:
    """Marks and comments are out, by a new result that was made while ranking stood still for a moment."""
    assignment, by, now = world.assignment, world.instructor.person, timezone.now()
    Assignment.objects.filter(pk=assignment.pk).update(stage=Stage.REVIEW)
    assignment.refresh_from_db()
    result = request_result(assignment, by, "borda")
    work()
    result.refresh_from_db()
    choose_result(assignment, result, by, Basis.objects.get(assignment=assignment).revision)
    set_scale(assignment, {"marks": "percentile"}, by, Basis.objects.get(assignment=assignment).revision)
    made = Release.objects.create(
        assignment=assignment,
        number=assignment.releases.count() + 1,
        result=result,
        settings={"marks": "percentile"},
        decisions=decisions_in_force(assignment),
        due_at=now,
        published_at=now,
        signed_off_by=by,
    )
    Assignment.objects.filter(pk=assignment.pk).update(stage=Stage.RANKING)
    assignment.refresh_from_db()
    return made


def compute_another(world: World) -> None:
    """Another result to compare with; then a ranking is excluded."""
    assignment, by = world.assignment, world.instructor.person
    Assignment.objects.filter(pk=assignment.pk).update(stage=Stage.REVIEW)
    result = request_result(assignment, by, "borda", upside_down=True)
    work()
    excluded = decide(assignment, Decision.Kind.EXCLUDE, world.student, "", "It was made in a second.", by)
    world.names |= {"other": result.number, "exclusion_id": excluded.pk}
    Assignment.objects.filter(pk=assignment.pk).update(stage=Stage.RANKING)


def finish(world: World) -> None:
    """Four students do a second assignment, from their papers to marks that one of them has seen."""
    marked, by, now = world.marked, world.instructor.person, timezone.now()
    for at, member in enumerate(world.students[:4]):
        paper = submit_paper(marked, member, f"I say {marker(at)}.")
        Version.objects.filter(paper=paper).update(handed_in_at=now - timedelta(days=4, minutes=17 * at))
    work()
    move(marked, Stage.RANKING, by, now)
    work()
    for member in world.students[:4]:
        submit_ranking(marked, member)
    # By hand: a step would compute a result by the default rule, which takes longer.
    Assignment.objects.filter(pk=marked.pk).update(stage=Stage.REVIEW)
    request_result(marked, by, "borda")
    work()
    set_scale(marked, {"marks": "percentile"}, by, Basis.objects.get(assignment=marked).revision)
    choice = ReleaseChoice(marks=True, comments=True, tells=False, seen=fingerprint(draft_release(marked)))
    made = sign_off(marked, by, choice, None, now - GRACE)
    assert publish_due(now) == 1
    Look.objects.create(release=made, member=world.student)
    marked.refresh_from_db()


def furnish(world: World) -> None:
    """Things that only staff see, so that every address has something behind it."""
    now = timezone.now()
    member = world.student
    world.names |= {
        "suffix": "csv",
        "course_id": world.course.pk,
        "assignment_id": world.assignment.pk,
        "member_id": world.students[2].pk,
        "upload_id": RosterUpload.objects.create(
            course=world.course,
            by=world.instructor.person,
            name="roster.csv",
            content=b"student,name\nnew1,Newt\n",
            parsed={"rows": [[2, "new1", "Newt", None, None, None, None]], "notes": []},
        ).pk,
        "extension_id": Extension.objects.create(
            assignment=world.assignment, member=world.students[2], rank_by=now + timedelta(days=20)
        ).pk,
        "attachment_id": attach(
            world.assignment,
            SimpleUploadedFile("data.csv", b"x,y\n1,2\n"),
            Attachment.Audience.TASK,
            world.instructor.person,
        ).pk,
        "problem_id": Problem.objects.filter(answered_at=None).order_by("pk")[0].pk,
        "job_id": Job.objects.filter(assignment_id=world.assignment.pk).order_by("enqueued_at")[0].pk,
        "paper_id": Paper.objects.get(assignment=world.assignment, authorships__member=world.students[2]).pk,
        "number": 1,
        "to": "review",
        "link": make_link(world.students[3].person).rstrip("/").rpartition("/")[2],
    }
    compute_another(world)
    for purpose, name in ((Confirmation.Purpose.PASSWORD, "reset"), (Confirmation.Purpose.ADDRESS, "confirm")):
        world.names[name] = new_token()
        Confirmation.objects.create(
            person=world.instructor.person,
            purpose=purpose,
            email=world.instructor.person.email,
            digest=digest(world.names[name]),
            ends_at=now + timedelta(days=1),
        )
    # By somebody who is no one of the roles, so that it stays open whatever becomes of these.
    irma = enrol(world.course, "Irma", Role.INSTRUCTOR)
    (invitation,) = invite(world.course, irma.person, [Invitee("Tove", "tove@example.org", Role.INSTRUCTOR)])
    world.names["invitation"] = invitation_link(invitation, emailed=True).rstrip("/").rpartition("/")[2]
    world.names["invitation_id"] = invitation.pk
    make_link(world.students[2].person)
    world.names["link_id"] = Link.objects.filter(person=world.students[2].person).latest("pk").pk
    world.names["version_id"] = Version.objects.get(paper=world.names["paper_id"]).pk
    pictured = Slot.objects.filter(assignment=world.assignment, grader=member, paper__current__pages__number=1)
    world.names["token"] = pictured[0].token
    Mail.objects.create(
        person_id=member.person.pk, course_id=world.course.pk, key="a mail", subject="Hello", body="{link}", tries=6
    )
    commented = comment_texts(Paper.objects.get(assignment=world.assignment, authorships__member=member).pk)
    world.names["slot_id"] = min(commented)
    world.names["comment_key"] = comment_key(min(commented))
    # A decision on the paper of somebody, and others that wait to be made.
    paper = Paper.objects.get(assignment=world.assignment, authorships__member=world.students[6])
    made = decide(world.assignment, Decision.Kind.PENALTY, paper, "5", "A day late.", world.instructor.person)
    plan = [world.assignment.pk, [("mark", paper.pk, "60", "Read again.", None)]]
    world.names |= {"decision_id": made.pk, "file": "grades.csv", "plan": signing.dumps(plan, salt=SALT)}
    # Alive for as long as the tests may take.
    Heartbeat.objects.create(worker="tests", at=now + timedelta(days=1))
    Link.objects.filter(person=world.student.person).update(last_used_at=now)
