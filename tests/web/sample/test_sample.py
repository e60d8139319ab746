"""The sample course."""

import numpy as np
import pytest

from peerorder.rules import RULES
from peerorder.web.assignments.models import Assignment, Stage
from peerorder.web.audit.models import Event
from peerorder.web.courses.models import Course, Member, Role
from peerorder.web.jobs import services
from peerorder.web.mail.models import Mail
from peerorder.web.operations.staff import first_staff
from peerorder.web.papers.models import Paper, Version
from peerorder.web.people.models import Person
from peerorder.web.ranking.models import Ballot, Problem, Save, Slot
from peerorder.web.sample.course import NAME, fill, student_access
from peerorder.web.sample.exercises import BINARY_SEARCH
from peerorder.web.sample.texts import NAMES
from tests.web.factories import enter_by

pytestmark = pytest.mark.django_db


def test_it_is_a_course_half_through_ranking():
    keys = first_staff()
    fill()
    assert Member.objects.filter(role=Role.STUDENT).count() == 60
    assert Member.objects.get(role=Role.INSTRUCTOR).person == keys.person
    stages = dict(Assignment.objects.values_list("stage", "pk"))
    assert set(stages) == {Stage.REVIEW, Stage.RANKING, Stage.HANDING_IN, Stage.DRAFT}
    ranking = Assignment.objects.get(pk=stages[Stage.RANKING])
    assert Paper.objects.filter(assignment=ranking).count() == 58
    assert Slot.objects.filter(assignment=ranking).count() == 290
    assert Ballot.objects.filter(assignment=ranking, submission__isnull=False).count() == 29
    assert Ballot.objects.filter(assignment=ranking).count() == 34
    assert Save.objects.filter(ballot__assignment=ranking).count() == 34
    assert 0 < Paper.objects.filter(assignment=stages[Stage.HANDING_IN]).count() < 60
    texts = set(Paper.objects.filter(assignment=ranking).values_list("current__text", flat=True))
    assert len(texts) == 58


def test_every_page_has_something_to_show(client):
    keys = first_staff()
    fill()
    client.force_login(keys.person)
    ranking = Assignment.objects.get(stage=Stage.RANKING)
    course = ranking.course_id
    waiting = Problem.objects.get(answered_at=None)
    for path, words in {
        f"/assignments/{ranking.pk}/monitor/": [
            "29 of 58 students have handed in",
            "145 of 290",
            "2 students are not taking part",
            "No paper handed in: <strong>2</strong>",
            "In progress",
        ],
        f"/assignments/{ranking.pk}/problems/": [waiting.text, "Answer:"],
        f"/assignments/{ranking.pk}/extensions/": ["Ill until Monday."],
        f"/assignments/{ranking.pk}/papers/{waiting.slot.paper_id}/": [waiting.text, "students rank it"],
        f"/courses/{course}/people/": ["2 students do not have a link yet", "58 of 60 students have logged in"],
        f"/courses/{course}/log/": ["rankings handed in", 'value="reminder sent"'],
        f"/courses/{course}/mails/": ["Please rank"],
    }.items():
        page = client.get(path).content.decode()
        assert [word for word in words if word not in page] == [], path


def test_whoever_ranked_wrote_comments():
    fill()
    ranking = Assignment.objects.get(stage=Stage.RANKING)
    assert ranking.comments
    for ballot in Ballot.objects.filter(assignment=ranking, submission__isnull=False):
        tokens = set(Slot.objects.filter(assignment=ranking, grader=ballot.grader_id).values_list("token", flat=True))
        assert set(ballot.submitted["comments"]) == tokens


def test_filled_twice_it_is_the_same_course():
    assert fill() is not None
    before = Event.objects.count()
    assert fill() is None
    assert Course.objects.filter(name=NAME).count() == 1
    assert Event.objects.count() == before


def test_nothing_is_sent_or_printed_for_people_who_are_made_up(mailoutbox, work_off):
    """B2: 58 messages to made-up students scrolled the log-in away."""
    fill()
    work_off()
    assert Mail.objects.filter(assignment_id=Assignment.objects.get(stage=Stage.RANKING).pk).count() > 58
    assert not Mail.objects.filter(sent_at=None).exists()
    assert mailoutbox == []


def test_it_can_be_deleted_and_does_not_come_back(client):
    """M14: its page says so, and its papers kept it from being deleted."""
    keys = first_staff()
    course = fill()
    client.force_login(keys.person)
    path = f"/courses/{course.pk}/delete/"
    assert "typed" in client.get(path).content.decode()
    assert client.post(path, {"typed": NAME}).url == "/"
    page = client.get("/").content.decode()
    assert client.get(f"/courses/{course.pk}/").status_code == 404
    assert NAME not in page
    assert list(Person.objects.exclude(name="")) == [keys.person]
    assert not Version.objects.exclude(text="").exists()
    assert not Mail.objects.exists()
    assert fill() is None
    assert student_access() is None


def test_no_job_is_left_over():
    fill()
    assert services.sweep() == 0


def test_the_student_can_come_in_and_has_something_to_do(client):
    fill()
    enter_by(client, student_access().link)
    member = Member.objects.get(person=client.session["_auth_user_id"])
    slots = Slot.objects.filter(grader=member, assignment__stage=Stage.RANKING)
    assert slots.count() == 5
    assert not Ballot.objects.filter(grader=member, assignment__stage=Stage.RANKING).exists()


def test_better_papers_are_ranked_higher():
    from peerorder.web.ranking.round_snapshot import load_profile, load_snapshot

    fill()
    assignment = Assignment.objects.get(stage=Stage.RANKING)
    there = load_snapshot(assignment)
    order = RULES["borda"].aggregate(load_profile(assignment, there), np.random.default_rng(0)).order
    texts = dict(Paper.objects.filter(assignment=assignment).values_list("pk", "current__text"))
    good = (BINARY_SEARCH.parts[0][0], BINARY_SEARCH.parts[1][0])
    best = [any(part in texts[there.papers[p]] for part in good) for p in order.tolist()]
    assert sum(best[:20]) > sum(best[-20:])


def test_names_are_as_many_as_students_and_all_different():
    assert len(set(NAMES)) == len(NAMES) == 60
