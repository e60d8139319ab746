"""The audit log, as instructors read it."""

import ast
import csv
import io
import json
import re
from datetime import UTC, datetime, timedelta
from html import unescape
from itertools import pairwise
from pathlib import Path

import pytest
from django.utils import timezone

from peerorder import web
from peerorder.web.assignments import extensions
from peerorder.web.assignments.models import Assignment, Stage
from peerorder.web.assignments.services import change
from peerorder.web.audit.models import Event
from peerorder.web.audit.registry import ACCOUNT_VERBS, MESSAGES, STRANGERS
from peerorder.web.audit.services import record
from peerorder.web.lifecycle import services
from peerorder.web.people.models import Person
from tests.web.audit_details import is_innocent


def page(client, course, query=""):
    answer = client.get(f"/courses/{course.pk}/log/{query}")
    assert answer.status_code == 200
    return answer.content.decode()


def test_it_tells_who_did_what(course, assignment, students, instructor, enter):
    change(assignment, {"title": "Long essay"}, ["title"], instructor.person)
    until = assignment.hand_in_by + timedelta(days=1)
    extensions.grant(assignment, students[0], until, None, "ill", instructor.person, timezone.now())
    services.move(assignment, Stage.DRAFT, instructor.person, timezone.now())
    record("exploded", None, assignment=assignment, pieces=7)
    shown = page(enter(instructor), course)
    assert "changed the settings: title" in shown
    assert "gave Bo an extension (handing in: " in shown
    assert "moved the assignment from “handing in” to “draft”" in shown
    # What is not in the table is shown all the same.
    assert "Automatically:</strong> exploded, pieces: 7" in shown
    assert shown.index("exploded") < shown.index("moved the assignment") < shown.index("gave Bo")


def test_names_are_those_of_now(course, students, instructor, enter):
    record("member removed", instructor.person, course=course, member=students[0].pk)
    assert "removed Bo from the course" in page(enter(instructor), course)
    Person.objects.filter(pk=students[0].person_id).update(name="", email="")
    students[0].student = "x7k2"
    students[0].save()
    shown = page(enter(instructor), course)
    assert "removed x7k2 from the course" in shown
    assert "removed Bo" not in shown


def test_it_is_filtered(course, assignment, students, instructor, assistant, enter):
    other = Assignment.objects.create(course=course, title="Poem")
    record("exported", instructor.person, assignment=assignment)
    record("moved", assistant.person, assignment=other, was="draft", to="handing-in")
    record("member changed", instructor.person, course=course, member=students[0].pk)
    client = enter(instructor)
    shown = page(client, course, f"?assignment={other.pk}")
    assert "moved the assignment" in shown
    assert "exported everything" not in shown
    shown = page(client, course, "?person=asa")
    assert "moved the assignment" in shown
    assert "exported everything" not in shown
    # What was done to somebody is found, too.
    assert "changed the entry of Bo" in page(client, course, "?person=bo")
    assert '<ol class="log">' not in page(client, course, "?person=nobody")
    for nonsense in ("?assignment=x", "?assignment=99999999999999999999999", "?page=x", "?page=99"):
        page(client, course, nonsense)


