"""Retention: people are erased some months after the end of a course, and never without a warning."""

from datetime import UTC, date, datetime, timedelta

import pytest
from django.core.files.storage import default_storage
from django.utils import formats

from peerorder.web.audit.models import Event
from peerorder.web.courses.models import Course, Invitation, Member, Role, RosterUpload, months_after
from peerorder.web.home import retention
from peerorder.web.home.background import look_after_retention
from peerorder.web.home.retention import erase_course, is_due, look_after
from peerorder.web.jobs.models import Job
from peerorder.web.mail.models import Mail
from peerorder.web.papers.models import Version
from peerorder.web.people.models import Person
from tests.web.factories import enrol, run_waiting, submit_paper
from tests.web.home.test_erasure import everything, paper_of, xan  # noqa: F401 -- a fixture

END = date(2026, 1, 31)
ERASED = date(2028, 1, 31)


def noon(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, 12, tzinfo=UTC)


@pytest.fixture
def over(course) -> Course:
    """A course that ended."""
    Course.objects.filter(pk=course.pk).update(ends_on=END)
    course.refresh_from_db()
    return course


def looked_after(course: Course, day: date) -> Course:
    course.refresh_from_db()
    look_after(course, noon(day))
    course.refresh_from_db()
    return course


def warnings() -> list[str]:
    return sorted(Mail.objects.filter(key__startswith="retention ").values_list("key", flat=True))


@pytest.mark.parametrize(
    ("day", "months", "then"),
    [
        (date(2026, 1, 31), 1, date(2026, 2, 28)),
        (date(2027, 1, 31), 13, date(2028, 2, 29)),
        (date(2026, 12, 1), 1, date(2027, 1, 1)),
        (date(2026, 11, 30), 24, date(2028, 11, 30)),
    ],
)
def test_months(day, months, then):
    assert months_after(day, months) == then


def test_new_courses_are_erased_after_two_years_and_never_is_possible(enter, client, instructor, course):
    assert course.erased_on == months_after(course.ends_on, 24)
    address = f"/courses/{course.pk}/settings/"
    same = {"name": "Algorithms", "time_zone": "Europe/Athens", "ends_on": "2026-01-31"}
    for sent, months in (("never", None), ("6", 6), ("", 6)):
        assert enter(instructor).post(address, same | {"retention_months": sent}).status_code == 302
        course.refresh_from_db()
        assert course.retention_months == months
    assert course.erased_on == date(2026, 7, 31)
    assert client.post(address, same | {"retention_months": "-1"}).status_code in (200, 422)
    course.refresh_from_db()
    assert course.retention_months == 6
    assert Event.objects.filter(verb="course changed", details__retention_months=6).exists()


def test_an_assistant_cannot_change_it(enter, assistant, course):
    sent = {"name": "A", "time_zone": "UTC", "ends_on": "2026-01-31", "retention_months": "1"}
    assert enter(assistant).post(f"/courses/{course.pk}/settings/", sent).status_code == 403
    course.refresh_from_db()
    assert course.retention_months == 24


def test_everybody_sees_when(enter, course, instructor, students, assistant):
    for member in (instructor, students[0], assistant):
        assert formats.date_format(course.erased_on) in enter(member).get(f"/courses/{course.pk}/").content.decode()


def test_instructors_are_warned_twice_and_once_each(over, instructor, assistant, students):
    second = enrol(over, "Jo", Role.INSTRUCTOR)
    looked_after(over, ERASED - timedelta(days=31))
    assert warnings() == []
    for days in (30, 29, 8):
        looked_after(over, ERASED - timedelta(days=days))
    assert len(warnings()) == 2
    for days in (7, 6, 1):
        looked_after(over, ERASED - timedelta(days=days))
    assert len(warnings()) == 4
    to = set(Mail.objects.values_list("person_id", flat=True))
    assert to == {instructor.person_id, second.person_id}
    assert not Job.objects.filter(kind="retention").exists()
    assert not Person.objects.exclude(erased_at=None).exists()


def test_everybody_is_erased_on_the_day(over, instructor, assistant, students, work_off):
    day = looked_after(over, ERASED - timedelta(days=30))
    assert not is_due(day, noon(ERASED - timedelta(days=1)))
    assert is_due(day, noon(ERASED))
    looked_after(over, ERASED)
    looked_after(over, ERASED)
    assert Job.objects.filter(kind="retention").count() == 1


def test_nothing_is_erased_without_a_warning_a_week_before(over, instructor, students):
    """The app did not run, or somebody moved the end of the course to long ago."""
    late = ERASED + timedelta(days=400)
    for days in range(7):
        course = looked_after(over, late + timedelta(days=days))
        assert not Job.objects.filter(kind="retention").exists()
        assert course.erased_at is None
    assert len(warnings()) == 1
    looked_after(over, late + timedelta(days=7))
    assert Job.objects.filter(kind="retention").count() == 1


