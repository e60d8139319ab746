"""Marks as files: from the page, from the command line on an export, in a gradebook; and decisions from a file."""

import codecs
import csv
import io
import shlex
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from peerorder.cli import run
from peerorder.files.tables.platforms import BLACKBOARD, CANVAS, MOODLE, OPEN_EDX
from peerorder.web.audit.messages import describe
from peerorder.web.audit.models import Event
from peerorder.web.lifecycle.export import export_of
from peerorder.web.papers.services import withdraw
from peerorder.web.results import services
from peerorder.web.results.gradebooks import System
from peerorder.web.results.mark_files import FileName
from peerorder.web.results.mark_sheets import decisions_in_force, draft_sheet
from peerorder.web.results.models import Basis, Decision, Release
from tests.web.factories import run_waiting
from tests.web.results.conftest import compute, set_scale

MARK, ANCHOR, PENALTY, EXCLUDE = Decision.Kind


def page(assignment, name, *ids):
    return reverse(f"results:{name}", args=[assignment.pk, *ids])


def marks_of(assignment):
    return {pk: each.mark for pk, each in draft_sheet(assignment).students.items()}


def released(assignment, by):
    basis = Basis.objects.get(assignment=assignment)
    return Release.objects.create(
        assignment=assignment,
        number=1,
        result=basis.result,
        settings=basis.settings,
        decisions=decisions_in_force(assignment),
        due_at=timezone.now(),
        published_at=timezone.now(),
        signed_off_by=by,
    )


def exported(assignment):
    with export_of(assignment) as file:
        return zipfile.ZipFile(io.BytesIO(file.read()))


def rows(content):
    return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"))))


# Files.


@pytest.mark.parametrize(
    ("rule", "settings"),
    [
        (
            "borda",
            {"marks": "curve:mean=65.5,sd=8,low=0,high=100", "penalty": 12.5, "absent": 3.0, "unranked": "place"},
        ),
        ("posterior", {"marks": "anchors", "anchors_points": 100.0, "review": "done=50,reliable=50"}),
    ],
)
def test_the_page_and_the_command_line_on_the_export_give_the_same_bytes(
    ranked, instructor, papers, students, enter, tmp_path, monkeypatch, rule, settings
):
    by = instructor.person
    compute(ranked, by, rule)
    services.decide(ranked, EXCLUDE, students[0], "", "Ranked by length.", by)
    services.choose_result(ranked, compute(ranked, by, rule), by, 1)
    for paper, mark in ((papers[6], "40%"), (papers[0], "90,5"), (papers[3], "70")):
        services.decide(ranked, ANCHOR, paper, mark, "Marked by staff.", by)
    set_scale(ranked, by, **settings)
    services.decide(ranked, MARK, papers[2], "61,5", 'Read "twice",\nby two of us.', by)
    services.decide(ranked, PENALTY, papers[4], "7", "A day late.", by)
    client = enter(instructor)
    sent = {name: client.get(page(ranked, "file", name)).content for name in ("grades.csv", "marks.csv", "graders.csv")}
    exported(ranked).extractall(tmp_path)
    for name, content in sent.items():
        assert (tmp_path / name).read_bytes() == content
        (tmp_path / name).unlink()
    command = next(
        line for line in (tmp_path / "README.txt").read_text().splitlines() if line.startswith("peerorder grade")
    )
    monkeypatch.chdir(tmp_path)
    assert run(shlex.split(command)[1:]) == 0
    for name, content in sent.items():
        assert (tmp_path / name).read_bytes() == content, name
    marks = {row["student"]: float(row["mark"]) for row in rows(sent["marks.csv"])}
    assert marks == {each.student: marks_of(ranked)[each.pk] for each in students}
    assert "Paper" in (tmp_path / "report.html").read_text() or "paper" in (tmp_path / "report.html").read_text()


def test_every_download_is_recorded_and_names_its_kind(marked, instructor, papers, enter):
    services.decide(marked, MARK, papers[2], "61", "Read twice.", instructor.person)
    client = enter(instructor)
    for name in client.get(page(marked, "files")).context["names"]:
        answer = client.get(page(marked, "file", name))
        assert answer.status_code == 200
        assert name in answer["Content-Disposition"]
        for_people = name in ("marks.csv", "overrides.csv", "anchors.csv")
        assert answer.content.startswith(codecs.BOM_UTF8) == for_people
    events = Event.objects.filter(verb="marks file")
    assert {each.details["file"] for each in events} == set(FileName.values)
    assert {each.what for each in describe(events)} == {f"downloaded {name}" for name in FileName.values}
    assert client.get(page(marked, "file", "secrets.csv")).status_code == 404


