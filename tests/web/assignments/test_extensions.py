"""More time for single students."""

from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from peerorder.web.assignments.deadlines import deadlines_of
from peerorder.web.assignments.local_times import FORMAT
from peerorder.web.assignments.models import Assignment, Extension, Stage
from peerorder.web.audit.models import Event
from peerorder.web.jobs.models import Job
from peerorder.web.monitor.student_state import Task
from peerorder.web.people.models import Person
from peerorder.web.ranking.models import Ballot
from tests.web.factories import enrol, submit_ranking
from tests.web.lifecycle.conftest import hand_in, hand_out
from tests.web.monitor.conftest import finish

ATHENS = ZoneInfo("Europe/Athens")


def typed(moment):
    return moment.astimezone(ATHENS).strftime(FORMAT)


def entries(**other):
    return {"student": "bo", "hand_in_by": "", "rank_by": "", "note": "ill", **other}


@pytest.fixture
def path(assignment):
    return f"/assignments/{assignment.pk}/extensions/"


@pytest.fixture
def granted(assignment, students):
    """Time for handing in until two days after the deadline, which was yesterday."""
    Assignment.objects.update(hand_in_by=timezone.now() - timedelta(days=1))
    assignment.refresh_from_db()
    return Extension.objects.create(
        assignment=assignment, member=students[0], hand_in_by=assignment.hand_in_by + timedelta(days=2)
    )


def test_a_student_who_missed_the_deadline_can_hand_in_at_once(assignment, students, instructor, path, enter):
    Assignment.objects.update(hand_in_by=timezone.now() - timedelta(hours=1))
    assignment.refresh_from_db()
    assert not deadlines_of(assignment, students[0]).may_hand_in(timezone.now())
    until = timezone.now() + timedelta(days=1)
    answer = enter(instructor).post(path, entries(hand_in_by=typed(until)), follow=True)
    [message] = answer.context["messages"]
    assert message.level_tag == "success"
    assert "Bo" in str(message)
    assert deadlines_of(assignment, students[0]).may_hand_in(timezone.now())
    assert not deadlines_of(assignment, students[1]).may_hand_in(timezone.now())
    event = Event.objects.get(verb="extension granted")
    assert event.details["member"] == students[0].pk
    assert "ill" not in str(event.details)


@pytest.mark.parametrize("text", ["hana novak", "NOVÁK", "Novák, Hana", "N7", "hana.novak@example.edu", "sorensen"])
def test_accents_and_case_do_not_matter(text, assignment, course, students, instructor, path, enter):
    wanted = enrol(course, "Hana Novák Sørensen", student="n7")
    Person.objects.filter(pk=wanted.person_id).update(email="hana.novak@example.edu")
    until = typed(assignment.hand_in_by + timedelta(days=1))
    assert enter(instructor).post(path, entries(student=text, hand_in_by=until)).status_code == 302
    assert Extension.objects.get().member == wanted
    assert "n7" in enter(instructor).get(f"{path}students/", {"student": text}).content.decode()


@pytest.mark.parametrize("text", ["bo", "BO@example.edu", "Bo", "bO"])
def test_students_are_found_by_id_address_and_name(text, assignment, students, instructor, path, enter):
    until = typed(assignment.hand_in_by + timedelta(days=1))
    assert enter(instructor).post(path, entries(student=text, hand_in_by=until)).status_code == 302
    assert Extension.objects.get().member == students[0]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"student": "nobody"}, "No student of this assignment matches"),
        ({"student": "oz"}, "No student of this assignment matches"),
        ({"student": "Ida"}, "No student of this assignment matches"),
        ({"student": "y"}, "Several students match"),
        ({"hand_in_by": ""}, "Give a new time"),
        ({"hand_in_by": "2020-01-01T10:00"}, "This time is in the past"),
        ({"hand_in_by": "early"}, "not later than the normal deadline"),
        ({"hand_in_by": "late"}, "Ranking would end before the paper is handed in"),
    ],
)
def test_what_is_wrong_is_said(wrong, said, assignment, students, outsider, instructor, path, enter):
    times = {
        "early": typed(assignment.hand_in_by - timedelta(hours=1)),
        "late": typed(assignment.rank_by + timedelta(days=1)),
    }
    wrong = {name: times.get(value, value) for name, value in wrong.items()}
    good = entries(hand_in_by=typed(assignment.hand_in_by + timedelta(days=1)))
    answer = enter(instructor).post(path, {**good, **wrong})
    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert not Extension.objects.exists()


