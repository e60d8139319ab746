"""The steps of an assignment's life, by hand."""

from datetime import timedelta

import pytest
from django.utils import timezone

from peerorder.web.assignments.models import Assignment, Extension, Stage
from peerorder.web.audit.models import Event
from peerorder.web.errors import Refused
from peerorder.web.jobs.models import Job
from peerorder.web.lifecycle import services
from peerorder.web.lifecycle.transition_preview import STEPS, preview_transition
from peerorder.web.papers.models import State
from peerorder.web.people.models import Person
from peerorder.web.ranking.models import Ballot, Handout, Slot
from peerorder.web.results.releases import withdraw
from tests.web.factories import submit_ranking
from tests.web.lifecycle.conftest import hand_in, hand_out
from tests.web.results.conftest import release_now


def put(assignment, stage, **fields):
    Assignment.objects.filter(pk=assignment.pk).update(stage=stage, **fields)
    assignment.refresh_from_db()


def jobs_over():
    Job.objects.update(state=Job.State.DONE, key=None)


def test_it_goes_on_to_ranking_and_asks_for_the_hand_out(assignment, students, papers, instructor, enter):
    path = f"/assignments/{assignment.pk}/move/ranking/"
    preview = enter(instructor).get(path).context["preview"]
    assert [number for _what, number in preview.numbers] == [8, 8, 3, 0, 0]
    assert "can undo this" in preview.undo
    assert Assignment.objects.get().stage == Stage.HANDING_IN
    answer = enter(instructor).post(path, follow=True)
    assert answer.status_code == 200
    assert Assignment.objects.get().stage == Stage.RANKING
    assert Job.objects.filter(assignment_id=assignment.pk, kind="hand-out").count() == 1
    event = Event.objects.get(verb="moved")
    assert event.details == {"was": "handing-in", "to": "ranking"}
    assert event.person_id == instructor.person_id


def test_the_page_before_ranking_says_who_takes_no_part(assignment, students, instructor, enter):
    now = timezone.now()
    for student in students[:5]:
        hand_in(assignment, student)
    hand_in(assignment, students[5], state=State.BROKEN)
    Extension.objects.create(assignment=assignment, member=students[6], hand_in_by=now + timedelta(days=3))
    Extension.objects.create(assignment=assignment, member=students[7], hand_in_by=now - timedelta(days=3))
    preview = enter(instructor).get(f"/assignments/{assignment.pk}/move/ranking/").context["preview"]
    # Papers, graders, papers each, students without a paper, extensions still open.
    assert [number for _what, number in preview.numbers] == [5, 5, 3, 2, 1]
    sentences = " ".join(preview.sentences)
    for said in ("do not take part unless", "added later", "so are their authors: 1", "before the deadline"):
        assert said in sentences


@pytest.mark.parametrize(("was", "to"), list(STEPS))
def test_every_step_says_what_it_does(was, to, assignment, students, instructor):
    put(assignment, was)
    told = preview_transition(assignment, to, timezone.now())
    assert told.numbers
    assert str(told.undo)
    assert not any("%(" in sentence for sentence in told.sentences)


def test_the_steps_are_those_between_neighbours():
    stages = list(Stage)
    pairs = set(zip(stages, stages[1:], strict=False))
    # The last one is made by a release.
    assert set(STEPS) == (pairs - {(Stage.REVIEW, Stage.RELEASED)}) | {(later, earlier) for earlier, later in pairs}


def test_a_double_click_moves_once(assignment, papers, instructor, enter):
    client = enter(instructor)
    for _ in range(2):
        assert client.post(f"/assignments/{assignment.pk}/move/ranking/").status_code == 302
    assert Event.objects.filter(verb="moved").count() == 1
    assert Job.objects.filter(kind="hand-out").count() == 1


