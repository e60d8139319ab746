"""Making and changing assignments."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from peerorder.web.assignments import services
from peerorder.web.assignments.local_times import FORMAT, evening
from peerorder.web.assignments.locks import locked_fields
from peerorder.web.assignments.models import Assignment, Stage
from peerorder.web.audit.models import Event
from peerorder.web.courses.models import Member, Section
from peerorder.web.errors import Refused
from peerorder.web.ranking.models import Ballot
from tests.web.lifecycle.conftest import hand_in

ATHENS = ZoneInfo("Europe/Athens")


def typed(days, hour=12):
    return (timezone.now().astimezone(ATHENS) + timedelta(days=days)).replace(hour=hour, minute=0).strftime(FORMAT)


def entries(**other):
    return {
        "title": "Essay 2",
        "task": "Write.",
        "takes_text": "on",
        "papers_each": "4",
        "instructions": "Be **fair**.",
        "solution": "",
        "least_comment": "0",
        "hand_in_by": typed(3),
        "late_hours": "0",
        "rank_by": typed(6),
        "moves_by_itself": "on",
        "remind_hours": "24",
        **other,
    }


def test_an_assignment_is_made(course, instructor, enter):
    answer = enter(instructor).post(f"/courses/{course.pk}/assignments/new/", entries(), follow=True)
    made = Assignment.objects.get()
    assert answer.redirect_chain == [(f"/assignments/{made.pk}/", 302)]
    assert (made.title, made.stage, made.papers_each, made.takes_pdf) == ("Essay 2", Stage.DRAFT, 4, False)
    assert made.hand_in_by.astimezone(ATHENS).strftime(FORMAT) == typed(3)
    assert Event.objects.get().verb == "assignment made"


def test_the_defaults_are_evenings_in_the_zone_of_the_course(course, instructor, enter):
    page = enter(instructor).get(f"/courses/{course.pk}/assignments/new/").content.decode()
    with timezone.override(ATHENS):
        for days in (7, 14):
            moment = evening(days, timezone.now())
            assert (moment.hour, moment.minute) == (23, 59)
            assert f'value="{moment.strftime(FORMAT)}"' in page


@pytest.mark.parametrize("who", ["assistant", "outsider", "student"])
def test_only_instructors_make_and_change(who, course, assignment, students, enter, request):
    member = students[0] if who == "student" else request.getfixturevalue(who)
    expected = 404 if who == "outsider" else 403
    for path in (f"/courses/{course.pk}/assignments/new/", f"/assignments/{assignment.pk}/edit/"):
        assert enter(member).get(path).status_code == expected
        assert enter(member).post(path, entries()).status_code == expected
    assert Assignment.objects.count() == 1


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"title": ""}, "This field is required"),
        ({"takes_text": ""}, "Choose at least one kind"),
        ({"hand_in_by": typed(-1)}, "This time is in the past"),
        ({"rank_by": typed(2)}, "Ranking begins when the last papers are in"),
        ({"rank_by": typed(4), "late_hours": "48"}, "Ranking begins when the last papers are in"),
        ({"papers_each": "1"}, "Choose a number from 2 to 50"),
        ({"comments": "on", "least_comment": "6000"}, "Choose a number from 0 to 5000"),
        ({"hand_in_by": "soon"}, "This is not a date with a time"),
        ({"hand_in_by": "2027-02-31T10:00"}, "This is not a date with a time"),
        ({"hand_in_by": "0001-01-01T00:00"}, "1 is not a plausible year"),
        ({"hand_in_by": "2027-03-28T03:30", "rank_by": ""}, "03:30 does not exist in Europe/Athens"),
    ],
)
def test_what_is_wrong_is_said(wrong, said, course, instructor, enter):
    answer = enter(instructor).post(f"/courses/{course.pk}/assignments/new/", entries(**wrong))
    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert not Assignment.objects.exists()


def test_a_time_that_comes_twice_is_the_second_one(course, instructor, enter):
    twice = entries(hand_in_by="2027-10-31T03:30", rank_by="2027-11-30T12:00")
    answer = enter(instructor).post(f"/courses/{course.pk}/assignments/new/", twice, follow=True)
    assert "03:30 occurs twice. The second one counts." in answer.content.decode()
    made = Assignment.objects.get()
    assert made.hand_in_by == datetime(2027, 10, 31, 1, 30, tzinfo=ZoneInfo("UTC"))


def test_a_deadline_that_nobody_touched_stays_to_the_second(assignment, instructor, enter):
    exact = timezone.now() + timedelta(days=1, seconds=17)
    Assignment.objects.filter(pk=assignment.pk).update(hand_in_by=exact)
    same = exact.astimezone(ATHENS).strftime(FORMAT)
    enter(instructor).post(f"/assignments/{assignment.pk}/edit/", entries(hand_in_by=same, title="Other"))
    assignment.refresh_from_db()
    assert (assignment.title, assignment.hand_in_by) == ("Other", exact)
    assert "hand_in_by" not in Event.objects.get().details["fields"]


def test_a_deadline_that_is_over_and_untouched_is_no_error(assignment, instructor, enter):
    over = timezone.now() - timedelta(days=1)
    Assignment.objects.filter(pk=assignment.pk).update(stage=Stage.HANDING_IN, hand_in_by=over)
    same = over.astimezone(ATHENS).strftime(FORMAT)
    answer = enter(instructor).post(f"/assignments/{assignment.pk}/edit/", entries(hand_in_by=same))
    assert answer.status_code == 302


def test_what_is_locked_is_shown_with_the_reason_and_kept(assignment, students, instructor, enter):
    hand_in(assignment, students[0])
    Assignment.objects.filter(pk=assignment.pk).update(stage=Stage.RANKING)
    path = f"/assignments/{assignment.pk}/edit/"
    answer = enter(instructor).get(path)
    reasons = {reason for group in answer.context["groups"] for reason, _names in group["locks"]}
    assert reasons == set(locked_fields(Assignment.objects.get()).values())
    # Once per group, not once per field.
    assert sorted(answer.content.decode().count(reason) for reason in reasons) == [1, 3]
    locks = {group["key"]: len(group["locks"]) for group in answer.context["groups"]}
    assert locks == {"task": 0, "participants": 1, "handing-in": 1, "ranking": 1, "deadlines": 1, "messages": 0}
    enter(instructor).post(path, entries(papers_each="7", takes_links="on", title="New title"))
    assignment.refresh_from_db()
    assert (assignment.title, assignment.papers_each, assignment.takes_links) == ("New title", 3, False)


def test_kinds_are_locked_when_papers_are_there(assignment, students, instructor, enter):
    path = f"/assignments/{assignment.pk}/edit/"
    assert not any(group["locks"] for group in enter(instructor).get(path).context["groups"])
    hand_in(assignment, students[0])
    answer = enter(instructor).get(path)
    [(reason, _names)] = next(group["locks"] for group in answer.context["groups"] if group["key"] == "handing-in")
    assert reason in answer.content.decode()
    assert answer.context["form"].fields["takes_pdf"].disabled


def test_the_ballot_is_locked_when_somebody_has_begun(assignment, students, instructor, enter):
    Ballot.objects.create(assignment=assignment, grader=students[0])
    answer = enter(instructor).get(f"/assignments/{assignment.pk}/edit/")
    [(reason, _names)] = next(group["locks"] for group in answer.context["groups"] if group["key"] == "ranking")
    assert reason in answer.content.decode()
    assert answer.context["form"].fields["ties"].disabled


def test_the_minimum_of_comments_can_only_be_lowered_while_students_rank(assignment, students, instructor, enter):
    Ballot.objects.create(assignment=assignment, grader=students[0])
    stuck = {"stage": Stage.RANKING, "comments": True, "least_comment": 6000}
    Assignment.objects.filter(pk=assignment.pk).update(**stuck)
    client, path = enter(instructor), f"/assignments/{assignment.pk}/edit/"
    answer = client.get(path)
    assert not answer.context["form"].fields["least_comment"].disabled
    assert "still lower" in answer.content.decode()
    for least, status, then in (("6001", 422, 6000), ("200", 302, 200), ("300", 422, 200)):
        assert client.post(path, entries(least_comment=least)).status_code == status
        assignment.refresh_from_db()
        assert assignment.least_comment == then
    with pytest.raises(Refused, match="already started to rank"):
        services.change(assignment, {"least_comment": 201}, ["least_comment"], instructor.person)
    Assignment.objects.filter(pk=assignment.pk).update(**stuck | {"stage": Stage.REVIEW})
    assert client.post(path, entries(title="Other")).status_code == 302


def test_ranking_may_end_before_papers_were_due_where_handing_in_ended_early(assignment, instructor, enter):
    now = timezone.now()
    late = {"hand_in_by": now + timedelta(days=7), "rank_by": now + timedelta(days=14)}
    Assignment.objects.filter(pk=assignment.pk).update(stage=Stage.RANKING, hand_in_ended_at=now, **late)
    path = f"/assignments/{assignment.pk}/edit/"
    assert enter(instructor).post(path, entries(rank_by=typed(3))).status_code == 302
    assignment.refresh_from_db()
    assert assignment.rank_by.astimezone(ATHENS).strftime(FORMAT) == typed(3)
    assert enter(instructor).post(path, entries(rank_by=typed(-1))).status_code == 422


def test_what_was_locked_while_the_form_was_open_is_refused(assignment, instructor):
    Assignment.objects.filter(pk=assignment.pk).update(stage=Stage.RANKING)
    with pytest.raises(Refused, match="already been distributed"):
        services.change(assignment, {"papers_each": 9}, ["papers_each"], instructor.person)
    assignment.refresh_from_db()
    assert assignment.papers_each == 3


def test_sections_are_pooled(course, instructor, enter):
    one, two = (Section.objects.create(course=course, name=name) for name in ("A", "B"))
    Section.objects.create(course=course, name="C")
    enter(instructor).post(f"/courses/{course.pk}/assignments/new/", entries(sections=[one.pk, two.pk]))
    made = Assignment.objects.get()
    assert set(made.sections.all()) == {one, two}
    enter(instructor).post(f"/assignments/{made.pk}/edit/", entries(sections=[one.pk]))
    assert set(made.sections.all()) == {one}


def test_more_papers_than_there_are_is_warned_of(course, students, instructor, enter):
    """M13: 40 papers each in a class of 25 were saved without a word."""
    client, path = enter(instructor), f"/courses/{course.pk}/assignments/new/"

    def warnings(**other):
        said = client.post(path, entries(**other), follow=True).context["messages"]
        return [str(message) for message in said if message.level_tag == "warning"]

    assert warnings(papers_each="7") == []
    [said] = warnings(papers_each="8")
    assert "only 7" in said
    assert Assignment.objects.filter(papers_each=8).exists()
    monday = Section.objects.create(course=course, name="Monday")
    Member.objects.filter(pk__in=[student.pk for student in students[:3]]).update(section=monday)
    [said] = warnings(papers_each="4", sections=[monday.pk])
    assert "only 2" in said


def test_what_is_wrong_is_listed_with_links_at_the_top(course, instructor, enter):
    """M16: one line at the top of a page of 3,900 pixels, and the wrong field far below."""
    path = f"/courses/{course.pk}/assignments/new/"
    answer = enter(instructor).post(path, entries(title="", rank_by=typed(1)))
    assert answer.status_code == 422
    page = answer.content.decode()
    top = page.partition("<form")[0] + page.partition("<fieldset")[0]
    assert "autofocus" in top
    for field in ("title", "rank_by"):
        assert f'href="#id_{field}"' in top
        assert f'id="id_{field}"' in page


def test_every_field_stands_in_one_group(course, instructor, enter):
    groups = enter(instructor).get(f"/courses/{course.pk}/assignments/new/").context["groups"]
    names = [field.name for group in groups for field, _locked in group["fields"]]
    assert len(names) == len(set(names)) >= 18
    assert all(group["fields"] for group in groups)


@pytest.mark.parametrize("field", ["task", "instructions", "solution"])
def test_a_preview_shows_a_text_as_students_will_see_it(course, instructor, enter, field):
    page = enter(instructor).post(f"/courses/{course.pk}/assignments/preview/", {field: "**b** <script> $x^2$"})
    assert page.status_code == 200
    text = page.content.decode()
    assert "<strong>b</strong> &lt;script&gt; <math" in text
    assert "<html" not in text