def test_a_second_one_for_the_same_student_is_refused(granted, instructor, path, enter):
    until = typed(granted.hand_in_by + timedelta(days=1))
    answer = enter(instructor).post(path, entries(hand_in_by=until))
    assert answer.status_code == 422
    assert answer.context["form"].errors.keys() == {"student"}
    assert Extension.objects.get().hand_in_by == granted.hand_in_by


def test_one_is_changed(granted, instructor, path, enter):
    later = granted.hand_in_by + timedelta(days=1)
    enter(instructor).post(f"{path}{granted.pk}/", {"hand_in_by": typed(later), "rank_by": "", "note": "still ill"})
    granted.refresh_from_db()
    assert (typed(granted.hand_in_by), granted.note) == (typed(later), "still ill")
    assert Event.objects.get().verb == "extension changed"


def test_one_is_withdrawn(granted, instructor, path, enter):
    answer = enter(instructor).post(f"{path}{granted.pk}/withdraw/", follow=True)
    page = answer.content.decode()
    assert ["Bo" in str(message) for message in answer.context["messages"]] == [True]
    assert not Extension.objects.exists()
    assert Event.objects.get().verb == "extension withdrawn"
    # The form has it once more, and gives it again.
    assert 'value="bo"' in page
    assert f'value="{typed(granted.hand_in_by)}"' in page
    assert 'value="bo"' not in enter(instructor).get(path).content.decode().partition("</datalist>")[2]


def test_where_several_fit_one_is_chosen(assignment, course, students, instructor, path, enter):
    twins = [enrol(course, name, student=number) for name, number in (("Ana Núñez", "n1"), ("Ana Nunez", "n2"))]
    client = enter(instructor)
    said = entries(student="nuñez", hand_in_by=typed(assignment.hand_in_by + timedelta(days=1)))
    answer = client.post(path, said)
    assert answer.status_code == 422
    page = answer.content.decode()
    assert set(answer.context["form"].offered) == set(twins)
    assert all(f'name="chosen" value="{twin.pk}"' in page for twin in twins)
    assert "ill" in page
    # Only one of those who were offered counts.
    assert client.post(path, {**said, "chosen": str(students[0].pk)}).status_code == 422
    other = client.post(path, {**said, "student": "Bo", "chosen": str(twins[1].pk)})
    assert other.status_code == 422
    assert other.context["form"].errors.keys() == {"student"}
    assert "chosen" in other.context["form"].errors["student"][0]
    assert not Extension.objects.exists(), "neither the one nor the other"
    assert client.post(path, {**said, "chosen": str(twins[1].pk)}).status_code == 302
    assert Extension.objects.get().member == twins[1]


def test_what_was_handed_in_because_of_it_keeps_it(granted, assignment, students, instructor, path, enter):
    hand_in(assignment, students[0])
    answer = enter(instructor).post(f"{path}{granted.pk}/withdraw/")
    assert answer.status_code == 409
    assert "A paper was handed in with this extension" in answer.content.decode()
    assert Extension.objects.exists()


def test_what_was_handed_in_before_the_deadline_does_not(granted, assignment, students, instructor, path, enter):
    hand_in(assignment, students[0], at=assignment.hand_in_by - timedelta(hours=1))
    assert enter(instructor).post(f"{path}{granted.pk}/withdraw/").status_code == 302
    assert not Extension.objects.exists()


def test_a_ranking_keeps_it_too(assignment, students, instructor, path, enter):
    Assignment.objects.update(rank_by=timezone.now() - timedelta(days=1))
    extension = Extension.objects.create(
        assignment=assignment, member=students[0], rank_by=timezone.now() + timedelta(days=1)
    )
    Assignment.objects.update(stage=Stage.RANKING)
    submit_ranking(assignment, students[0])
    answer = enter(instructor).post(f"{path}{extension.pk}/withdraw/")
    assert "A ranking was handed in because of this extension" in answer.content.decode()
    # Nor can it be made shorter than what came in by it.
    answer = enter(instructor).post(
        f"{path}{extension.pk}/", {"hand_in_by": typed(timezone.now() + timedelta(hours=3)), "rank_by": ""}
    )
    extension.refresh_from_db()
    assert extension.rank_by is not None


