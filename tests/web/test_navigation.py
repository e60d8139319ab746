"""The tabs under the title of a course or an assignment."""

import re

import pytest

from peerorder.web.assignments.models import Assignment, Stage


def tabs(client, address):
    """The addresses of the tabs of a page, and which of them is current."""
    shown = client.get(address).content.decode().partition('<nav class="tabs"')[2].partition("</nav>")[0]
    return re.findall(r'href="([^"]+)"', shown), re.findall(r'href="([^"]+)" aria-current', shown)


@pytest.mark.parametrize(
    ("page", "tab"),
    [("", ""), ("monitor/", "monitor/"), ("papers/hand-in/", "papers/"), ("marks/", "results/"), ("export/", "edit/")],
)
def test_a_page_belongs_to_one_tab(assignment, instructor, enter, page, tab):
    Assignment.objects.update(stage=Stage.RANKING)
    here = f"/assignments/{assignment.pk}/"
    every, current = tabs(enter(instructor), here + page)
    assert current == [here + tab]
    assert [each.removeprefix(here) for each in every] == [
        *("", "monitor/", "papers/", "problems/", "extensions/", "results/", "edit/")
    ]


def test_tabs_are_for_those_who_may_open_them(assignment, course, assistant, students, enter):
    Assignment.objects.update(stage=Stage.RANKING)
    here = f"/assignments/{assignment.pk}/"
    every, _current = tabs(enter(assistant), here)
    assert not {f"{here}extensions/", f"{here}edit/"} & set(every)
    every, _current = tabs(enter(assistant), f"/courses/{course.pk}/")
    assert not any(each.endswith(("/log/", "/settings/")) for each in every)
    assert tabs(enter(students[0]), here) == ([], [])


@pytest.mark.parametrize(("page", "tab"), [("people/links/", "people/"), ("people/staff/", "people/staff/")])
def test_pages_of_a_course(course, instructor, enter, page, tab):
    assert tabs(enter(instructor), f"/courses/{course.pk}/{page}")[1] == [f"/courses/{course.pk}/{tab}"]


def test_a_student_of_several_courses_is_told_the_time_zone_of_each(assignment, students, enter):
    said = f"Times in {assignment.course.time_zone}"
    assert said in enter(students[0]).get("/").content.decode()
    Assignment.objects.update(hand_in_by=None, rank_by=None)
    assert said not in enter(students[0]).get("/").content.decode(), "no time is shown"
