"""What there is to do."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from peerorder.web.assignments.models import Assignment, Extension, Stage
from peerorder.web.courses.models import Course, Member, Section
from peerorder.web.monitor.student_state import State, Task
from peerorder.web.papers.models import Authorship, Kind, Paper, Version
from peerorder.web.ranking.models import Handout, Slot
from peerorder.web.templatetags.peerorder import time_left
from tests.web.factories import save_ranking, submit_ranking


def hand_in(assignment, member):
    paper = Paper.objects.create(assignment=assignment)
    version = Version.objects.create(paper=paper, kind=Kind.TEXT, text="x", digest="0", size=1, handed_in_by=member)
    Paper.objects.filter(pk=paper.pk).update(current=version)
    Authorship.objects.create(assignment=assignment, paper=paper, member=member)
    return paper


def home(client):
    answer = client.get("/")
    assert answer.status_code == 200
    return answer.content.decode()


def test_it_works(enter, students, assignment):
    page = home(enter(students[0]))
    assert "Essay" in page
    assert "Algorithms" in page
    assert f'href="/assignments/{assignment.pk}/"' in page
    assert ">Hand in<" in page
    assert "Rank papers" not in page


def test_the_deadline_is_that_of_the_student_in_the_zone_of_the_course(enter, students, assignment):
    later = timezone.now() + timedelta(days=3)
    Extension.objects.create(assignment=assignment, member=students[0], hand_in_by=later)
    page = home(enter(students[0]))
    assert "Europe/Athens" in page
    assert page.count(f'datetime="{timezone.localtime(later, _athens()).isoformat()}"') == 1


def _athens():
    from zoneinfo import ZoneInfo

    return ZoneInfo("Europe/Athens")


def test_who_has_handed_in_has_nothing_to_do(enter, students, assignment):
    hand_in(assignment, students[0])
    page = home(enter(students[0]))
    assert 'class="empty"' in page
    assert "Essay" in page
    assert ">Hand in<" not in page


def test_ranking(enter, students, assignment):
    assignment.stage = Stage.RANKING
    assignment.save()
    paper = hand_in(assignment, students[0])
    handout = Handout.objects.create(assignment=assignment, why="first")
    Slot.written.create(assignment=assignment, handout=handout, grader=students[1], paper=paper, position=0)
    client = enter(students[1])
    assert "Rank papers" not in home(client), "a hand-out that is not ready is for nobody's eyes"
    Handout.objects.update(ready_at=timezone.now())
    assert "Rank papers" in home(client)
    submit_ranking(assignment, students[1])
    assert "Rank papers" not in home(client)
    change = f'href="/assignments/{assignment.pk}/ranking/"'
    assert change in home(client)
    Assignment.objects.filter(pk=assignment.pk).update(stage=Stage.REVIEW, rank_by=timezone.now())
    assert change not in home(client)


def test_more_time_to_hand_in_while_others_rank(enter, students, assignment):
    assignment.stage = Stage.RANKING
    assignment.hand_in_by = timezone.now() - timedelta(days=1)
    assignment.save()
    assert ">Hand in<" not in home(enter(students[0]))
    Extension.objects.create(assignment=assignment, member=students[0], hand_in_by=timezone.now() + timedelta(days=1))
    assert ">Hand in<" in home(enter(students[0]))


def test_too_late_is_not_asked(enter, students, assignment):
    assignment.hand_in_by = timezone.now() - timedelta(hours=1)
    assignment.save()
    assert ">Hand in<" not in home(enter(students[0]))


def test_drafts_and_other_sections_are_not_there(enter, course, students, assignment):
    assignment.sections.add(Section.objects.create(course=course, name="Monday"))
    assert "Essay" not in home(enter(students[0]))
    assert "Essay" not in enter(students[0]).get(f"/courses/{course.pk}/").content.decode()
    assignment.sections.clear()
    assignment.stage = Stage.DRAFT
    assignment.save()
    assert "Essay" not in home(enter(students[0]))


def test_a_student_half_way_sees_how_far_it_is(enter, students, assignment):
    assignment.stage = Stage.RANKING
    assignment.save()
    handout = Handout.objects.create(assignment=assignment, why="first", ready_at=timezone.now())
    tokens = [
        Slot.written.create(
            assignment=assignment,
            handout=handout,
            grader=students[0],
            paper=hand_in(assignment, author),
            position=at,
        ).token
        for at, author in enumerate(students[1:6])
    ]
    client = enter(students[0])
    assert [(each.state, each.papers) for each in client.get("/").context["to_do"]] == [(State.NOT_STARTED, 5)]
    assert "5 papers" in home(client)
    content = {"orders": {"0": [[tokens[0]], [tokens[3]]]}, "unjudged": [tokens[1]], "comments": {}}
    save_ranking(assignment, students[0], content)
    assert "3 of 5" in home(client)
    content = {"orders": {"0": [tokens]}, "unjudged": [], "comments": {}}
    submit_ranking(assignment, students[0], content)
    assert client.get("/").context["to_do"] == []
    assert [each.state for each in client.get("/").context["others"]] == [State.DONE]
    assert "Your ranking" in home(client)
    save_ranking(assignment, students[0], {"orders": {"0": [tokens[1:]]}, "unjudged": tokens[:1], "comments": {}})
    assert [each.task for each in client.get("/").context["to_do"]] == [Task.HAND_IN_CHANGES]
    assert f'class="button" href="/assignments/{assignment.pk}/ranking/"' in home(client)
    # Of another student's work nothing is told.
    assert "Your ranking" not in home(enter(students[6]))


def test_who_has_handed_in_sees_when_ranking_begins(enter, students, assignment):
    hand_in(assignment, students[0])
    moment = timezone.localtime(assignment.hand_in_by, _athens()).isoformat()
    assert f'Ranking begins on <time datetime="{moment}"' in home(enter(students[0]))
    Assignment.objects.update(moves_by_itself=False)
    assert "Ranking begins" not in home(enter(students[0]))


@pytest.mark.parametrize(
    ("left", "said"),
    [
        (timedelta(seconds=-1), ""),
        (timedelta(minutes=1, seconds=59), "in 1 minute"),
        (timedelta(minutes=119), "in 119 minutes"),
        (timedelta(hours=47), "in 47 hours"),
        (timedelta(days=4, hours=23), "in 4 days"),
    ],
)
def test_time_left(left, said):
    assert time_left(left) == said


def test_a_deadline_says_how_long_there_is(enter, students, assignment):
    Assignment.objects.update(hand_in_by=timezone.now() + timedelta(days=4, hours=1))
    said = ", in 4 days".replace("n 4 d", "n\N{NO-BREAK SPACE}4\N{NO-BREAK SPACE}d")
    assert said in home(enter(students[0]))
    assert said in enter(students[0]).get(f"/assignments/{assignment.pk}/").content.decode()
    assert said in enter(students[0]).get(f"/assignments/{assignment.pk}/hand-in/").content.decode()


def test_an_archived_course_stays_in_reach_with_its_receipts(enter, course, students, assignment):
    """After a semester students were told that they are in no course (M18)."""
    hand_in(assignment, students[0])
    course.archived_at = timezone.now()
    course.save()
    client = enter(students[0])
    page = home(client)
    assert "Past courses" in page
    assert 'class="empty"' not in page
    assert f'href="/courses/{course.pk}/"' in page
    assert f'href="/assignments/{assignment.pk}/"' not in page
    course_page = client.get(f"/courses/{course.pk}/").content.decode()
    assert f'href="/assignments/{assignment.pk}/"' in course_page
    page = client.get(f"/assignments/{assignment.pk}/").content.decode()
    assert f'href="/assignments/{assignment.pk}/receipt/"' in page
    assert "/hand-in/" not in page
    assert client.get(f"/assignments/{assignment.pk}/receipt/").status_code == 200


def test_staff_see_how_many_are_done(enter, instructor, students, course, assignment, django_assert_max_num_queries):
    for student in students[:3]:
        hand_in(assignment, student)
    client = enter(instructor)
    assert '<progress max="8" value="3"' in home(client)
    section = Section.objects.create(course=course, name="Monday")
    Member.objects.filter(pk__in=[students[0].pk, students[5].pk]).update(section=section)
    other = Assignment.objects.create(course=course, title="Poem", stage=Stage.HANDING_IN)
    other.sections.add(section)
    assert '<progress max="2" value="0"' in home(client)
    assert '<progress max="2" value="0"' in client.get(f"/courses/{course.pk}/").content.decode()
    assignment.stage = Stage.RANKING
    assignment.save()
    assert "being distributed" in home(client)
    handout = Handout.objects.create(assignment=assignment, why="first", ready_at=timezone.now())
    paper = hand_in(assignment, students[3])
    for student in students[:3]:
        Slot.written.create(assignment=assignment, handout=handout, grader=student, paper=paper, position=0)
    submit_ranking(assignment, students[0])
    assert '<progress max="3" value="1"' in home(client)
    for number in range(10):
        Assignment.objects.create(course=course, title=f"Draft {number}")
    with django_assert_max_num_queries(20):
        home(client)


def test_staff_see_their_courses(enter, instructor, assistant, course, outsider):
    page = home(enter(instructor))
    assert f"/courses/{course.pk}/" in page
    assert "New course" in page
    page = home(enter(assistant))
    assert f"/courses/{course.pk}/" in page
    assert "New course" not in page
    assert "no password" in page
    assert "Botany" not in page


def test_an_outsider_sees_nothing_of_it(enter, outsider, assignment):
    page = home(enter(outsider))
    assert "Essay" not in page
    assert "Algorithms" not in page


def test_somebody_removed_sees_nothing(enter, students, assignment):
    students[0].removed_at = timezone.now()
    students[0].save()
    client = enter(students[0])
    assert client.get("/").context["studies"] == []
    page = home(client)
    assert "Essay" not in page
    assert 'class="empty"' in page


def test_nobody_logs_in_first(client, db):
    answer = client.get("/")
    assert answer.status_code == 302
    assert answer.url.startswith("/login/")


def test_an_assistant_is_shown_what_an_assistant_can_do(enter, instructor, assistant, course, assignment):
    """m1: links to pages that refuse assistants, and no word about what they can do."""
    for member in (instructor, assistant):
        page = enter(member).get(f"/courses/{course.pk}/").content.decode()
        assert ("As an assistant" in page) == (member is assistant)
    for stage in Stage:
        Assignment.objects.update(stage=stage)
        client = enter(assistant)
        offered = set()
        for page in ("/", f"/courses/{course.pk}/", f"/assignments/{assignment.pk}/", f"/courses/{course.pk}/people/"):
            offered |= set(re.findall(r'href="(/[^"#?]*)', client.get(page).content.decode()))
        for address in offered:
            assert address.startswith("/static/") or client.get(address).status_code == 200, (stage, address)


def test_nothing_new_is_offered_in_an_archived_course(enter, instructor, course):
    """m22."""
    path = f"/courses/{course.pk}/assignments/new/"
    assert path in enter(instructor).get(f"/courses/{course.pk}/").content.decode()
    Course.objects.update(archived_at=timezone.now())
    assert path not in enter(instructor).get(f"/courses/{course.pk}/").content.decode()