def test_time_that_would_not_help_is_not_given(assignment, students, instructor, path, enter):
    later = {name: typed(getattr(assignment, name) + timedelta(days=1)) for name in ("hand_in_by", "rank_by")}
    Assignment.objects.update(stage=Stage.REVIEW)
    answer = enter(instructor).post(path, entries(**later))
    assert answer.status_code == 422
    assert answer.context["form"].errors.keys() == {"hand_in_by"}
    Assignment.objects.update(stage=Stage.RELEASED)
    answer = enter(instructor).post(path, entries(rank_by=later["rank_by"]))
    assert answer.status_code == 422
    assert answer.context["form"].errors.keys() == {"__all__"}
    assert not Extension.objects.exists()


def test_in_the_review_whoever_has_an_extension_can_still_rank(assignment, students, papers, instructor, path, enter):
    hand_out(assignment, dict.fromkeys(students[:2], papers[2:5]))
    over = timezone.now() - timedelta(days=1)
    Assignment.objects.update(stage=Stage.REVIEW, hand_in_by=over - timedelta(days=1), rank_by=over)
    assert enter(instructor).post(path, entries(rank_by=typed(timezone.now() + timedelta(days=1)))).status_code == 302
    assert "Rank papers" in enter(students[0]).get(f"/assignments/{assignment.pk}/").content.decode()
    assert "Rank papers" not in enter(students[1]).get(f"/assignments/{assignment.pk}/").content.decode()
    assert enter(students[0]).get(f"/assignments/{assignment.pk}/").context["student"].task == Task.RANK
    assert enter(students[1]).get(f"/assignments/{assignment.pk}/").context["student"].task is None
    nothing = "have to do anything"
    assert nothing not in enter(students[0]).get(f"/assignments/{assignment.pk}/").content.decode()
    assert nothing in enter(students[1]).get(f"/assignments/{assignment.pk}/").content.decode()


def test_time_to_hand_in_does_not_help_where_graders_have_the_paper(
    assignment, students, papers, instructor, path, enter
):
    hand_out(assignment, {students[1]: papers[:1]})
    Assignment.objects.update(stage=Stage.RANKING, hand_in_by=timezone.now() - timedelta(hours=1))
    later = typed(timezone.now() + timedelta(days=1))
    answer = enter(instructor).post(path, entries(hand_in_by=later))
    assert answer.status_code == 422
    assert answer.context["form"].errors.keys() == {"hand_in_by"}
    assert not Extension.objects.exists()
    assert enter(instructor).post(path, entries(student="cy", hand_in_by=later)).status_code == 302


def test_students_are_suggested(assignment, students, instructor, path, enter):
    page = enter(instructor).get(f"{path}students/?student=gu").content.decode()
    assert page.strip() == '<option value="gus">Gus</option>'


def test_only_instructors(granted, assignment, students, assistant, outsider, path, enter):
    for member, status in ((assistant, 403), (students[0], 403), (outsider, 404)):
        assert enter(member).get(path).status_code == status
        assert enter(member).post(path, entries()).status_code == status
        assert enter(member).get(f"{path}{granted.pk}/").status_code == status
        assert enter(member).post(f"{path}{granted.pk}/withdraw/").status_code == status
    assert enter(students[0]).get(f"{path}students/?student=b").status_code == 403
    assert Extension.objects.count() == 1


def test_one_of_another_assignment_is_not_here(granted, course, instructor, enter):
    other = Assignment.objects.create(course=course, title="Other")
    assert enter(instructor).get(f"/assignments/{other.pk}/extensions/{granted.pk}/").status_code == 404
    assert enter(instructor).post(f"/assignments/{other.pk}/extensions/{granted.pk}/withdraw/").status_code == 404


def ended(assignment, students, instructor, enter, *steps):
    """Go on before the deadlines."""
    for step in steps:
        if step == "review" and not Ballot.objects.filter(submission__isnull=False).exists():
            submit_ranking(assignment, students[0])
        assert enter(instructor).post(f"/assignments/{assignment.pk}/move/{step}/").status_code == 302
        Job.objects.update(state=Job.State.DONE)
    assignment.refresh_from_db()