def test_files_of_a_release_do_not_follow_the_draft(marked, instructor, papers, students, enter):
    client = enter(instructor)
    before = client.get(page(marked, "file", "marks.csv")).content
    released(marked, instructor.person)
    services.decide(marked, MARK, papers[2], "12", "Read twice.", instructor.person)
    assert client.get(page(marked, "file", "marks.csv"), {"release": "1"}).content == before
    assert client.get(page(marked, "file", "marks.csv")).content != before
    for number in ("2", "x", "-1", "9" * 30):
        assert client.get(page(marked, "file", "marks.csv"), {"release": number}).status_code == 404
    # The export has what students see.
    archive = exported(marked)
    assert archive.read("marks.csv") == before
    assert "release 1" in archive.read("README.txt").decode()


def test_an_export_without_marks_has_no_files_of_them_and_one_that_is_old_says_so(ranked, instructor, papers):
    assert "grades.csv" not in exported(ranked).namelist()
    compute(ranked, instructor.person)
    assert "grades.csv" in exported(ranked).namelist()
    assert "marks.csv" not in exported(ranked).namelist()
    assert "changed since" not in exported(ranked).read("README.txt").decode()
    withdraw(papers[0], instructor.person, "Empty.")
    assert "changed since" in exported(ranked).read("README.txt").decode()


# Gradebooks.


def canvas(students):
    lines = [f"{each},{each.pk},{each.student},{each.student},Monday,,12" for each in students]
    header = "Student,ID,SIS User ID,SIS Login ID,Section,Essay (17),Poem (18)\n    Points Possible,,,,,50,20\n"
    return (header + "\n".join(lines) + "\n").encode()


def test_all_systems_have_names():
    assert System.values == [each.name for each in (CANVAS, MOODLE, BLACKBOARD, OPEN_EDX)]


@pytest.mark.usefixtures("real_sandbox")
def test_a_gradebook_comes_back_filled(marked, instructor, students, enter):
    client, address = enter(instructor), page(marked, "gradebook")
    sent = canvas(students[:-1])
    answer = client.post(address, {"file": SimpleUploadedFile("Grades 2026.csv", sent)})
    assert answer.status_code == 200
    assert "grades-2026-filled.csv" in answer["Content-Disposition"]
    marks = marks_of(marked)
    filled = {row["SIS User ID"]: row["Essay (17)"] for row in rows(answer.content)}
    assert {each.student: float(filled[each.student]) for each in students[:-1]} == {
        each.student: pytest.approx(marks[each.pk] / 2, abs=0.006) for each in students[:-1]
    }
    assert Event.objects.get(verb="gradebook filled").details == {"filled": 7, "system": "Canvas"}
    # Asked by htmx it says what would happen, and sends no file.
    asked = client.post(address, {"file": SimpleUploadedFile("g.csv", sent)}, headers={"HX-Request": "true"})
    assert asked.context["book"].books[0]["missing"] == [students[-1].student]
    assert "Content-Disposition" not in asked


def test_a_gradebook_of_another_course_is_refused(marked, instructor, students, outsider, enter):
    client, address = enter(instructor), page(marked, "gradebook")
    for content, more in (
        (canvas([outsider]), {}),
        (b"just,some\ntable,of\n", {}),
        (b"\x89PNG\r\n\x1a\n\x00\xff", {}),
        (canvas(students), {"column": "Nothing of the kind"}),
        (canvas(students), {"column": "Poem"}),
    ):
        answer = client.post(address, {"file": SimpleUploadedFile("g.csv", content), **more})
        assert answer.status_code == 422
        assert answer.context["problem"]
        assert "`" not in answer.context["problem"]
    assert not Event.objects.filter(verb="gradebook filled").exists()


# Decisions from a file.


def upload(client, assignment, text, name="decisions.csv"):
    content = text if isinstance(text, bytes) else text.encode()
    return client.post(page(assignment, "upload-decisions"), {"file": SimpleUploadedFile(name, content)})


