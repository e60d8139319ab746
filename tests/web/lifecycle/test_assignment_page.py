"""The page of an assignment."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from peerorder.web.assignments.models import Assignment, Extension, Stage
from peerorder.web.audit.models import Event
from peerorder.web.courses.models import Section
from peerorder.web.jobs.models import Job
from peerorder.web.lifecycle.services import move
from peerorder.web.lifecycle.transitions import blockers
from peerorder.web.monitor.student_state import State as Progress, Task
from peerorder.web.papers.models import State, Version
from peerorder.web.ranking.models import Ballot, Handout, Problem, Slot
from tests.web.factories import enrol, run_waiting, submit_ranking
from tests.web.lifecycle.conftest import hand_in, hand_out


def page(client, assignment, how=""):
    answer = client.get(f"/assignments/{assignment.pk}/{how}")
    assert answer.status_code == 200
    return answer.content.decode()


def seen(client, assignment, how=""):
    """What the page knows of a student, and the page."""
    answer = client.get(f"/assignments/{assignment.pk}/{how}")
    assert answer.status_code == 200
    return answer.context["student"], answer.content.decode()


def asks_to_hand_in(client, assignment):
    """Whether a student is asked for a paper; the page leads there if and only if so."""
    student, shown = seen(client, assignment)
    asked = f'<a class="button" href="/assignments/{assignment.pk}/hand-in/"' in shown
    assert asked == (student.task == Task.HAND_IN)
    assert asked or f'href="/assignments/{assignment.pk}/hand-in/"' not in shown
    assert f">{student.heading}</h2>" in shown
    return asked


def test_staff_see_how_it_goes(assignment, students, instructor, assistant, enter):
    for student in students[:5]:
        hand_in(assignment, student)
    Job.objects.create(kind="pages", assignment_id=assignment.pk, done=2, total=7, message="Preparing pages")
    counts = enter(instructor).get(f"/assignments/{assignment.pk}/").context["counts"]
    assert (counts.with_paper, counts.papers, counts.students) == (5, 5, 8)
    shown = page(enter(instructor), assignment)
    assert "Preparing pages" in shown
    for path in ("monitor", "papers", "problems", "extensions", "edit"):
        assert f"/assignments/{assignment.pk}/{path}/" in shown
    shown = page(enter(assistant), assignment)
    assert f"/assignments/{assignment.pk}/move/ranking/" not in shown
    assert f"/assignments/{assignment.pk}/export/" not in shown


def test_staff_see_reported_problems_and_why_it_goes_on_later(assignment, students, instructor, enter):
    Assignment.objects.filter(pk=assignment.pk).update(stage=Stage.RANKING)
    paper = hand_in(assignment, students[0])
    assert 'class="badge"' not in page(enter(instructor), assignment)
    handout = Handout.objects.create(assignment=assignment, why="first", ready_at=timezone.now())
    slot = Slot.written.create(assignment=assignment, handout=handout, grader=students[1], paper=paper, position=0)
    Problem.objects.create(slot=slot, kind="empty")
    Extension.objects.create(assignment=assignment, member=students[2], rank_by=assignment.rank_by + timedelta(days=2))
    Extension.objects.create(assignment=assignment, member=students[3], rank_by=assignment.rank_by + timedelta(days=1))
    answer = enter(instructor).get(f"/assignments/{assignment.pk}/")
    assert '<span class="badge">1<' in answer.content.decode()
    assert answer.context["longer"] == 2


def test_teams_count_by_student(assignment, students, instructor, enter):
    hand_in(assignment, *students[:3])
    counts = enter(instructor).get(f"/assignments/{assignment.pk}/").context["counts"]
    assert (counts.with_paper, counts.papers, counts.students) == (3, 1, 8)


def test_a_student_is_asked_to_hand_in(assignment, students, enter):
    assert asks_to_hand_in(enter(students[0]), assignment)
    assert "get 3 papers" in page(enter(students[0]), assignment)
    hand_in(assignment, students[0])
    student, shown = seen(enter(students[0]), assignment)
    assert (student.state, student.task) == (Progress.DONE, None)
    assert f'<a class="button second" href="/assignments/{assignment.pk}/hand-in/"' in shown


def test_a_student_sees_her_own_deadline(assignment, students, enter):
    Assignment.objects.update(hand_in_by=timezone.now() - timedelta(hours=1))
    assert not asks_to_hand_in(enter(students[0]), assignment)
    assert "is over</h2>" in page(enter(students[0]), assignment)
    Extension.objects.create(
        assignment=assignment, member=students[0], hand_in_by=timezone.now() + timedelta(hours=1), note="was ill"
    )
    assert asks_to_hand_in(enter(students[0]), assignment)
    shown = page(enter(students[0]), assignment)
    assert "your extension" in shown
    assert "was ill" not in shown
    assert not asks_to_hand_in(enter(students[1]), assignment)
    assert "is over</h2>" in page(enter(students[1]), assignment)


def test_an_extension_counts_while_others_rank(assignment, students, enter):
    Assignment.objects.update(stage=Stage.RANKING, hand_in_by=timezone.now() - timedelta(hours=1))
    assert not asks_to_hand_in(enter(students[0]), assignment)
    assert "are ranking</h2>" in page(enter(students[0]), assignment)
    Extension.objects.create(assignment=assignment, member=students[0], hand_in_by=timezone.now() + timedelta(hours=1))
    assert asks_to_hand_in(enter(students[0]), assignment)


def test_late_papers_are_called_late(assignment, students, enter):
    Assignment.objects.update(hand_in_by=timezone.now() - timedelta(hours=1), late_hours=3)
    student, shown = seen(enter(students[0]), assignment)
    assert student.late
    assert "as late" in shown


def test_a_student_is_asked_to_rank(assignment, students, papers, enter):
    Assignment.objects.update(stage=Stage.RANKING)
    student, shown = seen(enter(students[0]), assignment)
    assert (student.state, student.task, student.papers) == (Progress.LATE, None, 0)
    assert "on their way" in shown
    assert f'href="/assignments/{assignment.pk}/ranking/"' not in shown
    hand_out(assignment, {students[0]: papers[1:4]})
    shown = page(enter(students[0]), assignment)
    assert "Rank 3 papers" in shown
    assert f'href="/assignments/{assignment.pk}/ranking/"' in shown
    submit_ranking(assignment, students[0])
    student, shown = seen(enter(students[0]), assignment)
    assert (student.state, student.task) == (Progress.DONE, None)
    assert f'href="/assignments/{assignment.pk}/ranking/receipt/"' in shown


@pytest.mark.parametrize(("stage", "said"), [("review", "are reviewing"), ("released", "is over")])
def test_at_the_end_there_is_nothing_to_do(stage, said, assignment, students, enter):
    Assignment.objects.update(stage=stage)
    student, shown = seen(enter(students[0]), assignment)
    assert student.task is None
    assert main_button(shown) == []
    [card] = re.findall(r'<section class="card">(.*?)</section>', shown, re.DOTALL)
    assert said in card


@pytest.mark.parametrize("stage", list(Stage))
def test_every_stage_has_its_pages(stage, assignment, students, papers, instructor, enter):
    Assignment.objects.update(stage=stage)
    page(enter(instructor), assignment)
    assert enter(instructor).get(f"/assignments/{assignment.pk}/?as=student").status_code == 200


@pytest.mark.parametrize("stage", list(Stage))
def test_nobody_sees_the_solution_before_ranking(stage, assignment, students, papers, enter):
    Assignment.objects.update(stage=stage, solution="Forty-two.", instructions="Be fair.")
    hand_out(assignment, {students[0]: papers[1:4]})
    answer = enter(students[0]).get(f"/assignments/{assignment.pk}/")
    assert ("Forty-two." in answer.content.decode()) == (stage in (Stage.RANKING, Stage.REVIEW, Stage.RELEASED))


def test_who_can_still_hand_in_does_not_see_the_solution(assignment, students, enter):
    Assignment.objects.update(stage=Stage.RANKING, solution="Forty-two.")
    extension = Extension.objects.create(
        assignment=assignment, member=students[0], hand_in_by=timezone.now() + timedelta(hours=1)
    )
    assert "Forty-two." not in page(enter(students[0]), assignment)
    # Nor does she when it is over: there may be another one.
    extension.delete()
    shown = page(enter(students[0]), assignment)
    assert "Forty-two." not in shown
    assert "for an extension" in shown
    assert "sample solution" in shown


@pytest.mark.parametrize("stage", [Stage.RANKING, Stage.REVIEW, Stage.RELEASED])
def test_who_takes_no_part_sees_the_solution_from_the_review_on(stage, assignment, students, enter):
    papers = [hand_in(assignment, student) for student in students[1:]]
    hand_out(assignment, {students[1]: papers[1:4]})
    Assignment.objects.update(stage=stage, solution="Forty-two.")
    assert ("Forty-two." in page(enter(students[0]), assignment)) == (stage != Stage.RANKING)
    assert "Forty-two." in page(enter(students[1]), assignment)


def test_others_see_nothing(assignment, students, outsider, course, enter, client):
    path = f"/assignments/{assignment.pk}/"
    assert client.get(path).status_code == 302
    assert enter(outsider).get(path).status_code == 404
    section = Section.objects.create(course=course, name="B")
    assignment.sections.add(section)
    assert enter(students[0]).get(path).status_code == 404
    assert enter(enrol(course, "Bea", section=section)).get(path).status_code == 200
    Assignment.objects.update(stage=Stage.DRAFT)
    assert enter(course.members.get(person__name="Bea")).get(path).status_code == 404


def test_no_other_student_is_named(assignment, students, papers, enter):
    Assignment.objects.update(stage=Stage.RANKING)
    hand_out(assignment, {students[0]: papers[1:4]})
    shown = page(enter(students[0]), assignment)
    for other in students[1:]:
        assert other.person.email not in shown
        assert f">{other.person.name}<" not in shown
    for paper in papers[1:]:
        assert paper.code not in shown


def main_button(shown):
    """Where the one that is not second leads."""
    return re.findall(r'<a class="button" href="/assignments/\d+/([^"]*)">', shown)


def test_the_main_button_is_what_fits_the_moment(assignment, students, papers, instructor, assistant, enter):
    client = enter(instructor)
    assert main_button(page(client, assignment)) == ["move/ranking/"]
    late = enrol(assignment.course, "Jo")
    assert main_button(page(client, assignment)) == ["monitor/"]
    Assignment.objects.update(hand_in_by=timezone.now() - timedelta(hours=1))
    assert main_button(page(client, assignment)) == ["move/ranking/"]
    Assignment.objects.update(stage=Stage.RANKING)
    hand_out(assignment, dict.fromkeys(students[:2], papers[2:5]))
    assert main_button(page(client, assignment)) == ["monitor/"]
    Assignment.objects.update(stage=Stage.REVIEW)
    assert main_button(page(client, assignment)) == ["results/"]
    assert f'href="/assignments/{assignment.pk}/release/"' in page(client, assignment)
    assert "/move/released/" not in page(client, assignment)
    assert main_button(page(enter(assistant), assignment)) == ["results/"]
    Assignment.objects.update(stage=Stage.DRAFT)
    assert main_button(page(enter(instructor), assignment)) == ["edit/#id_task"]
    Assignment.objects.update(task="Prove it.")
    assert main_button(page(enter(instructor), assignment)) == ["move/handing-in/"]
    assert late.pk


def test_what_would_stand_in_the_way_is_said_near_the_deadline(assignment, students, papers, instructor, enter):
    Assignment.objects.update(stage=Stage.RANKING, hand_in_by=timezone.now() - timedelta(hours=1))
    hand_out(assignment, dict.fromkeys(students[:2], papers[2:5]))
    [reason] = blockers(Assignment.objects.get(), Stage.REVIEW, timezone.now())
    assert reason.text not in page(enter(instructor), assignment)
    Assignment.objects.update(rank_by=timezone.now() + timedelta(hours=20))
    assert reason.text in page(enter(instructor), assignment)


def test_a_step_back_that_cannot_be_made_is_not_offered(assignment, students, papers, instructor, enter):
    Assignment.objects.update(stage=Stage.RANKING)
    hand_out(assignment, dict.fromkeys(students[:2], papers[2:5]))
    assert "/move/handing-in/" in page(enter(instructor), assignment)
    Ballot.objects.create(assignment=assignment, grader=students[0])
    answer = enter(instructor).get(f"/assignments/{assignment.pk}/")
    assert "/move/handing-in/" not in answer.content.decode()
    counts = answer.context["counts"]
    assert (counts.handed_in, counts.graders, counts.in_the_middle) == (0, 2, 1)


def test_past_steps_have_an_end(assignment, papers, instructor, enter):
    client = enter(instructor)
    client.post(f"/assignments/{assignment.pk}/move/ranking/")
    past = [each for each in client.get(f"/assignments/{assignment.pk}/").context["stages"] if each["past"]]
    assert [each["stage"] for each in past] == [Stage.DRAFT, Stage.HANDING_IN]
    assert past[1]["period"][1] is not None


def test_going_back_begins_nothing(assignment, students, papers, instructor, enter):
    Assignment.objects.update(rank_by=None)
    assignment.refresh_from_db()
    for to in (Stage.RANKING, Stage.REVIEW, Stage.RANKING):
        assert move(assignment, to, instructor.person, timezone.now())
        run_waiting()
        if to == Stage.RANKING:
            submit_ranking(assignment, students[0])
        assignment.refresh_from_db()
    began = Event.objects.filter(verb="moved").order_by("pk")[0].at
    steps = {each["stage"]: each for each in enter(instructor).get(f"/assignments/{assignment.pk}/").context["stages"]}
    assert steps[Stage.HANDING_IN]["period"][1] == steps[Stage.RANKING]["period"][0] == began
    assert steps[Stage.RANKING]["current"]


def test_a_late_paper_that_waits_is_on_the_page(assignment, students, papers, instructor, course, enter):
    Assignment.objects.update(stage=Stage.RANKING, hand_in_by=timezone.now() - timedelta(hours=1))
    hand_out(assignment, {each: [*papers[at + 1 :], *papers[:at]] for at, each in enumerate(students)})
    assert "late paper" not in page(enter(instructor), assignment)
    jo = enrol(course, "Jo")
    Extension.objects.create(assignment=assignment, member=jo, hand_in_by=timezone.now() + timedelta(days=2))
    paper = hand_in(assignment, jo)
    shown = page(enter(instructor), assignment)
    assert "1 late paper" in shown
    assert "(automatically <time" in shown
    assert f'href="/assignments/{assignment.pk}/monitor/late/"' in shown
    # Late hours count from the end of the extension, for staff and for the student.
    Assignment.objects.update(late_hours=48)
    joins = enter(instructor).get(f"/assignments/{assignment.pk}/").context["joins_at"]
    own = enter(jo).get(f"/assignments/{assignment.pk}/")
    assert joins == own.context["student"].joins_at == own.context["times"].hand_in_late
    for shown in (own.content.decode(), enter(jo).get("/").content.decode()):
        assert "distributed on <time" in shown
    assert "accepted until <time" in own.content.decode()
    assert "accepted until <time" in page(enter(jo), assignment, "hand-in/")
    Assignment.objects.update(moves_by_itself=False)
    shown = page(enter(instructor), assignment)
    assert "1 late paper" in shown
    assert "(automatically" not in shown
    student, shown = seen(enter(jo), assignment)
    assert student.joins_at is None
    assert "instructor decides" in shown
    assert "distributed on" not in shown
    paper.withdrawn_at = timezone.now()
    paper.save()
    assert "late paper" not in page(enter(instructor), assignment)


def test_a_paper_that_others_have_is_not_to_be_replaced(assignment, students, papers, enter):
    """The page offered it to an author whose late paper joined before their time was over; the click was refused."""
    Assignment.objects.update(stage=Stage.RANKING, hand_in_by=timezone.now() - timedelta(hours=1))
    Extension.objects.create(assignment=assignment, member=students[0], hand_in_by=timezone.now() + timedelta(days=2))
    assert "Replace paper" in page(enter(students[0]), assignment)
    hand_out(assignment, {students[0]: papers[1:4], students[1]: [papers[0]]})
    client = enter(students[0])
    assert "Replace paper" not in page(client, assignment)
    assert not client.get(f"/assignments/{assignment.pk}/").context["student"].takes_paper
    # One that cannot be shown may still be replaced.
    Version.objects.filter(paper=papers[0]).update(state=State.BROKEN)
    assert "Replace paper" in page(client, assignment)


@pytest.mark.parametrize("stage", [Stage.HANDING_IN, Stage.RANKING, Stage.REVIEW, Stage.RELEASED])
def test_ones_own_paper_and_receipt_are_always_there(stage, assignment, students, enter):
    hand_in(assignment, students[0])
    Assignment.objects.update(stage=stage)
    shown = page(enter(students[0]), assignment)
    assert f'href="/assignments/{assignment.pk}/my-paper/"' in shown
    assert f'href="/assignments/{assignment.pk}/receipt/"' in shown
    assert "/receipt/" not in page(enter(students[1]), assignment)


def test_an_answered_report_is_seen(assignment, students, papers, enter):
    Assignment.objects.update(stage=Stage.RANKING)
    slots = hand_out(assignment, dict.fromkeys(students[:2], papers[2:5]))
    problem = Problem.objects.create(slot=slots[students[0]][0], kind="empty")
    client = enter(students[0])
    link = f'href="/assignments/{assignment.pk}/#answered"'
    assert 'id="answered"' not in page(client, assignment)
    assert link not in client.get("/").content.decode()
    Problem.objects.filter(pk=problem.pk).update(answer="Set it aside.", answered_at=timezone.now())
    assert "Set it aside." in page(client, assignment)
    assert 'id="answered"' in page(client, assignment)
    assert link in client.get("/").content.decode()
    other = enter(students[1])
    assert 'id="answered"' not in page(other, assignment)
    assert link not in other.get("/").content.decode()


def test_staff_see_it_as_a_student_with_and_without_a_paper(instructor, assignment, enter):
    client = enter(instructor)
    assignment.stage = Stage.RANKING
    assignment.save()
    student, shown = seen(client, assignment, "?as=student")
    assert (student.state, student.papers) == (Progress.NO_PAPER, 0)
    assert "no papers" in student.summary
    assert student.summary in shown
    assert f"/assignments/{assignment.pk}/ranking/preview/" not in shown
    shown = page(client, assignment, "?as=student&has=paper")
    assert f"Rank {assignment.papers_each} papers" in shown
    assignment.stage = Stage.DRAFT
    assignment.save()
    student, shown = seen(client, assignment, "?as=student&has=paper")
    assert "draft" in re.search(r'<div class="message warning">(.*?)</div>', shown, re.DOTALL)[1]
    # As it will be once it is opened: to be handed in, and not over.
    assert student.task == Task.HAND_IN
    assert f'<h2 id="paper">{student.heading}</h2>' in shown
    assert '<button type="button" disabled>' in shown
    assert Assignment.objects.get().stage == Stage.DRAFT


def test_the_view_as_a_student_leads_only_where_staff_may_go(assignment, instructor, assistant, enter):
    """M10: it had links to pages that refuse staff."""
    for stage in Stage:
        Assignment.objects.update(stage=stage)
        for member in (instructor, assistant):
            client, offered = enter(member), set()
            for view in ("?as=student", "?as=student&has=paper"):
                shown = client.get(f"/assignments/{assignment.pk}/{view}").content.decode()
                offered |= set(re.findall(r'href="(/[^"#?]*)', shown))
            for address in offered:
                assert address.startswith("/static/") or client.get(address).status_code == 200, (stage, address)
    Assignment.objects.update(stage=Stage.RANKING)
    shown = enter(instructor).get(f"/assignments/{assignment.pk}/?as=student&has=paper").content.decode()
    assert f"/assignments/{assignment.pk}/ranking/preview/" in shown