def test_after_an_early_step_a_short_extension_is_one(assignment, students, papers, instructor, path, enter):
    Assignment.objects.update(hand_in_by=timezone.now() + timedelta(days=5))
    ended(assignment, students, instructor, enter, "ranking")
    page = enter(instructor).get(path).content.decode()
    assert "Handing in ended" in page
    assert "before the deadline" in page
    until = timezone.now() + timedelta(days=2)
    assert enter(instructor).post(path, entries(hand_in_by=typed(until))).status_code == 302
    times = deadlines_of(assignment, students[0])
    assert typed(times.hand_in) == typed(until)
    assert deadlines_of(assignment, students[1]).hand_in == assignment.hand_in_ended_at


def test_the_same_for_ranking(assignment, students, papers, instructor, path, enter):
    ended(assignment, students, instructor, enter, "ranking")
    hand_out(assignment, dict.fromkeys(students[:2], papers[2:5]))
    ended(assignment, students, instructor, enter, "review")
    assert "Ranking ended" in enter(instructor).get(path).content.decode()
    until = assignment.rank_by - timedelta(days=3)
    assert enter(instructor).post(path, entries(rank_by=typed(until))).status_code == 302
    assert typed(deadlines_of(assignment, students[0]).rank) == typed(until)


def test_back_at_handing_in_the_deadline_holds_again(assignment, students, papers, instructor, enter):
    ended(assignment, students, instructor, enter, "ranking", "handing-in")
    assert assignment.end_of(Stage.HANDING_IN) == assignment.hand_in_by


def test_ending_ranking_marks_the_time_to_hand_in_that_ended_with_it(
    assignment, course, students, papers, instructor, path, enter
):
    late = enrol(course, "Jo")
    ended(assignment, students, instructor, enter, "ranking")
    hand_out(assignment, dict.fromkeys(students[:2], papers[2:5]))
    kept = Extension.objects.create(
        assignment=assignment, member=late, hand_in_by=timezone.now() + timedelta(days=2), rank_by=assignment.rank_by
    )
    assert "ended with ranking" not in enter(instructor).get(path).content.decode()
    finish(assignment, students[0])
    confirm = enter(instructor).get(f"/assignments/{assignment.pk}/move/review/").content.decode()
    assert "Jo" in confirm
    ended(assignment, students, instructor, enter, "review")
    assert "ended with ranking" in enter(instructor).get(path).content.decode()
    shown = enter(late).get(f"/assignments/{assignment.pk}/").content.decode()
    assert "ranking ended before" in shown
    assert "ranking ended before" not in enter(students[3]).get(f"/assignments/{assignment.pk}/").content.decode()
    assert "extension ended" in enter(late).get("/").content.decode()
    # More time to rank can still be given, though the other time stays written there.
    answer = enter(instructor).post(
        f"{path}{kept.pk}/",
        {"hand_in_by": typed(kept.hand_in_by), "rank_by": typed(kept.rank_by), "note": "again"},
    )
    assert answer.status_code == 302


def test_time_to_rank_needs_something_to_rank(assignment, students, instructor, path, enter):
    paper = hand_in(assignment, students[0])
    later = typed(assignment.rank_by + timedelta(days=1))
    client = enter(instructor)
    # Before papers are handed out nobody knows.
    assert client.post(path, entries(student="cy", rank_by=later)).status_code == 302
    Assignment.objects.update(stage=Stage.RANKING, hand_in_by=timezone.now() - timedelta(hours=1))
    answer = client.post(path, entries(student="di", rank_by=later))
    assert answer.status_code == 422
    assert answer.context["form"].errors.keys() == {"rank_by"}
    assert "Di" in answer.context["form"].errors["rank_by"][0]
    soon = typed(timezone.now() + timedelta(days=1))
    assert client.post(path, entries(student="di", hand_in_by=soon, rank_by=later)).status_code == 302
    assert client.post(path, entries(student="bo", rank_by=later)).status_code == 302
    Assignment.objects.update(stage=Stage.REVIEW)
    answer = client.post(path, entries(student="ed", rank_by=later))
    assert answer.status_code == 422
    assert answer.context["form"].errors.keys() == {"rank_by"}
    assert "Ed" in answer.context["form"].errors["rank_by"][0]
    hand_out(assignment, {students[4]: [paper]})
    assert client.post(path, entries(student="fay", rank_by=later)).status_code == 302
