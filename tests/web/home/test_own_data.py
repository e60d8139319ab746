"""A person's own data: all of it, and nothing about anybody else."""

import io
import json
import zipfile
from datetime import timedelta

import pytest
from django.utils import timezone

from peerorder.web.assignments.models import Extension, Stage
from peerorder.web.audit.models import Event
from peerorder.web.mail.messages import Message
from peerorder.web.mail.services import queue
from peerorder.web.papers.models import Version
from peerorder.web.people.models import Link, Session
from peerorder.web.ranking import handouts
from peerorder.web.ranking.models import Problem, Slot
from peerorder.web.ranking.services import report
from tests.web.factories import complete_ranking, run_waiting, submit_paper, submit_ranking
from tests.web.papers.conftest import make_pdf, upload

ADDRESS = "/account/data/"


@pytest.fixture(autouse=True)
def media(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "uploads"


def downloaded(client) -> tuple[dict, dict[str, bytes]]:
    """The data, and all files."""
    answer = client.post(ADDRESS)
    assert answer.status_code == 200
    assert answer.headers["Content-Disposition"].startswith("attachment")
    assert "no-store" in answer.headers["Cache-Control"]
    with zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content))) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    answer.close()
    return json.loads(files["data.json"]), files


@pytest.fixture
def ranked(enter, client, assignment, students, instructor):
    """A round in which the first student did everything there is to do."""
    sent = make_pdf() + b"\n%hidden\n"
    assignment.comments = True
    assignment.save()
    enter(students[0]).post(f"/assignments/{assignment.pk}/hand-in/", {"how": "file", "file": upload(sent)})
    for number, student in enumerate(students[1:]):
        submit_paper(assignment, student, f"Work number {number} of somebody else")
    run_waiting()
    assignment.stage = Stage.RANKING
    assignment.save()
    handouts.enqueue_first_handout(assignment)
    run_waiting()
    said = complete_ranking(assignment, students[0])
    tokens = [token for tied in said["orders"]["0"] for token in tied]
    said["comments"] = {token: f"My thoughts on number {at}" for at, token in enumerate(tokens)}
    submit_ranking(assignment, students[0], said)
    slot = Slot.objects.filter(grader=students[0]).first()
    report(slot, Problem.Kind.PLAGIARISM, "I know this from somewhere", students[0].person)
    Extension.objects.create(assignment=assignment, member=students[0], note="has a cold", rank_by=timezone.now())
    queue(students[0].person, "k", Message("A subject", "A body"), course_id=assignment.course_id)
    queue(students[1].person, "l", Message("A subject", "A message of somebody else"), course_id=assignment.course_id)
    Link.objects.create(person=students[0].person, digest="d" * 64)
    return sent


def test_everything_of_somebody_is_in_it(enter, client, ranked, students, assignment):
    data, files = downloaded(enter(students[0]))
    assert data["account"]["email"] == "bo@example.edu"
    (course,) = data["courses"]
    assert (course["course"], course["student"]) == ("Algorithms", "bo")
    (paper,) = course["papers"]
    (version,) = paper["versions"]
    assert (version["handed_in_by"], version["counts"], version["original_name"]) == ("you", True, "essay.pdf")
    assert files[version["original"]] == ranked
    assert files[version["file"]].startswith(b"%PDF")
    assert b"hidden" not in files[version["file"]]
    (ranking,) = course["rankings"]
    assert ranking["orders"] == {"0": [["A"], ["B"], ["C"]]}
    assert ranking["comments"]["A"] == "My thoughts on number 0"
    assert ranking["saves"][-1]["comments"] == ranking["comments"]
    assert ranking["saves"][-1]["counts"] is True
    assert course["reported_problems"][0]["text"] == "I know this from somewhere"
    assert course["extensions"][0]["note"] == "has a cold"
    assert data["e-mails"][0]["body"] == "A body"
    verbs = [event["verb"] for event in data["audit_log"]]
    assert {"paper handed in", "ranking handed in", "problem reported"} <= set(verbs)


def test_nothing_one_could_log_in_with_and_nothing_of_others(enter, client, ranked, students, assignment):
    _data, files = downloaded(enter(students[0]))
    text = b"\n".join(files.values()).lower()
    keys = [*Link.objects.values_list("digest", flat=True), *Session.objects.values_list("session_key", flat=True)]
    tokens = Slot.objects.values_list("token", flat=True)
    others = [word for each in students[1:] for word in (f'"{each.student}"', each.person.email)]
    codes = [each.paper.code for each in Version.objects.exclude(handed_in_by=students[0])]
    secret = (students[0].person.password, client.session.session_key, "of somebody else")
    for word in (*keys, *tokens, *others, *codes, *secret):
        assert word.lower().encode() not in text, word


def test_a_team_mate_gets_the_paper_and_not_the_original(enter, assignment, students):
    assignment.in_teams = True
    assignment.save()
    for each in students[:2]:
        each.team = "crew"
        each.save()
    sent = make_pdf() + b"\n%hidden\n"
    enter(students[0]).post(f"/assignments/{assignment.pk}/hand-in/", {"how": "file", "file": upload(sent)})
    data, files = downloaded(enter(students[1]))
    version = data["courses"][0]["papers"][0]["versions"][0]
    assert version["handed_in_by"] == "a team-mate"
    assert "original" not in version
    assert "original_name" not in version
    assert not any(b"hidden" in content for content in files.values())


def test_what_others_did_names_nobody(enter, students, instructor):
    Event.objects.create(
        verb="x", person_id=instructor.person_id, about_id=students[0].person_id, details={"member": 77}
    )
    data, _files = downloaded(enter(students[0]))
    assert {key: value for key, value in data["audit_log"][0].items() if key != "at"} == {
        "verb": "x",
        "by": "somebody else",
    }


def test_it_is_recorded_and_limited(enter, client, students):
    enter(students[0])
    for _ in range(3):
        downloaded(client)
    answer = client.post(ADDRESS)
    assert answer.status_code == 429
    assert 0 < int(answer.headers["Retry-After"]) <= 3600
    events = Event.objects.filter(verb="own data downloaded")
    assert [event.person_id for event in events] == [students[0].person_id] * 3
    assert client.get(ADDRESS).status_code == 200
    # Somebody else, and an hour later.
    downloaded(enter(students[1]))


def test_an_hour_later_it_works_again(enter, client, students, monkeypatch):
    enter(students[0])
    for _ in range(3):
        downloaded(client)
    later = timezone.now() + timedelta(hours=1, minutes=1)
    monkeypatch.setattr("peerorder.web.home.own_data.timezone.now", lambda: later)
    downloaded(client)


def test_staff_and_people_without_a_course(enter, instructor, course):
    assert downloaded(enter(instructor))[0]["courses"][0]["role"] == "instructor"


def test_the_account_page_leads_there(enter, students):
    assert ADDRESS in enter(students[0]).get("/account/").content.decode()
