"""Steps that are made by themselves at the deadline."""

from datetime import timedelta

import pytest
from django.utils import timezone

from peerorder.web.assignments.models import Assignment, Extension, Stage
from peerorder.web.audit.models import Event
from peerorder.web.jobs.models import Job
from peerorder.web.lifecycle.background import advance, let_late_papers_join
from peerorder.web.mail.models import Mail
from peerorder.web.papers.models import State
from peerorder.web.ranking.models import Slot
from tests.web.factories import enrol, submit_ranking
from tests.web.lifecycle.conftest import hand_in


def after(moment, **more):
    return moment + timedelta(**(more or {"seconds": 1}))


def test_it_goes_on_at_the_deadline_and_not_before(assignment, papers):
    assert advance(assignment.hand_in_by) == 0
    assert advance(after(assignment.hand_in_by)) == 1
    assert Assignment.objects.get().stage == Stage.RANKING
    assert Event.objects.get(verb="moved").person_id is None
    assert Job.objects.filter(kind="hand-out").count() == 1
    assert advance(after(assignment.hand_in_by)) == 0


def test_late_papers_are_waited_for(assignment, papers):
    Assignment.objects.update(late_hours=5)
    assert advance(after(assignment.hand_in_by, hours=5)) == 0
    assert advance(after(assignment.hand_in_by, hours=5, seconds=1)) == 1


def test_a_later_extension_to_hand_in_holds_nobody_up(assignment, papers, students):
    Extension.objects.create(assignment=assignment, member=students[0], hand_in_by=after(assignment.hand_in_by, days=2))
    assert advance(after(assignment.hand_in_by)) == 1


def test_late_papers_join_when_their_own_time_is_over(assignment, papers, course, work_off):
    late, never = enrol(course, "Late"), enrol(course, "Never")
    now = timezone.now()
    Assignment.objects.update(hand_in_by=now - timedelta(hours=2))
    assert advance(now) == 1
    own = Extension.objects.create(assignment=assignment, member=late, hand_in_by=now + timedelta(hours=1))
    Extension.objects.create(assignment=assignment, member=never, hand_in_by=now - timedelta(hours=1))
    work_off()
    hand_in(assignment, late)
    # Not while the paper may be replaced.
    assert let_late_papers_join(now) == 0
    Extension.objects.filter(pk=own.pk).update(hand_in_by=now - timedelta(seconds=1))
    assert let_late_papers_join(timezone.now()) == 1
    assert let_late_papers_join(timezone.now()) == 0
    work_off()
    assert Slot.objects.filter(grader=late).count() == assignment.papers_each
    assert Slot.objects.filter(paper__authorships__member=late).exists()
    assert not Slot.objects.filter(grader=never).exists()
    assert let_late_papers_join(timezone.now()) == 0


def test_the_review_waits_for_everybody_who_may_rank(assignment, students):
    Assignment.objects.update(stage=Stage.RANKING)
    submit_ranking(assignment, students[0])
    Extension.objects.create(assignment=assignment, member=students[1], rank_by=after(assignment.rank_by, days=2))
    assert advance(after(assignment.rank_by)) == 0
    assert advance(after(assignment.rank_by, days=2, seconds=1)) == 1
    assert Assignment.objects.get().stage == Stage.REVIEW


@pytest.mark.parametrize("fields", [{"moves_by_itself": False}, {"hand_in_by": None}, {"stage": Stage.DRAFT}])
def test_what_is_made_by_hand_is_left_alone(fields, assignment, papers):
    Assignment.objects.update(**fields)
    assert advance(after(assignment.hand_in_by)) == 0


def test_where_it_cannot_it_stays_and_staff_are_told_once(assignment, students, instructor, assistant, enter):
    hand_in(assignment, students[0])
    over = timezone.now() - timedelta(minutes=5)
    Assignment.objects.update(hand_in_by=over)
    for _ in range(3):
        assert advance() == 0
    assert Assignment.objects.get().stage == Stage.HANDING_IN
    mail = Mail.objects.get()
    assert mail.person_id == instructor.person_id
    assert "Only 1 paper has been handed in; at least 3 are needed" in mail.body
    answer = enter(instructor).get(f"/assignments/{assignment.pk}/")
    [reason] = answer.context["stuck"]
    assert "1 paper" in reason.text
    assert reason.text in answer.content.decode()
    # Mended, it goes on.
    for student in students[1:5]:
        hand_in(assignment, student)
    assert advance() == 1


def test_what_passes_by_itself_is_no_news(assignment, papers, instructor):
    papers[0].current.state = State.PREPARING
    papers[0].current.save()
    assert advance(after(assignment.hand_in_by)) == 0
    assert not Mail.objects.exists()
    assert advance(after(assignment.hand_in_by, hours=2)) == 0
    assert Mail.objects.count() == 1


def test_people_are_told_before(assignment, students, papers, instructor, enter):
    answer = enter(instructor).get(f"/assignments/{assignment.pk}/")
    assert answer.context["due"] == assignment.hand_in_by
    assert "automatically on <time" in answer.content.decode()
    answer = enter(students[0]).get(f"/assignments/{assignment.pk}/")
    assert answer.context["student"].ranking_begins == assignment.hand_in_by
    assert "starts on <time" in answer.content.decode()
