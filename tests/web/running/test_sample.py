"""The sample course."""

import numpy as np
import pytest

from peerorder.rules import RULES
from peerorder.web.courses.models import Course, Member, Role
from peerorder.web.jobs import services
from peerorder.web.log.models import Event
from peerorder.web.papers.models import Paper
from peerorder.web.ranking.models import Ballot, Save, Slot
from peerorder.web.rounds.models import Assignment, Stage
from peerorder.web.sample import NAME, fill
from peerorder.web.sample_texts import NAMES, PARTS
from peerorder.web.staff import first_staff

pytestmark = pytest.mark.django_db


def test_it_is_a_course_half_through_ranking():
    keys = first_staff()
    made = fill()
    assert made.students == 60 == Member.objects.filter(role=Role.STUDENT).count()
    assert Member.objects.get(role=Role.INSTRUCTOR).person == keys.person
    stages = dict(Assignment.objects.values_list("stage", "pk"))
    assert set(stages) == {Stage.RANKING, Stage.HANDING_IN, Stage.DRAFT}
    ranking = Assignment.objects.get(pk=stages[Stage.RANKING])
    assert Paper.objects.filter(assignment=ranking).count() == 60
    assert Slot.objects.filter(assignment=ranking).count() == 300
    assert Ballot.objects.filter(handed_in__isnull=False).count() == 30
    assert Ballot.objects.count() == Save.objects.count() == 36
    assert 0 < Paper.objects.filter(assignment=stages[Stage.HANDING_IN]).count() < 60
    texts = set(Paper.objects.filter(assignment=ranking).values_list("current__text", flat=True))
    assert len(texts) == 60


def test_filled_twice_it_is_the_same_course():
    assert fill() is not None
    before = Event.objects.count()
    assert fill() is None
    assert Course.objects.filter(name=NAME).count() == 1
    assert Event.objects.count() == before


def test_no_job_is_left_over():
    fill()
    assert services.sweep() == 0


def test_the_student_can_come_in_and_has_something_to_do(client):
    made = fill()
    client.get(made.student_link.removeprefix("http://127.0.0.1:8000"))
    member = Member.objects.get(person=client.session["_auth_user_id"])
    assert Slot.objects.filter(grader=member).count() == 5
    assert not Ballot.objects.filter(grader=member).exists()


def test_better_papers_are_ranked_higher():
    from peerorder.web.ranking.standing import profile_of, standing_of

    fill()
    assignment = Assignment.objects.get(stage=Stage.RANKING)
    there = standing_of(assignment)
    order = RULES["borda"].aggregate(profile_of(assignment, there), np.random.default_rng(0)).order
    texts = dict(Paper.objects.filter(assignment=assignment).values_list("pk", "current__text"))
    best = [PARTS[0][0] in texts[there.papers[p]] or PARTS[1][0] in texts[there.papers[p]] for p in order.tolist()]
    assert sum(best[:20]) > sum(best[-20:])


def test_names_are_as_many_as_students_and_all_different():
    assert len(set(NAMES)) == len(NAMES) == 60
