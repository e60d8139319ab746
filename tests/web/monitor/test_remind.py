"""Reminders, by one click and by the clock."""

from datetime import timedelta

import pytest
from django.utils import timezone

from peerorder.web.assignments.models import Assignment, Extension, Stage
from peerorder.web.audit.models import Event
from peerorder.web.jobs.models import Job
from peerorder.web.mail.models import Mail
from peerorder.web.monitor import services
from peerorder.web.monitor.queries import count_to_remind, student_rows
from peerorder.web.people.models import Person
from tests.web.monitor.conftest import finish, hand_in


@pytest.fixture(autouse=True)
def no_sending(monkeypatch):
    """Mails stay in the queue."""
    from peerorder.web.jobs.registry import JOBS

    monkeypatch.setitem(JOBS, "mails", lambda job, progress: "")


def reminded():
    return set(Person.objects.filter(pk__in=Mail.objects.values("person_id")).values_list("name", flat=True))


def test_all_who_have_not_finished_are_reminded_once_a_day(enter, instructor, ranking, students, work_off):
    finish(ranking, students[0])
    client = enter(instructor)
    button = f'<form method="post" action="/assignments/{ranking.pk}/monitor/remind/'
    page = client.get(f"/assignments/{ranking.pk}/monitor/").content.decode()
    assert button in page
    assert "reminders (6)" in page
    for _ in range(2):
        assert client.post(f"/assignments/{ranking.pk}/monitor/remind/").status_code == 302
        work_off()
    page = client.get(f"/assignments/{ranking.pk}/monitor/").content.decode()
    assert "0 reminders created. 6 students skipped" in page, "it stays to be read"
    assert button not in page
    assert reminded() == {"Cy", "Di", "Ed", "Fay", "Gus", "Hal"}
    assert Mail.objects.count() == 6
    mail = Mail.objects.first()
    assert "Essay" in mail.subject
    assert "{link}" in mail.body
    assert "Europe/Athens" in mail.body
    assert "6 reminders created." in Job.objects.filter(kind="reminders").order_by("enqueued_at")[0].message
    assert Event.objects.filter(verb="reminders asked for", person_id=instructor.person_id).count() == 2


def test_while_papers_come_in_authors_are_reminded(instructor, assignment, students, work_off):
    hand_in(assignment, students[0])
    services.enqueue_reminders(assignment, instructor.person)
    work_off()
    assert reminded() == {"Cy", "Di", "Ed", "Fay", "Gus", "Hal", "Ivy"}
    assert "hand in" in Mail.objects.first().subject


def test_one_person_is_reminded(enter, instructor, ranking, students):
    client = enter(instructor)
    address = f"/assignments/{ranking.pk}/monitor/remind/{students[3].pk}/"
    answer = client.post(address, follow=True)
    assert "A reminder to Ed" in answer.content.decode()
    assert reminded() == {"Ed"}
    assert client.post(address).status_code == 302
    assert Mail.objects.count() == 1
    tomorrow = timezone.now() + timedelta(days=1)
    assert services.remind_one(ranking, students[3], instructor.person, tomorrow)


def test_nobody_without_an_address_is_offered_a_reminder(enter, instructor, ranking, students):
    """m4: she was, and was shown as the reader of the example."""
    Person.objects.filter(pk=students[0].person_id).update(email="")
    page = enter(instructor).get(f"/assignments/{ranking.pk}/monitor/")
    assert f"remind/{students[0].pk}/" not in page.content.decode()
    assert f"remind/{students[1].pk}/" in page.content.decode()
    assert f'href="/courses/{ranking.course_id}/people/{students[0].pk}/"' in page.content.decode()
    assert page.context["reminder"][0] == students[1]


def test_the_clock_is_named_only_while_it_will_remind(enter, instructor, ranking):
    """m5: it still said so when everything was over."""
    client, path = enter(instructor), f"/assignments/{ranking.pk}/monitor/"
    assert client.get(path).context["reminds_at"] == ranking.rank_by - timedelta(hours=ranking.remind_hours)
    Assignment.objects.update(stage=Stage.REVIEW)
    assert client.get(path).context["reminds_at"] is None
    Assignment.objects.update(stage=Stage.RANKING, rank_by=timezone.now() + timedelta(hours=1))
    assert client.get(path).context["reminds_at"] is None


def test_the_list_stays_narrowed(enter, instructor, ranking, students):
    client = enter(instructor)
    page = client.get(f"/assignments/{ranking.pk}/monitor/?q=d&state=not-started").content.decode()
    for path in (f"remind/{students[3].pk}/?q=d&amp;state=not-started", "remind/?q=d&amp;state=not-started"):
        assert path in page
        answer = client.post(f"/assignments/{ranking.pk}/monitor/{path.replace('&amp;', '&')}")
        assert answer.url.startswith(f"/assignments/{ranking.pk}/monitor/?q=d&state=not-started")