def test_another_date_needs_another_warning(over, instructor, students):
    looked_after(over, ERASED - timedelta(days=30))
    Course.objects.filter(pk=over.pk).update(retention_months=23)
    course = looked_after(over, ERASED)
    assert not is_due(course, noon(ERASED))
    assert len(warnings()) == 2
    Course.objects.filter(pk=over.pk).update(retention_months=None)
    looked_after(over, ERASED + timedelta(days=4000))
    assert not Job.objects.filter(kind="retention").exists()


def test_a_job_that_comes_too_late_to_a_date_that_moved_erases_nothing(over, instructor, students):
    looked_after(over, ERASED - timedelta(days=30))
    looked_after(over, ERASED)
    Course.objects.filter(pk=over.pk).update(retention_months=120)
    run_waiting()
    assert not Person.objects.exclude(erased_at=None).exists()


def test_by_the_clock(course, instructor, students, assistant, work_off, django_capture_on_commit_callbacks):
    """From the periodic function to the last mail, without calling anything else."""
    now = datetime.now(UTC)
    ends = now.date() - timedelta(days=800)
    Course.objects.filter(pk=course.pk).update(ends_on=ends)
    look_after_retention()
    work_off()
    assert not Person.objects.exclude(erased_at=None).exists()
    Course.objects.filter(pk=course.pk).update(erasure_warned_at=now - timedelta(days=8))
    look_after_retention()
    with django_capture_on_commit_callbacks(execute=True):
        work_off()
    assert Person.objects.filter(erased_at=None).get() == instructor.person
    assert not Member.objects.filter(removed_at=None).exists()
    look_after_retention()
    assert not Job.objects.filter(kind="retention", finished_at=None).exists()


def test_nothing_of_anybody_is_left(
    course,
    instructor,
    assistant,
    students,
    assignment,
    xan,  # noqa: F811
    django_capture_on_commit_callbacks,
):
    submit_paper(assignment, students[1], "Cy's own words about trees")
    Invitation.objects.create(
        course=course, role=Role.ASSISTANT, name="Zoe Quill", email="zoe@example.edu", expires_at=noon(ERASED)
    )
    # It was looked at and never applied: nobody in it is in the course.
    RosterUpload.objects.create(course=course, by=instructor.person, name="r.csv", content=b"student,name\nq,Quill\n")
    Mail.objects.create(person_id=instructor.person_id, course_id=course.pk, key="m", subject="Fay", body="Fay is late")
    Job.objects.create(kind="pages", assignment_id=assignment.pk, message="Fay is late", state=Job.State.DONE)
    kept = [name for name in Version.objects.values_list("file", flat=True) if name]
    with django_capture_on_commit_callbacks(execute=True):
        assert erase_course(course) == len(students) + 3
    left = everything()
    words = ("xanthippe", "x4711", "own words about", "zoe@", "quill", "'fay'", "fay@", "bo@example", "asa@", "is late")
    assert [word for word in words if word in left] == []
    assert not any(default_storage.exists(name) for name in kept)
    assert set(RosterUpload.objects.values_list("name", flat=True)) == {""}
    course.refresh_from_db()
    assert course.erased_at is not None
    assert course.archived_at is not None
    assert course.erased_on is None
    # The account of somebody who makes courses is theirs.
    instructor.person.refresh_from_db()
    assert instructor.person.is_active
    assert Event.objects.get(verb="course erased").details["people"] == len(students) + 3


def test_somebody_in_another_course_too_stays_there(course, students, instructor):
    other = Course.objects.create(name="Botany")
    Member.objects.create(course=other, person=students[0].person, role=Role.ASSISTANT)
    erase_course(course)
    students[0].refresh_from_db()
    assert students[0].person.name == "Bo"
    assert students[0].student != "bo"
    assert other.members.filter(removed_at=None).count() == 1


def test_it_goes_on_where_it_was_interrupted(course, students, instructor, monkeypatch):
    calls = []
    real = retention.erase_member

    def dies(member, by, **how):
        calls.append(member.pk)
        if len(calls) == 4:
            raise KeyboardInterrupt
        real(member, by, **how)

    monkeypatch.setattr(retention, "erase_member", dies)
    with pytest.raises(KeyboardInterrupt):
        erase_course(course)
    assert Person.objects.exclude(erased_at=None).count() == 3
    course.refresh_from_db()
    assert course.erased_at is None
    erase_course(course)
    assert Person.objects.exclude(erased_at=None).count() == len(students)
    assert len(calls) == 4 + len(students) - 3 + 1
    assert Event.objects.filter(verb="person erased").count() == len(students) + 1