def test_it_has_pages(course, instructor, enter):
    now = timezone.now()
    for number in range(420):
        # Several at the same moment, also where one page ends.
        Event.objects.create(
            verb="counted", course_id=course.pk, at=now - timedelta(days=number // 50), details={"n": number}
        )
    client, seen, query = enter(instructor), [], ""
    for _page in range(3):
        shown = page(client, course, query)
        seen.append({int(number) for number in re.findall(r"counted, n: (\d+)<", shown)})
        query = unescape(re.findall(r'href="(\?[^"]*after=[^"]*)"', shown)[0]) if len(seen) < 3 else ""
    assert [len(each) for each in seen] == [200, 200, 20]
    assert set.union(*seen) == set(range(420))
    assert min(seen[2]) == 400
    for nonsense in ("?after=x", "?after=~", "?after=2026-01-01T00:00:00Z~" + "9" * 30, "?after=2026-13-01T00:00Z~1"):
        assert "n: 49<" in page(client, course, nonsense)


def test_days_are_those_of_the_course(course, instructor, enter):
    for hour in (21, 23):
        at = datetime(2026, 3, 1, hour, 30, tzinfo=UTC)
        Event.objects.create(verb="counted", course_id=course.pk, at=at, details={"hour": hour})
    client = enter(instructor)
    # In Athens the second one is on the next day.
    for query, hours in (
        ("?since=2026-03-02", {23}),
        ("?until=2026-03-01", {21}),
        ("?since=2026-03-01&until=2026-03-02", {21, 23}),
        ("?since=2026-99-01&until=x", {21, 23}),
        ("?until=9999-12-31", {21, 23}),
    ):
        shown = page(client, course, query)
        assert {int(hour) for hour in re.findall(r"hour: (\d+)<", shown)} == hours


# Export.


def export(client, course, suffix, query=""):
    answer = client.get(f"/courses/{course.pk}/log/audit-log.{suffix}{query}")
    assert answer.status_code == 200
    return b"".join(answer.streaming_content).decode()


def test_what_is_found_is_exported(course, students, instructor, enter):
    record("member removed", instructor.person, course=course, member=students[0].pk)
    record("course made", instructor.person, course=course)
    client = enter(instructor)
    text = export(client, course, "csv", "?person=bo")
    assert text.startswith("\ufeff")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [(row["verb"], row["who"], row["about"]) for row in rows] == [
        ("member removed", "Ida", str(students[0].person_id))
    ]
    lines = [json.loads(line) for line in export(client, course, "jsonl").splitlines()]
    # Newest first, and the export itself is in it.
    assert [line["verb"] for line in lines] == [
        "audit log exported",
        "audit log exported",
        "course made",
        "member removed",
    ]
    assert lines[-1]["details"] == {"member": students[0].pk}
    assert client.get(f"/courses/{course.pk}/log/audit-log.exe").status_code == 404


def test_formulas_in_names_stay_text(course, students, instructor, enter):
    Person.objects.filter(pk=instructor.person_id).update(name='=HYPERLINK("http://evil.example")')
    record("course made", instructor.person, course=course)
    rows = list(csv.DictReader(io.StringIO(export(enter(instructor), course, "csv"))))
    assert rows
    assert all(row["who"].startswith("'=") for row in rows)


def test_many_of_one_kind_are_one_line(course, assignment, students, instructor, enter):
    other = Assignment.objects.create(course=course, title="Poem")
    for student in students:
        record("ranking handed in", student.person, assignment=assignment, revision=1)
        if student in students[:3]:
            record("exported", instructor.person, assignment=other)
    record("exported", instructor.person, assignment=assignment)
    record("moved", instructor.person, assignment=assignment, was="ranking", to="review")
    client = enter(instructor)
    shown = page(client, course)
    assert shown.count("<details>") == 1
    assert "8 rankings handed in" in shown
    assert "(8 people)" in shown
    # What is folded is there to be unfolded; few of a kind are not folded.
    assert shown.count("handed in a ranking</span>") == 8
    assert shown.count("exported everything") == 4


def test_steps_from_stage_to_stage_are_never_folded(course, assignment, instructor, enter):
    """m18: what matters most was folded."""
    stages = ("draft", "handing-in", "ranking", "review", "released", "review")
    for was, to in pairwise(stages):
        record("moved", instructor.person, assignment=assignment, was=was, to=to)
    shown = page(enter(instructor), course)
    assert "<details>" not in shown
    assert shown.count("moved the assignment from") == len(stages) - 1


def test_one_kind_alone(course, assignment, students, instructor, enter):
    record("exported", instructor.person, assignment=assignment)
    record("ranking handed in", students[0].person, assignment=assignment, revision=1)
    client = enter(instructor)
    shown = page(client, course, "?kind=exported")
    assert "exported everything" in shown
    assert "handed in a ranking" not in shown
    assert '<option value="exported" selected>' in shown
    assert "handed in a ranking" in page(client, course, "?kind=nonsense&person=BO")


def test_other_courses_are_not_in_it(course, instructor, outsider, enter):
    record("exploded", outsider.person, course=outsider.course)
    assert "exploded" not in page(enter(instructor), course)


def test_only_instructors(course, students, assistant, outsider, enter, client):
    path = f"/courses/{course.pk}/log/"
    assert client.get(path).status_code == 302
    for member, status in ((assistant, 403), (students[0], 403), (outsider, 404)):
        assert enter(member).get(path).status_code == status


def verbs_in(code: str) -> set[str]:
    """The verbs that a module records; every one is written out, or this could not look for it."""
    verbs, tree = set(), ast.parse(code)
    constants = {
        each.targets[0].id: each.value
        for each in tree.body
        if isinstance(each, ast.Assign) and isinstance(each.targets[0], ast.Name)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("record", "note"):
            verb = node.args[0]
            choices = (verb.body, verb.orelse) if isinstance(verb, ast.IfExp) else (verb,)
            choices = [constants.get(each.id) if isinstance(each, ast.Name) else each for each in choices]
            assert all(isinstance(each, ast.Constant) for each in choices), ast.unparse(node)
            verbs |= {each.value for each in choices}
    return verbs


def test_every_verb_has_a_sentence_and_a_name_for_many():
    verbs = set().union(*(verbs_in(path.read_text()) for path in Path(web.__file__).parent.rglob("*.py")))
    assert len(verbs) > 60
    assert verbs <= set(MESSAGES)
    assert all(str(sentence) and str(plural) for sentence, plural in MESSAGES.values())


def test_verbs_about_accounts_are_verbs():
    assert set(MESSAGES) >= ACCOUNT_VERBS | STRANGERS


def test_only_ids_numbers_times_and_words_of_ours_are_innocent():
    """A test of the test that every other test goes through (``ids_only``)."""
    for value in (None, 7, True, "student", "2026-11-17T05:00:00+00:00", "Europe/Athens", ["name", "email"], "ab" * 16):
        assert is_innocent(value)
    for value in ("Ida", "ida@example.edu", "essay.pdf", "I know them", ["name", "Ida"], {"name": "Ida"}, "4711"):
        assert not is_innocent(value)
    with pytest.raises(AssertionError, match="ids only"):
        record("x", None, name="Ida Berg")
