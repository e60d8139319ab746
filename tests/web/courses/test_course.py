"""Make a course, look at it, change it."""

import re
from datetime import date, timedelta
from importlib import import_module

import pytest
from django.utils import timezone

from peerorder.web.audit.models import Event
from peerorder.web.courses.forms import CourseForm
from peerorder.web.courses.models import Course, Member, Role, a_year_after


def test_it_works(enter, instructor):
    answer = enter(instructor).post("/courses/new/", {"name": "Logic", "time_zone": "Asia/Tokyo"})
    course = Course.objects.get(name="Logic")
    assert answer.url == f"/courses/{course.pk}/"
    assert course.time_zone == "Asia/Tokyo"
    assert Member.objects.get(course=course).role == Role.INSTRUCTOR
    assert Event.objects.get().verb == "course made"
    page = enter(instructor).get(answer.url).content.decode()
    (box,) = re.findall(r'(?s)<div class="empty">.*?</div>', page)
    offered = re.findall(r'<a class="button( second)?" href="([^"]+)"', box)
    assert offered == [
        *(("", f"/courses/{course.pk}/people/roster/"), (" second", f"/courses/{course.pk}/assignments/new/")),
    ]
    assert page.count("/people/roster/") == page.count("/assignments/new/") == 1


def test_a_zone_that_does_not_exist(enter, instructor):
    answer = enter(instructor).post("/courses/new/", {"name": "Logic", "time_zone": "Mars/Base"})
    assert answer.status_code == 200
    assert [*answer.context["form"].errors] == ["time_zone"]
    assert 'class="errorlist"' in answer.content.decode()
    assert not Course.objects.filter(name="Logic").exists()


def test_zones_are_offered_by_one_name_each(enter, instructor, course):
    """m17: 600 names, among them US/Indiana-Starke and Etc/GMT+12."""
    names = [name for name, _words in CourseForm().fields["time_zone"].choices]
    assert names[0] == "UTC"
    assert {"Europe/Berlin", "Asia/Kolkata", "America/Indiana/Knox"} <= set(names)
    assert {"US/Indiana-Starke", "Etc/GMT+12", "Asia/Calcutta"}.isdisjoint(names)
    assert len(names) == len(set(names)) < 450
    # What a browser or an earlier version calls by an old name is kept.
    assert enter(instructor).post("/courses/new/", {"name": "Logic", "time_zone": "Asia/Calcutta"}).status_code == 302
    page = enter(instructor).get(f"/courses/{Course.objects.get(name='Logic').pk}/settings/").content.decode()
    assert '<option value="Asia/Calcutta" selected>' in page


def test_only_who_may_makes_courses(enter, assistant, outsider, client):
    for member in (assistant, outsider):
        answer = enter(member).get("/courses/new/")
        assert answer.status_code == 403
        assert "in this course" not in answer.content.decode(), "there is none"
        assert enter(member).post("/courses/new/", {"name": "x", "time_zone": "UTC"}).status_code == 403
    client.logout()
    assert client.get("/courses/new/").status_code == 302
    assert client.post("/courses/new/").status_code == 403


def test_settings(enter, instructor, course):
    address = f"/courses/{course.pk}/settings/"
    client = enter(instructor)
    assert client.get(address).status_code == 200
    assert client.post(address, {"name": "Graphs", "time_zone": "UTC"}).status_code == 302
    course.refresh_from_db()
    assert (course.name, course.time_zone) == ("Graphs", "UTC")
    assert "Graphs" in client.post(address, {"name": "", "time_zone": "UTC"}).content.decode()


def test_a_course_ends_after_a_year_unless_told_otherwise(enter, instructor, course):
    client, address = enter(instructor), f"/courses/{course.pk}/settings/"
    days = (course.ends_on - timezone.localdate()).days
    assert days in (364, 365, 366)
    assert f'value="{course.ends_on}"' in client.get(address).content.decode()
    client.post(address, {"name": "Algorithms", "time_zone": "UTC", "ends_on": "2027-02-28"})
    course.refresh_from_db()
    assert course.ends_on == date(2027, 2, 28)
    assert Event.objects.get(verb="course changed").details["ends_on"] == "2027-02-28"


@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31", "2027-02-30", "soon"])
def test_an_end_that_is_no_date(enter, instructor, course, day):
    before, address = course.ends_on, f"/courses/{course.pk}/settings/"
    answer = enter(instructor).post(address, {"name": "Algorithms", "time_zone": "UTC", "ends_on": day})
    assert answer.status_code == 200
    assert "errorlist" in answer.content.decode()
    course.refresh_from_db()
    assert course.ends_on == before


