"""Erase a person: nothing of them is left, and rankings stay."""

from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connection

from peerorder.files import table_bytes
from peerorder.web.assignments.models import Extension
from peerorder.web.audit.models import Event
from peerorder.web.courses.models import Member, RosterUpload
from peerorder.web.courses.services import rosters
from peerorder.web.home import erasure
from peerorder.web.home.erasure import erase_member
from peerorder.web.mail.messages import Message
from peerorder.web.mail.services import queue
from peerorder.web.papers.models import Authorship, Kind, Page, Paper, PendingSubmission, Version
from peerorder.web.people.links import make_link
from peerorder.web.people.models import Person
from peerorder.web.people.passwords import set_password
from peerorder.web.ranking.models import Ballot, Handout, Problem, Save, Slot


def everything() -> str:
    """All that is in the database, as text."""
    found = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')
            for row in cursor.fetchall():
                cells = (bytes(cell) if isinstance(cell, memoryview) else cell for cell in row)
                found.append(
                    repr([cell.decode("utf-8", "replace") if isinstance(cell, bytes) else cell for cell in cells])
                )
    return "\n".join(found).lower()


def paper_of(assignment, *members):
    paper = Paper.objects.create(assignment=assignment)
    version = Version.objects.create(
        paper=paper,
        kind=Kind.PDF,
        text="By Xanthippe",
        file=ContentFile(b"Xanthippe's", "x.pdf"),
        original_name="xanthippe-essay.pdf",
        digest="0",
        size=1,
        handed_in_by=members[0],
    )
    Page.objects.create(
        version=version, number=1, image=ContentFile(b"x", "x.webp"), width=1, height=1, text="Xanthippe wrote this"
    )
    Paper.objects.filter(pk=paper.pk).update(current=version)
    for member in members:
        Authorship.objects.create(assignment=assignment, paper=paper, member=member)
    return paper


@pytest.fixture
def xan(course, instructor, students, assignment):
    """Somebody who did everything."""
    roster = b"student,name,email,paper,section\nx4711,Xanthippe,xan@example.edu,,Monday\nbo,Bo,bo@example.edu,,\n"
    upload = rosters.keep_roster(course, instructor.person, "xanthippe.csv", roster)
    rosters.apply_roster(
        upload, instructor.person, rosters.plan_of(upload).digest, remove=False, remove_with_work=False
    )
    workbook = table_bytes(Path("r.xlsx"), {"student": ["x4711"], "name": ["Xanthippe"]})
    rosters.keep_roster(course, instructor.person, "all.xlsx", workbook)
    rosters.keep_roster(course, instructor.person, "others.csv", b"student,name\ncy,Cy\n")
    member = Member.objects.get(student="x4711")
    member.team = "x4711's team"
    member.save()
    set_password(member.person, "correct horse battery")
    make_link(member.person)
    queue(member.person, "key", Message("Hello Xanthippe", "Dear Xanthippe"))
    Extension.objects.create(assignment=assignment, member=member, note="Xanthippe is ill")
    PendingSubmission.objects.create(
        assignment=assignment,
        member=member,
        sent={"kind": "text", "digest": "0", "size": 9, "text": "Xanthippe"},
        shows=["Xanthippe"],
    )
    paper = paper_of(assignment, member)
    handout = Handout.objects.create(assignment=assignment, why="first")
    slot = Slot.written.create(assignment=assignment, handout=handout, grader=students[0], paper=paper, position=0)
    Problem.objects.create(slot=slot, kind="identity", text="It says Xanthippe", answer="Xanthippe, yes")
    ballot = Ballot.objects.create(assignment=assignment, grader=member, content={"order": [["t"]]})
    Save.objects.create(ballot=ballot, revision=1, content={"order": [["t"]]})
    return member


