"""One state of a student: the first page, the page of the assignment, the monitor and e-mails say the same."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from peerorder.web.assignments.models import Assignment, Extension, Stage
from peerorder.web.courses.models import Section
from peerorder.web.home.progress import staff_progress
from peerorder.web.lifecycle.queries import count
from peerorder.web.mail.models import Mail
from peerorder.web.monitor import queries, services
from peerorder.web.monitor.models import Offer
from peerorder.web.monitor.states import state_of, states_of, students_with_state
from peerorder.web.monitor.student_state import State, Task
from peerorder.web.papers.models import Paper
from peerorder.web.papers.services import withdraw
from peerorder.web.ranking.models import Handout, Slot
from tests.web.factories import complete_ranking, enrol, save_ranking, submit_ranking
from tests.web.monitor.conftest import finish, hand_in


def give(assignment, member, why):
    """One more paper for somebody who handed in."""
    handout = Handout.objects.create(assignment=assignment, why=why, ready_at=timezone.now())
    taken = Slot.objects.filter(assignment=assignment, grader=member)
    paper = Paper.objects.filter(assignment=assignment).exclude(pk__in=taken.values("paper")).first()
    part = 1 if why == Handout.Why.TOP_UP else 0
    Slot.written.create(
        assignment=assignment, handout=handout, grader=member, paper=paper, position=taken.count(), part=part
    )


def reverse_order(assignment, member):
    said = complete_ranking(assignment, member)
    save_ranking(assignment, member, said | {"orders": {"0": said["orders"]["0"][::-1]}})


def begin(assignment, member):
    said = complete_ranking(assignment, member)
    save_ranking(assignment, member, said | {"orders": {"0": said["orders"]["0"][:2]}})


def change(assignment, member):
    finish(assignment, member)
    reverse_order(assignment, member)


def change_back(assignment, member):
    change(assignment, member)
    save_ranking(assignment, member, complete_ranking(assignment, member))


def is_asked_for_more(assignment, member):
    finish(assignment, member)
    Offer.objects.create(assignment=assignment, member=member, papers=2, rankings_each=2)


def gets_papers(assignment, member):
    finish(assignment, member)
    give(assignment, member, Handout.Why.JOINED)


def takes_papers(assignment, member):
    finish(assignment, member)
    give(assignment, member, Handout.Why.TOP_UP)


CASES = {
    "nothing": (lambda *_: None, State.NOT_STARTED, Task.RANK),
    "begun": (begin, State.MIDDLE, Task.RANK),
    "finished": (finish, State.DONE, None),
    "changed since": (change, State.DONE, Task.HAND_IN_CHANGES),
    "changed back": (change_back, State.DONE, None),
    "asked for more": (is_asked_for_more, State.DONE, Task.ANSWER),
    "new papers": (gets_papers, State.ADDED, Task.RANK),
    "took more": (takes_papers, State.EXTRA, Task.RANK),
}


@pytest.mark.parametrize(("act", "state", "task"), CASES.values(), ids=CASES)
def test_all_pages_say_the_same(act, state, task, enter, ranking, students):
    act(ranking, students[0])
    found = state_of(ranking, students[0], timezone.now())
    assert (found.state, found.task) == (state, task)
    assert found.until == (ranking.rank_by if task else None)
    assert students_with_state(ranking).get(pk=students[0].pk).state == state
    client = enter(students[0])
    answer = client.get("/")
    assert [each.task for each in answer.context["to_do"]] == ([task] if task else [])
    assert [each.task for each in answer.context["others"]] == ([] if task else [None])
    first, page = answer.content.decode(), client.get(f"/assignments/{ranking.pk}/").content.decode()
    assert found.summary in first
    assert found.heading in page
    for shown in (first, page):
        assert (f'href="/assignments/{ranking.pk}/ranking/">{found.action}' in shown) == (
            task in (Task.RANK, Task.HAND_IN_CHANGES)
        )
        assert (f'action="/assignments/{ranking.pk}/offer/"' in shown) == (task == Task.ANSWER)


@pytest.mark.parametrize(
    ("act", "kind"),
    [("nothing", "Please rank"), ("new papers", "Please rank the new papers"), ("took more", ""), ("finished", "")],
)
def test_a_reminder_says_what_the_pages_say(act, kind, instructor, ranking, students):
    CASES[act][0](ranking, students[0])
    for student in students[1:]:
        finish(ranking, student) if Slot.objects.filter(grader=student).exists() else None
    unfinished = queries.count_to_remind(ranking, timezone.now())
    assert unfinished == bool(kind)
    if kind:
        assert services.remind_one(ranking, students[0], instructor.person)
        assert re.split(":", Mail.objects.get().subject)[0] == kind


def test_when_time_is_over_nothing_is_asked(ranking, students):
    begin(ranking, students[0])
    change(ranking, students[1])
    is_asked_for_more(ranking, students[2])
    Assignment.objects.update(rank_by=timezone.now() - timedelta(hours=1))
    ranking.refresh_from_db()
    for student in students[:3]:
        assert state_of(ranking, student, timezone.now()).task is None
    assert "do not count" in state_of(ranking, students[1], timezone.now()).summary


def test_who_has_more_time_is_asked_to_hand_in_while_others_rank(ranking, students):
    late = students[-1]
    assert state_of(ranking, late, timezone.now()).task is None
    until = timezone.now() + timedelta(days=1)
    Extension.objects.create(assignment=ranking, member=late, hand_in_by=until)
    found = state_of(ranking, late, timezone.now())
    assert (found.state, found.task, found.until) == (State.NO_PAPER, Task.HAND_IN, until)
    hand_in(ranking, late)
    found = state_of(ranking, late, timezone.now())
    assert (found.state, found.task) == (State.LATE, None)


def test_a_late_paper_has_time_until_late_papers_are_refused(assignment, students):
    Assignment.objects.update(hand_in_by=timezone.now() - timedelta(hours=1), late_hours=3)
    assignment.refresh_from_db()
    found = state_of(assignment, students[0], timezone.now())
    assert (found.late, found.until) == (True, assignment.hand_in_by + timedelta(hours=3))


def test_papers_that_were_all_withdrawn_ask_for_nothing(ranking, students):
    Paper.objects.update(withdrawn_at=timezone.now())
    assert state_of(ranking, students[0], timezone.now()).task is None


def test_the_author_of_a_paper_that_was_taken_out_has_handed_in(enter, instructor, assignment, students):
    """They counted as having handed in on the monitor, and not on the page of the assignment."""
    papers = [hand_in(assignment, student) for student in students[:5]]
    for paper in papers[:2]:
        withdraw(paper, instructor.person, "It is empty.")
    found = count(assignment)
    assert (found.with_paper, found.without_paper, found.papers, found.withdrawn) == (5, 3, 3, 2)
    assert queries.count_by_state(assignment) == {State.DONE: 5, State.NO_PAPER: 3}
    assert staff_progress([assignment])[assignment.pk].sentence.startswith("5 of 8 ")
    # Who has papers to rank ranks them; the others wait for nothing.
    assignment.stage = Stage.RANKING
    assignment.save()
    handout = Handout.objects.create(assignment=assignment, why=Handout.Why.FIRST, ready_at=timezone.now())
    Slot.written.create(assignment=assignment, handout=handout, grader=students[0], paper=papers[2], position=0)
    states = [state_of(assignment, student, timezone.now()).state for student in students[:3]]
    assert states == [State.NOT_STARTED, State.WITHDRAWN, State.LATE]
    assert count(assignment).without_paper == queries.count_by_state(assignment)[State.NO_PAPER] == 3
    shown = enter(students[1]).get(f"/assignments/{assignment.pk}/").content.decode()
    assert state_of(assignment, students[1], timezone.now()).summary in shown
    assert "withdrew your paper" in shown


def test_many_assignments_take_a_handful_of_queries(course, assignment, ranking, students, django_assert_num_queries):
    monday = Section.objects.create(course=course, name="Monday")
    for number in range(10):
        other = Assignment.objects.create(course=course, title=f"Poem {number}", stage=Stage.HANDING_IN)
        if number % 2:
            other.sections.add(monday)
    with django_assert_num_queries(7):
        assert len(states_of(students[0].person, timezone.now())) == 1 + 5
    students[0].section = monday
    students[0].save()
    assert len(states_of(students[0].person, timezone.now())) == 1 + 10


def test_of_others_nothing_is_told(course, ranking, students):
    finish(ranking, students[0])
    stranger = enrol(course, "Jo")
    found = states_of(stranger.person, timezone.now())
    assert [(each.state, each.ballot, each.papers) for each in found] == [(State.NEW, None, 0)]


def test_who_hands_in_again_is_done(ranking, students):
    gets_papers(ranking, students[0])
    submit_ranking(ranking, students[0])
    assert state_of(ranking, students[0], timezone.now()).state == State.DONE