@pytest.mark.usefixtures("real_sandbox")
def test_decisions_from_a_file_are_shown_then_made_all_at_once(marked, instructor, papers, students, enter):
    client = enter(instructor)
    kept = services.decide(marked, MARK, papers[0], "61", "Read twice.", instructor.person)
    old = services.decide(marked, MARK, papers[1], "62", "Read twice.", instructor.person)
    text = (
        "student,decision,value,reason\nbo,mark,61,Read twice.\ncy,mark,33,Read again.\ndi,penalty,5,A day late.\n"
        "ed,penalty,5,A day late.\n"
    )
    shown = upload(client, marked, text)
    assert shown.status_code == 200
    assert shown.context["plan"].unchanged == 1
    assert {each.member for _member, each in shown.context["changes"]} == {each.pk for each in students[1:4]}
    assert Decision.objects.count() == 2
    before = marks_of(marked)
    assert client.post(page(marked, "apply-decisions"), {"plan": shown.context["token"]}).status_code == 302
    after = marks_of(marked)
    assert after == {each.member: each.after.mark for _member, each in shown.context["changes"]} | {
        pk: before[pk] for pk in before if pk not in {each.pk for each in students[1:4]}
    }
    old.refresh_from_db()
    assert old.undone_because == "Read again."
    assert Decision.objects.get(paper=papers[0]) == kept
    # Sent twice, it is told what happened.
    assert client.post(page(marked, "apply-decisions"), {"plan": shown.context["token"]}).status_code == 409
    # What is exported says nothing new.
    again = upload(client, marked, client.get(page(marked, "file", "overrides.csv")).content)
    assert (again.context["plan"].decisions, again.context["plan"].unchanged) == ((), 4)


def test_all_that_is_wrong_with_a_file_is_said_at_once(marked, instructor, outsider, students, enter):
    text = (
        f"student,decision,value,reason\n{outsider.student},mark,50,why\nbo,mark,101,why\ncy,mark,50,\n"
        f"di,praise,50,why\n{students[-1].student},exclude,,why\nfay,penalty,5,{'x' * 501}\ned,exclude,5,why\n"
    )
    shown = upload(enter(instructor), marked, text)
    assert shown.status_code == 422
    found = {(each.row, each.column) for each in shown.context["problems"]}
    wrong = {(2, "student"), (3, "value"), (4, "reason"), (5, "decision"), (6, "student"), (7, "reason"), (8, "value")}
    assert found == wrong
    assert not Decision.objects.exists()


def test_files_that_are_none_change_nothing(marked, instructor, students, enter):
    client = enter(instructor)
    for content, name in ((b"", "d.csv"), (b"a,b\n1,2\n", "d.csv"), (b"PK\x03\x04nonsense", "d.xlsx")):
        assert upload(client, marked, content, name).status_code == 422
    many = "student,decision,value,reason\n" + "bo,mark,50,why\n" * 2001
    assert upload(client, marked, many).status_code == 422
    for plan in ("", "nonsense", "a:b:c"):
        assert client.post(page(marked, "apply-decisions"), {"plan": plan}).status_code == 400
    assert not Decision.objects.exists()


def test_an_exclusion_that_is_in_force_may_stand_in_the_file(marked, instructor, students, enter):
    services.decide(marked, EXCLUDE, students[0], "", "Ranked by length.", instructor.person)
    shown = upload(enter(instructor), marked, "grader,decision,value,reason\nbo,exclude,,Ranked by length.\n")
    assert (shown.status_code, shown.context["plan"].unchanged) == (200, 1)


def test_a_file_excludes_rankings_from_one_new_result(marked, instructor, papers, students, enter):
    client = enter(instructor)
    text = "student,grader,decision,value,reason\n,bo,exclude,,By length.\n,cy,exclude,,By colour.\nbo,,mark,33,Read.\n"
    shown = upload(client, marked, text)
    assert (shown.status_code, shown.context["plan"].excluded, shown.context["changed"]) == (200, 2, 1)
    answer = client.post(page(marked, "apply-decisions"), {"plan": shown.context["token"]})
    assert answer.url == reverse("results:comparison", args=[marked.pk, 2, 1])
    assert set(Decision.objects.filter(kind=EXCLUDE).values_list("grader", "reason")) == {
        (students[0].pk, "By length."),
        (students[1].pk, "By colour."),
    }
    assert marks_of(marked)[students[0].pk] == 33
    run_waiting()
    (new,) = marked.results.filter(number__gt=1)
    assert len(new.excluded) == 2
    assert new.is_ready
    # What is in force is no news.
    again = upload(client, marked, client.get(page(marked, "file", "overrides.csv")).content)
    assert again.context["plan"].unchanged == 1
    assert upload(client, marked, text).context["plan"].unchanged == 3