def test_it_works(enter, client, instructor, course, xan, django_capture_on_commit_callbacks):
    names = [*Version.objects.values_list("file", flat=True), *Page.objects.values_list("image", flat=True)]
    assert "xanthippe" in everything()
    assert all(default_storage.exists(name) for name in names)
    address = f"/courses/{course.pk}/people/{xan.pk}/erase/"
    page = enter(instructor).get(address).content.decode()
    assert "type x4711" in page
    with django_capture_on_commit_callbacks(execute=True):
        assert client.post(address, {"typed": "x4711"}).status_code == 302
    left = everything()
    for word in ("xanthippe", "x4711", "xan@example.edu"):
        assert word not in left
    assert not any(default_storage.exists(name) for name in names)
    member = Member.objects.get(pk=xan.pk)
    assert member.student not in ("", "x4711")
    assert member.removed_at is not None
    assert Ballot.objects.get(grader=member).content == {"order": [["t"]]}
    assert Save.objects.count() == 1
    assert not member.person.is_active
    assert Authorship.objects.get().member == member
    assert bytes(RosterUpload.objects.get(name="others.csv").content)
    assert Event.objects.filter(verb="person erased", details__member=xan.pk, details__files=2).exists()


def test_the_pages_of_somebody_erased(enter, client, instructor, course, xan):
    erase_member(xan, instructor.person)
    erase_member(xan, instructor.person)
    address = f"/courses/{course.pk}/people/{xan.pk}/"
    assert "Erased person" in enter(instructor).get(address).content.decode()
    assert client.get(f"/courses/{course.pk}/people/", {"state": "removed"}).status_code == 200
    assert client.post(address + "put-back/").status_code == 409
    assert client.post(address + "link/").status_code == 409
    gone = RosterUpload.objects.filter(name="").first()
    answer = client.get(f"/courses/{course.pk}/people/roster/{gone.pk}/", follow=True)
    assert answer.redirect_chain == [(f"/courses/{course.pk}/people/roster/", 302)]
    assert [message.level_tag for message in answer.context["messages"]] == ["warning"]
    assert client.get(f"/courses/{course.pk}/people/roster/{gone.pk}/changes.csv").status_code == 302
    assert client.post(f"/courses/{course.pk}/people/roster/{gone.pk}/apply/", {"digest": "x"}).status_code == 302


def test_the_id_must_be_typed(enter, client, instructor, course, xan):
    address = f"/courses/{course.pk}/people/{xan.pk}/erase/"
    for typed in ("", "x471", "Xanthippe"):
        answer = enter(instructor).post(address, {"typed": typed})
        assert answer.status_code == 422
        assert "Nothing was erased" in answer.content.decode()
    assert Person.objects.get(pk=xan.person_id).name == "Xanthippe"


def test_who_may_not(enter, assistant, outsider, course, xan, students):
    address = f"/courses/{course.pk}/people/{xan.pk}/erase/"
    assert enter(assistant).post(address, {"typed": "x4711"}).status_code == 403
    assert enter(students[0]).post(address, {"typed": "x4711"}).status_code == 403
    assert enter(outsider).post(address, {"typed": "x4711"}).status_code == 404
    assert "xanthippe" in everything()


def test_not_oneself(enter, instructor, course):
    Person.objects.filter(pk=instructor.person_id).update(makes_courses=False)
    answer = enter(instructor).post(
        f"/courses/{course.pk}/people/{instructor.pk}/erase/", {"typed": instructor.person.email}
    )
    assert answer.status_code == 409
    assert "You cannot erase yourself" in answer.content.decode()


def test_somebody_who_is_logged_in_is_out(enter, client, instructor, xan):
    enter(xan)
    assert client.get("/").status_code == 200
    erase_member(xan, instructor.person)
    assert client.get("/").status_code == 302


def test_a_teams_paper_stays_while_a_team_mate_does(
    instructor, students, assignment, django_capture_on_commit_callbacks
):
    paper = paper_of(assignment, students[0], students[1])
    name = paper.versions.get().file.name
    with django_capture_on_commit_callbacks(execute=True):
        erase_member(students[0], instructor.person)
    version = paper.versions.get()
    assert default_storage.exists(name)
    assert (version.original_name, version.text) == ("", "By Xanthippe")
    with django_capture_on_commit_callbacks(execute=True):
        erase_member(students[1], instructor.person)
    version = paper.versions.get()
    assert (version.text, version.file.name, version.pages.count()) == ("", "", 0)
    assert not default_storage.exists(name)


def test_files_stay_where_erasing_fails(instructor, xan, monkeypatch):
    def dies(*_args):
        raise RuntimeError

    monkeypatch.setattr(erasure, "_wipe_person", dies)
    with pytest.raises(RuntimeError):
        erase_member(xan, instructor.person)
    assert all(default_storage.exists(name) for name in Version.objects.values_list("file", flat=True))
    assert "xanthippe" in everything()