def test_nobody_is_reminded_of_what_is_done_or_of_nothing(enter, instructor, ranking, students, outsider):
    finish(ranking, students[0])
    client = enter(instructor)
    assert client.post(f"/assignments/{ranking.pk}/monitor/remind/{students[0].pk}/").status_code == 302
    assert not Mail.objects.exists()
    assert client.post(f"/assignments/{ranking.pk}/monitor/remind/{outsider.pk}/").status_code == 404
    Person.objects.filter(pk=students[1].person_id).update(email="")
    page = client.post(f"/assignments/{ranking.pk}/monitor/remind/{students[1].pk}/", follow=True).content.decode()
    assert "no e-mail address" in page
    assert not Mail.objects.exists()


def test_after_the_deadline_only_those_with_more_time_are_reminded(instructor, ranking, students, work_off):
    ranking.rank_by = timezone.now() - timedelta(hours=1)
    ranking.save()
    later = timezone.now() + timedelta(days=2)
    Extension.objects.create(assignment=ranking, member=students[2], rank_by=later)
    assert count_to_remind(ranking, timezone.now()) == 1
    services.enqueue_reminders(ranking, instructor.person)
    work_off()
    assert reminded() == {"Di"}


def test_it_counts_whom_a_reminder_would_reach(ranking, students, instructor):
    now = timezone.now()
    assert count_to_remind(ranking, now) == 7
    finish(ranking, students[0])
    Person.objects.filter(pk=students[1].person_id).update(email="")
    services.remind_one(ranking, students[2], instructor.person, now)
    assert count_to_remind(ranking, now) == 4
    assert count_to_remind(ranking, now + timedelta(days=1)) == 5


def test_a_reminder_that_was_printed_is_listed_as_not_sent(ranking, students, instructor):
    now = timezone.now()

    def last_reminder():
        (line,) = student_rows(ranking, [students[2]], now)
        return line.reminded, line.reminder_sent

    assert last_reminder() == (0, False)
    services.remind_one(ranking, students[2], instructor.person, now - timedelta(days=1))
    Mail.objects.update(sent_at=now, printed=True, queued_at=now - timedelta(days=1))
    assert last_reminder() == (1, False)
    services.remind_one(ranking, students[2], instructor.person, now)
    assert last_reminder() == (2, True)


def test_the_clock_reminds_once_before_a_deadline(assignment, students, work_off):
    assignment.hand_in_by = timezone.now() + timedelta(hours=30)
    assignment.save()
    assert services.remind_automatically() == 0
    near = timezone.now() + timedelta(hours=7)
    assert services.remind_automatically(near) == 1
    assert services.remind_automatically(near) == 0
    work_off()
    assert len(reminded()) == len(students)
    over = timezone.now() + timedelta(hours=31)
    assert services.remind_automatically(over) == 0


@pytest.mark.parametrize(("hours", "lead", "reminds"), [(3, 24, False), (25, 24, False), (37, 24, True), (4, 2, True)])
def test_nobody_is_reminded_of_what_has_only_begun(
    hours, lead, reminds, assignment, students, instructor, enter, work_off
):
    """M5: everybody got a reminder seconds after the message about the opening, and could not be reminded again."""
    now = timezone.now()
    deadline = now + timedelta(hours=hours)
    Assignment.objects.update(stage=Stage.DRAFT, hand_in_by=deadline, rank_by=None, remind_hours=lead, task="Do it.")
    client = enter(instructor)
    said = "too close for an automatic reminder"
    assert (said in client.get(f"/assignments/{assignment.pk}/move/handing-in/").content.decode()) is not reminds
    assert client.post(f"/assignments/{assignment.pk}/move/handing-in/", {"tell": "on"}).status_code == 302
    work_off()
    assert Mail.objects.count() == len(students)
    page = client.get(f"/assignments/{assignment.pk}/monitor/")
    assert page.context["no_reminder"] is not reminds
    assert page.context["reminds_at"] == (deadline - timedelta(hours=lead) if reminds else None)
    assert services.remind_automatically(deadline - timedelta(minutes=1)) == reminds
    assert page.context["to_remind"] == len(students), "by hand they can be"


def test_an_extended_deadline_has_its_own_reminder(assignment, students, work_off):
    assignment.hand_in_by = timezone.now() - timedelta(minutes=1)
    assignment.save()
    Extension.objects.create(assignment=assignment, member=students[4], hand_in_by=timezone.now() + timedelta(hours=5))
    assert services.remind_automatically() == 1
    work_off()
    assert reminded() == {"Fay"}


@pytest.mark.parametrize("change", [{"remind_hours": 0}, {"stage": Stage.DRAFT}, {"stage": Stage.REVIEW}])
def test_where_nobody_is_to_be_reminded_the_clock_does_nothing(change, assignment, students):
    for name, value in change.items():
        setattr(assignment, name, value)
    assignment.hand_in_by = assignment.rank_by = timezone.now() + timedelta(hours=1)
    assignment.save()
    assert services.remind_automatically() == 0