def test_a_leap_day_has_no_anniversary():
    assert a_year_after(date(2028, 2, 29)) == date(2029, 2, 28)
    assert a_year_after(date(2027, 12, 31)) == date(2028, 12, 31)


def test_the_upgrade_locks_nobody_out(course):
    """The end of an old course is months ahead, that of a new one a year after it was made."""
    from django.apps import apps

    migration = import_module("peerorder.web.courses.migrations.0003_ends_on_invitations")
    old = Course.objects.create(name="Old", created_at=timezone.now() - timedelta(days=900))
    Course.objects.filter(pk=course.pk).update(created_at=timezone.now() - timedelta(days=30))
    migration.end_existing(apps, None)
    old.refresh_from_db()
    course.refresh_from_db()
    assert old.ends_on == timezone.localdate() + migration.AT_LEAST
    assert course.ends_on == a_year_after(timezone.localdate() - timedelta(days=30))


def test_the_page_for_staff(enter, instructor, assistant, students, course, assignment):
    page = enter(instructor).get(f"/courses/{course.pk}/").content.decode()
    for text in ("8 students", "Essay", "New assignment", f"/courses/{course.pk}/log/", "Settings"):
        assert text in page
    page = enter(assistant).get(f"/courses/{course.pk}/").content.decode()
    assert "Essay" in page
    assert "New assignment" not in page
    assert "Settings" not in page


def test_the_page_for_students_names_nobody(enter, students, course, assignment):
    page = enter(students[0]).get(f"/courses/{course.pk}/").content.decode()
    assert "Essay" in page
    for other in students[1:]:
        assert other.person.email not in page
    assert "/people/" not in page


STAFF_PAGES = ("people/", "people/staff/", "mails/")
INSTRUCTORS_PAGES = ("settings/", "people/new/", "people/links/", "people/roster/")
INSTRUCTORS_POSTS = (
    "people/staff/invite/",
    "people/{}/role/",
    "people/links/export/",
    "people/links/send/",
    "people/links/revoke/",
    "people/{}/change/",
    "people/{}/link/",
    "people/{}/revoke/",
    "people/{}/remove/",
    "people/{}/put-back/",
    "people/{}/erase/",
    "mails/again/",
)


@pytest.mark.parametrize("path", [*STAFF_PAGES, *INSTRUCTORS_PAGES, "people/{}/", "people/{}/erase/"])
def test_who_may_look(enter, client, course, instructor, assistant, students, outsider, path):
    address = f"/courses/{course.pk}/" + path.format(students[0].pk)
    assert enter(instructor).get(address).status_code == 200
    assert enter(assistant).get(address).status_code == (200 if path in (*STAFF_PAGES, "people/{}/") else 403)
    assert enter(students[0]).get(address).status_code == 403
    assert enter(outsider).get(address).status_code == 404
    client.logout()
    assert client.get(address).url.startswith("/login/")


@pytest.mark.parametrize("path", INSTRUCTORS_POSTS)
def test_who_may_change(enter, client, course, instructor, assistant, students, outsider, path):
    address = f"/courses/{course.pk}/" + path.format(students[0].pk)
    before = Event.objects.count()
    assert enter(assistant).post(address).status_code == 403
    assert enter(students[1]).post(address).status_code == 403
    assert enter(outsider).post(address).status_code == 404
    client.logout()
    assert client.post(address).status_code == 403
    assert Event.objects.count() == before
    if not path.endswith("erase/"):
        assert enter(instructor).get(address).status_code == 405


def test_a_member_of_another_course_is_not_there(enter, course, instructor, outsider):
    for path in ("", "erase/"):
        assert enter(instructor).get(f"/courses/{course.pk}/people/{outsider.pk}/{path}").status_code == 404
    assert enter(instructor).post(f"/courses/{course.pk}/people/{outsider.pk}/remove/").status_code == 404
    outsider.refresh_from_db()
    assert outsider.removed_at is None


def test_enormous_numbers_are_not_there(enter, course, instructor):
    huge = 10**30
    for address in (
        f"/courses/{huge}/",
        f"/courses/{course.pk}/people/{huge}/",
        f"/courses/{course.pk}/people/roster/{huge}/",
    ):
        assert enter(instructor).get(address).status_code == 404
    assert enter(instructor).get(f"/courses/{course.pk}/people/?section={huge}&page={huge}").status_code == 200
