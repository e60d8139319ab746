"""What staff read in yellow before a step."""

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.utils import timezone

from peerorder.web.assignments.models import Assignment, Extension, Stage
from peerorder.web.courses.models import Member
from peerorder.web.monitor import forecast
from peerorder.web.people.links import make_links
from tests.web.factories import enrol
from tests.web.lifecycle.conftest import hand_in, hand_out
from tests.web.monitor.conftest import finish


@pytest.fixture(autouse=True)
def always_fresh(monkeypatch):
    """Forecasts of other tests are forgotten."""
    cache.clear()
    monkeypatch.setattr(forecast, "SHARE", 0)


def asked(client, assignment, to):
    answer = client.get(f"/assignments/{assignment.pk}/move/{to}/")
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.fixture
def ranking(assignment, students, papers):
    """Everybody has three papers, in a circle."""
    Assignment.objects.update(stage=Stage.RANKING, hand_in_by=timezone.now() - timedelta(days=1))
    assignment.refresh_from_db()
    many = len(papers)
    hand_out(assignment, {each: [papers[(at + by) % many] for by in (1, 2, 3)] for at, each in enumerate(students)})
    return assignment


def test_a_poor_order_is_said_before_the_review(ranking, students, instructor, enter):
    finish(ranking, students[0])
    shown = asked(enter(instructor), ranking, "review")
    assert "Before you continue" in shown
    assert "8 of 8 papers have fewer than 2 rankings" in shown
    assert "Nobody has ranked 5 papers." in shown
    assert "6 groups of papers" in shown
    assert "% of all pairs of papers would be in the right order" in shown


def test_nothing_is_said_where_all_is_well(ranking, students, instructor, enter):
    for student in students:
        finish(ranking, student)
    assert "Before you continue" not in asked(enter(instructor), ranking, "review")


def test_who_loses_time_to_hand_in_is_named(ranking, course, students, instructor, enter):
    for student in students:
        finish(ranking, student)
    late, later = enrol(course, "Jonas"), enrol(course, "Kira")
    until = timezone.now() + timedelta(days=2)
    for member in (late, later, students[0]):
        Extension.objects.create(assignment=ranking, member=member, hand_in_by=until)
    # Whose paper is being ranked loses nothing.
    assert "2 students lose their extensions for handing in: Jonas, Kira." in asked(
        enter(instructor), ranking, "review"
    )
    hand_in(ranking, late)
    assert "1 late paper was not distributed" in asked(enter(instructor), ranking, "review")


@pytest.mark.parametrize(("without", "said"), [(1, False), (2, True), (5, True)])
def test_many_without_a_paper_are_said_before_ranking(without, said, assignment, students, instructor, enter):
    for student in students[without:]:
        hand_in(assignment, student)
    Assignment.objects.update(papers_each=2)
    shown = asked(enter(instructor), assignment, "ranking")
    assert (f"{without} of 8 students have not handed in" in shown) is said


def test_opening_what_is_not_ready_is_warned_of(assignment, students, instructor, enter):
    """M13: an empty task, no deadline and forty papers for a class of eight passed without a word."""
    client = enter(instructor)
    make_links([student.person for student in students])
    ready = {"task": "Prove it.", "instructions": "Be fair.", "papers_each": 7, "remind_hours": 9}
    Assignment.objects.update(stage=Stage.DRAFT, **ready)

    def warned(**changes):
        Assignment.objects.update(**ready | changes)
        return client.get(f"/assignments/{assignment.pk}/move/handing-in/").context["warnings"]

    assert warned() == []
    assert len(warned(task="")) == len(warned(instructions="")) == len(warned(papers_each=8)) == 1
    assert "only 7" in warned(papers_each=40)[0]
    Member.objects.filter(pk__in=[student.pk for student in students[:4]]).update(team="owls")
    assert warned() == []
    assert "only 4" in warned(in_teams=True)[0]
    assert len(warned(in_teams=False, hand_in_by=None)) == 1
    assert len(warned(task="", instructions="", rank_by=None, papers_each=8)) == 5


def test_students_who_cannot_log_in_are_warned_of(assignment, students, instructor, enter):
    Assignment.objects.update(stage=Stage.DRAFT, task="Prove it.", instructions="Be fair.", remind_hours=9)
    page = f"/assignments/{assignment.pk}/move/handing-in/"
    make_links([student.person for student in students[2:]])
    answer = enter(instructor).get(page)
    assert [each.split()[0] for each in answer.context["warnings"]] == ["2"]
    assert f'<a href="/courses/{assignment.course_id}/people/links/">' in answer.content.decode()
    make_links([student.person for student in students[:2]])
    assert enter(instructor).get(page).context["warnings"] == []


def test_too_little_time_to_rank_is_warned_of(assignment, students, instructor, enter):
    make_links([student.person for student in students])
    by = timezone.now() + timedelta(days=4)
    plain = {"stage": Stage.DRAFT, "task": "Prove it.", "instructions": "Be fair.", "hand_in_by": by}
    path = f"/assignments/{assignment.pk}/move/handing-in/"
    for minutes, papers, said in (
        (1, 3, "Ranking lasts"),
        (60, 3, ""),
        (60, 5, "Ranking lasts"),
        (9999, 24, "6 hours"),
    ):
        Assignment.objects.update(**plain, rank_by=by + timedelta(minutes=minutes), papers_each=papers)
        warned = [each for each in enter(instructor).get(path).context["warnings"] if "only 7" not in each]
        assert [said in each for each in warned] == [True] * bool(said)
