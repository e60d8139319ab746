"""What mails to students say, and that each is sent once."""

from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from django.core import mail
from django.utils import timezone

from peerorder.web.assignments import extensions
from peerorder.web.assignments.messages import compose_about, time_until
from peerorder.web.assignments.models import Assignment, Extension, Stage
from peerorder.web.jobs.models import Job
from peerorder.web.jobs.registry import JOBS, Progress
from peerorder.web.lifecycle import notifications, services
from peerorder.web.lifecycle.background import advance
from peerorder.web.mail.models import Mail
from peerorder.web.people.models import Person
from peerorder.web.ranking import services as ranking
from peerorder.web.ranking.handouts import enqueue_late_handout
from peerorder.web.ranking.models import Problem, Slot
from tests.web.factories import enrol, submit_ranking
from tests.web.lifecycle.conftest import hand_in, hand_out
from tests.web.monitor.conftest import finish


@pytest.fixture
def no_sending(monkeypatch):
    """Mails stay in the queue."""
    monkeypatch.setitem(JOBS, "mails", lambda job, progress: "")


def told():
    return set(Person.objects.filter(pk__in=Mail.objects.values("person_id")).values_list("name", flat=True))


def by_name(field):
    names = dict(Person.objects.values_list("pk", "name"))
    return {names[person]: value for person, value in Mail.objects.values_list("person_id", field)}


def test_opening_tells_everybody(assignment, students, instructor, enter, work_off):
    Assignment.objects.update(stage=Stage.DRAFT)
    enter(instructor).post(f"/assignments/{assignment.pk}/move/handing-in/", {"tell": "on"})
    work_off()
    assert len(mail.outbox) == len(students)
    message = next(each for each in mail.outbox if each.to == ["bo@example.edu"])
    assert message.subject == "Open for handing in: Essay"
    until = timezone.localtime(assignment.hand_in_by, ZoneInfo("Europe/Athens"))
    for said in ("Hello Bo,", "“Essay” (Algorithms)", f"{until:%H:%M}", "(Europe/Athens)", "http://127.0.0.1:8000/in/"):
        assert said in message.body
    assert "{link}" not in message.body


def test_without_the_tick_nobody_is_told(assignment, students, instructor, enter, work_off):
    Assignment.objects.update(stage=Stage.DRAFT)
    enter(instructor).post(f"/assignments/{assignment.pk}/move/handing-in/")
    work_off()
    assert not Mail.objects.exists()


def test_ranking_is_told_when_the_papers_are_there(assignment, students, course, papers, instructor, work_off):
    enrol(course, "Never")
    later = assignment.rank_by + timedelta(days=2)
    Extension.objects.create(assignment=assignment, member=students[0], rank_by=later)
    services.move(assignment, Stage.RANKING, instructor.person, timezone.now(), tell=True)
    assert not Mail.objects.exists()
    work_off()
    assert told() == {student.person.name for student in students}
    bodies = by_name("body")
    assert "You have 3 papers to rank" in bodies["Bo"]
    assert time_until(assignment, later)[0] in bodies["Bo"]
    assert time_until(assignment, assignment.rank_by)[0] in bodies["Cy"]


@pytest.mark.parametrize("tells", [True, False])
def test_at_the_deadline_the_settings_decide(tells, assignment, students, papers, work_off):
    Assignment.objects.update(tells_students=tells)
    assert advance(assignment.hand_in_by + timedelta(seconds=1)) == 1
    work_off()
    assert Slot.objects.exists()
    assert Mail.objects.count() == (len(students) if tells else 0)


def test_a_hand_out_that_is_asked_for_again_keeps_the_tick(assignment, students, papers, instructor, work_off):
    services.move(assignment, Stage.RANKING, instructor.person, timezone.now(), tell=True)
    Job.objects.filter(kind="hand-out").update(state=Job.State.FAILED, key=None)
    services.hand_out_again(assignment, instructor.person)
    work_off()
    assert Mail.objects.count() == len(students)


def test_who_gets_papers_later_is_told(assignment, students, course, papers, instructor, work_off):
    services.move(assignment, Stage.RANKING, instructor.person, timezone.now())
    work_off()
    assert not Mail.objects.exists()
    late = enrol(course, "Late")
    hand_in(assignment, late)
    enqueue_late_handout(assignment)
    work_off()
    subjects = by_name("subject")
    assert subjects.pop("Late") == "Papers to rank: Essay"
    assert subjects, "somebody ranks the late paper"
    assert set(subjects.values()) == {"More papers to rank: Essay"}


def test_a_job_that_is_done_again_writes_no_mail_twice(assignment, students, no_sending, work_off, monkeypatch):
    """As when a worker is killed in the middle of it and another one takes over."""
    monkeypatch.setattr(notifications, "BATCH", 3)
    job = notifications.enqueue_notifications(assignment, Stage.HANDING_IN)

    class Killed(BaseException):
        pass

    class Deadly(Progress):
        def __call__(self, done, total, message=""):
            if done == 6:
                raise Killed
            super().__call__(done, total, message)

    with pytest.raises(Killed):
        notifications.notify(job, Deadly(job))
    assert Mail.objects.count() == 6
    work_off()
    assert Mail.objects.count() == len(students)
    assert len(told()) == len(students)
    Job.objects.filter(pk=job.pk).update(finished_at=None)
    job.refresh_from_db()
    notifications.notify(job, Progress(job))
    assert Mail.objects.count() == len(students)
    # A new step is a new event.
    notifications.enqueue_notifications(assignment, Stage.HANDING_IN)
    work_off()
    assert Mail.objects.count() == 2 * len(students)