def test_of_two_who_saw_the_same_page_one_moves(assignment, papers, instructor):
    stale = Assignment.objects.get()
    now = timezone.now()
    assert services.move(assignment, Stage.RANKING, instructor.person, now)
    assert not services.move(stale, Stage.RANKING, instructor.person, now)
    assert Event.objects.filter(verb="moved").count() == 1


def test_a_hand_out_that_is_lost_can_be_asked_for(assignment, papers, instructor, enter):
    put(assignment, Stage.RANKING)
    assert "Distribute papers" in enter(instructor).get(f"/assignments/{assignment.pk}/").content.decode()


def test_a_whole_life(assignment, students, papers, instructor):
    now, by = timezone.now(), instructor.person
    put(assignment, Stage.DRAFT)
    assert services.move(assignment, Stage.HANDING_IN, by, now)
    assert services.move(assignment, Stage.RANKING, by, now)
    jobs_over()
    submit_ranking(assignment, students[0])
    assert services.move(assignment, Stage.REVIEW, by, now)
    release = release_now(assignment, by, marks=False)
    assert withdraw(release, by, "Too early.", now)
    assignment.refresh_from_db()
    assert services.move(assignment, Stage.RANKING, by, now)
    assert [event.details["to"] for event in Event.objects.filter(verb="moved").order_by("pk")] == [
        *("handing-in", "ranking", "review", "released", "review", "ranking")
    ]


@pytest.mark.parametrize(("stage", "to"), [("draft", "ranking"), ("handing-in", "review"), ("released", "handing-in")])
def test_no_step_is_left_out(stage, to, assignment, papers, instructor, enter):
    put(assignment, stage)
    path = f"/assignments/{assignment.pk}/move/{to}/"
    answer = enter(instructor).get(path)
    [reason] = answer.context["blockers"]
    assert "one stage" in reason.text
    assert reason.text in answer.content.decode()
    assert "preview" not in answer.context
    answer = enter(instructor).post(path)
    assert answer.status_code == 409
    assert reason.text in answer.content.decode()
    assert Assignment.objects.get().stage == stage


def refused(assignment, to, instructor, why):
    before = assignment.stage
    with pytest.raises(Refused, match=why):
        services.move(assignment, to, instructor.person, timezone.now())
    assignment.refresh_from_db()
    assert assignment.stage == before
    assert not Event.objects.filter(verb="moved").exists()


def test_ranking_needs_three_papers(assignment, students, instructor):
    for student in students[:2]:
        hand_in(assignment, student)
    refused(assignment, Stage.RANKING, instructor, "Only 2 papers have been handed in; at least 3 are needed")


def test_withdrawn_and_broken_papers_do_not_count(assignment, students, instructor):
    papers = [hand_in(assignment, student) for student in students[:3]]
    hand_in(assignment, students[3], state=State.BROKEN)
    papers[0].withdrawn_at = timezone.now()
    papers[0].save()
    refused(assignment, Stage.RANKING, instructor, "Only 2 papers have been handed in")


def test_nobody_ranks_more_papers_than_there_are_by_others(assignment, students, instructor):
    for student in students[:3]:
        hand_in(assignment, student)
    refused(assignment, Stage.RANKING, instructor, "only 2 by other students. Choose 2 or fewer")
    put(assignment, Stage.HANDING_IN, papers_each=2)
    assert services.move(assignment, Stage.RANKING, instructor.person, timezone.now())


def test_papers_that_are_being_prepared_are_waited_for(assignment, students, papers, instructor):
    papers[0].current.state = State.PREPARING
    papers[0].current.save()
    refused(assignment, Stage.RANKING, instructor, "1 paper is still being prepared")


def test_deadlines_that_are_over_are_no_beginning(assignment, papers, instructor):
    put(assignment, Stage.DRAFT, hand_in_by=timezone.now() - timedelta(hours=1))
    refused(assignment, Stage.HANDING_IN, instructor, "deadline for handing in has passed")
    put(assignment, Stage.HANDING_IN, rank_by=timezone.now() - timedelta(minutes=1))
    refused(assignment, Stage.RANKING, instructor, "deadline for ranking has passed")