def test_old_news_are_told_to_nobody(assignment, students, work_off):
    job = notifications.enqueue_notifications(assignment, Stage.HANDING_IN)
    Assignment.objects.update(stage=Stage.DRAFT)
    work_off()
    assert not Mail.objects.exists()
    job.refresh_from_db()
    assert "no longer in this stage" in job.message


def test_back_to_ranking_tells_who_has_not_finished(assignment, students, papers, instructor, no_sending, work_off):
    Assignment.objects.update(stage=Stage.RANKING)
    hand_out(assignment, {students[0]: papers[1:4], students[1]: papers[2:5]})
    submit_ranking(assignment, students[0])
    Assignment.objects.update(stage=Stage.REVIEW)
    assignment.refresh_from_db()
    services.move(assignment, Stage.RANKING, instructor.person, timezone.now(), tell=True)
    work_off()
    assert told() == {"Cy"}


def test_more_time_is_told_once_for_the_same_times(assignment, students, instructor, enter, no_sending):
    until = (assignment.hand_in_by + timedelta(days=2)).strftime("%Y-%m-%dT%H:%M")
    data = {"student": "bo", "hand_in_by": until, "note": "was ill", "tell": "on"}
    enter(instructor).post(f"/assignments/{assignment.pk}/extensions/", data)
    one = Mail.objects.get()
    assert (one.person_id, one.subject) == (students[0].person_id, "You have an extension: Essay")
    assert "Hand in by" in one.body
    assert "Rank by" not in one.body
    assert "ill" not in one.body
    extension = Extension.objects.get()
    times = (extension.hand_in_by, None)
    extensions.grant(assignment, students[0], *times, "", instructor.person, timezone.now(), tell=True)
    assert Mail.objects.count() == 1
    times = (extension.hand_in_by, assignment.rank_by + timedelta(days=1))
    extensions.grant(assignment, students[0], *times, "", instructor.person, timezone.now(), tell=True)
    assert Mail.objects.count() == 2
    extensions.grant(assignment, students[1], *times, "", instructor.person, timezone.now())
    assert Mail.objects.count() == 2


def test_an_answer_is_told_once_and_names_no_author(assignment, students, papers, instructor, enter, no_sending):
    Assignment.objects.update(stage=Stage.RANKING)
    slot = hand_out(assignment, {students[0]: papers[1:4]})[students[0]][1]
    problem = ranking.report(slot, Problem.Kind.EMPTY, "", students[0].person)
    page = f"/assignments/{assignment.pk}/problems/"
    shown = enter(instructor).get(page).content.decode()
    assert f'name="p{problem.pk}-tell"' in shown
    data = {f"p{problem.pk}-answer": "It is a {link} picture.", f"p{problem.pk}-tell": "on"}
    for _ in range(2):
        enter(instructor).post(f"{page}{problem.pk}/", data)
    one = Mail.objects.get()
    assert one.person_id == students[0].person_id
    assert "paper B of “Essay”" in one.body
    assert "It is a  picture." in one.body
    assert one.body.count("{link}") == 1
    for word in (slot.paper.code, "Di", "di@example.edu"):
        assert word not in one.body


def test_names_cannot_bring_the_link_elsewhere(assignment, students):
    person = Person(name="Bo {link}", email="bo@example.edu")
    assignment.title = "100 % {link}"
    written = compose_about("opened", assignment, person)
    assert written.body.count("{link}") == 1
    assert "100 %" in written.subject
    assert "{link}" not in written.subject


def test_the_page_before_a_step_shows_the_mail(assignment, students, papers, instructor, enter, settings):
    page = enter(instructor).get(f"/assignments/{assignment.pk}/move/ranking/").content.decode()
    assert 'name="tell" id="id_tell" checked' in page
    assert "e-mail to Bo</summary>" in page
    assert "Papers to rank: Essay" in page
    assert "(the personal link)" in page
    assert "not sent" not in page
    settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
    page = enter(instructor).get(f"/assignments/{assignment.pk}/move/ranking/").content.decode()
    assert 'name="tell" id="id_tell">' in page
    assert "not sent" in page


def test_the_monitor_shows_the_reminder(assignment, students, assistant, enter):
    page = enter(assistant).get(f"/assignments/{assignment.pk}/monitor/").content.decode()
    assert "e-mail to Bo</summary>" in page
    assert "Please hand in: Essay" in page


def test_where_nothing_begins_nobody_is_told(assignment, students, papers, instructor, enter):
    Assignment.objects.update(stage=Stage.RANKING)
    hand_out(assignment, {students[0]: papers[1:4]})
    finish(assignment, students[0])
    answer = enter(instructor).get(f"/assignments/{assignment.pk}/move/review/")
    assert answer.context["audience"] is None
    page = answer.content.decode()
    assert f"<li>{answer.context['preview'].undo}</li>" in page
    assert "at any time" in str(answer.context["preview"].undo)
    assert 'name="tell"' not in page