def test_a_review_needs_a_ranking(assignment, students, papers, instructor):
    put(assignment, Stage.RANKING)
    refused(assignment, Stage.REVIEW, instructor, "Nobody has handed in a ranking")
    Job.objects.create(kind="hand-out", assignment_id=assignment.pk)
    refused(assignment, Stage.REVIEW, instructor, "being distributed")


def test_back_to_the_draft_only_without_papers(assignment, students, instructor):
    paper = hand_in(assignment, students[0])
    refused(assignment, Stage.DRAFT, instructor, "1 paper was handed in")
    paper.current = None
    paper.save()
    assert services.move(assignment, Stage.DRAFT, instructor.person, timezone.now())


def test_back_to_handing_in_takes_the_papers_back(assignment, students, papers, instructor):
    put(assignment, Stage.RANKING, hand_in_by=timezone.now() - timedelta(hours=1))
    hand_out(assignment, {students[0]: papers[1:4]})
    assert services.move(assignment, Stage.HANDING_IN, instructor.person, timezone.now())
    assert not Slot.written.exists()
    assert not Handout.objects.exists()
    # The deadline that was over would have sent it forward again at once.
    assert assignment.hand_in_by is None


def test_back_to_handing_in_is_refused_when_somebody_has_begun(assignment, students, papers, instructor):
    put(assignment, Stage.RANKING)
    hand_out(assignment, {students[0]: papers[1:4]})
    Ballot.objects.create(assignment=assignment, grader=students[0])
    refused(assignment, Stage.HANDING_IN, instructor, "1 student has started ranking, and that work would be lost")
    assert Slot.objects.count() == 3


def test_back_to_ranking_takes_a_deadline_away_that_is_over(assignment, instructor):
    put(assignment, Stage.REVIEW, rank_by=timezone.now() - timedelta(hours=1))
    assert services.move(assignment, Stage.RANKING, instructor.person, timezone.now())
    assert assignment.rank_by is None


def test_a_hand_out_that_failed_is_asked_for_again(assignment, papers, instructor, enter):
    put(assignment, Stage.RANKING)
    Job.objects.create(kind="hand-out", assignment_id=assignment.pk, state=Job.State.FAILED, message="It rained.")
    page = enter(instructor).get(f"/assignments/{assignment.pk}/").content.decode()
    assert "It rained." in page
    assert "Try again" in page
    enter(instructor).post(f"/assignments/{assignment.pk}/hand-out-again/")
    assert Job.objects.filter(kind="hand-out", state=Job.State.WAITING).count() == 1


@pytest.mark.parametrize("to", ["ranking", "draft"])
def test_only_instructors_move(to, assignment, students, papers, assistant, outsider, enter, client):
    path = f"/assignments/{assignment.pk}/move/{to}/"
    assert client.post(path).status_code == 403
    for member, status in ((assistant, 403), (students[0], 403), (outsider, 404)):
        assert enter(member).get(path).status_code == status
        assert enter(member).post(path).status_code == status
    assert Assignment.objects.get().stage == Stage.HANDING_IN


def test_a_stage_that_is_none(assignment, instructor, enter):
    assert enter(instructor).get(f"/assignments/{assignment.pk}/move/nirvana/").status_code == 404


def test_how_many_get_a_mail_is_said_of_the_tick(assignment, papers, instructor, enter):
    page = enter(instructor).get(f"/assignments/{assignment.pk}/move/ranking/").content.decode()
    assert "8 of 8 students will be e-mailed." in page
    Person.objects.filter(name="Bo").update(email="")
    answer = enter(instructor).get(f"/assignments/{assignment.pk}/move/ranking/")
    assert "7 of 8 students will be e-mailed. 1 has no e-mail address." in answer.content.decode()
    assert answer.context["audience"].reader.person.email
