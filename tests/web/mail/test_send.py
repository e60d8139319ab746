"""Mails: queued, sent, tried again, given up."""

import re
from datetime import timedelta
from smtplib import SMTPRecipientsRefused, SMTPServerDisconnected

import pytest
from django.core.mail.backends.locmem import EmailBackend
from django.utils import timezone

from peerorder.web.jobs.models import Job
from peerorder.web.jobs.registry import Progress
from peerorder.web.jobs.services import enqueue
from peerorder.web.mail import background
from peerorder.web.mail.messages import Message
from peerorder.web.mail.models import MOST_TRIES, Mail
from peerorder.web.mail.services import on_the_way, queue, queue_messages
from peerorder.web.people.models import Link, Person
from tests.web.factories import enter_by


def send():
    job = Job.objects.first()
    return background.send_waiting(job, Progress(job))


def later():
    """Let the time pass until the next try."""
    Mail.objects.update(next_try_at=timezone.now())


@pytest.fixture
def server(monkeypatch, mailoutbox):
    """A mail server; ``server[address]`` is the error for an address, ``server["down"]`` that for everybody."""
    errors = {}

    def send_messages(self, messages):
        for message in messages:
            if (error := errors.get(message.to[0])) is not None:
                raise error
        return original(self, messages)

    def opened(self):
        if (error := errors.get("down")) is not None:
            raise error

    original = EmailBackend.send_messages
    monkeypatch.setattr(EmailBackend, "send_messages", send_messages)
    monkeypatch.setattr(EmailBackend, "open", opened)
    return errors


def test_it_works(client, students, mailoutbox, course):
    person = students[0].person
    assert queue(person, "a", Message("Come\nin", "Hello {link} bye"), course_id=course.pk)
    assert not queue(person, "a", Message("Come in", "again"), course_id=course.pk)
    assert not Link.objects.exists(), "links are made when they are sent"
    assert send() == "E-mails sent: 1, failed: 0."
    (mail,) = mailoutbox
    assert (mail.to, mail.subject) == (["bo@example.edu"], "Come in")
    (link,) = re.findall(r"http://127.0.0.1:8000(/in/\S+/)", mail.body)
    assert enter_by(client, link).wsgi_request.user == person
    assert link.split("/")[2] not in str(Mail.objects.values_list())
    assert Mail.objects.get().state == "sent"
    send()
    assert len(mailoutbox) == 1


def test_whoever_has_no_address_gets_none(students):
    students[0].person.email = ""
    students[1].person.is_active = False
    assert queue_messages({each.student: (each.person, Message("s", "b")) for each in students[:2]}) == 0
    assert not Job.objects.exists()


def test_one_bad_address_does_not_stop_others(students, mailoutbox, server):
    server["cy@example.edu"] = SMTPRecipientsRefused({"cy@example.edu": (550, b"no such user")})
    server["di@example.edu"] = ValueError("bad header")
    queue_messages({member.student: (member.person, Message("s", "{link}")) for member in students})
    assert send() == "E-mails sent: 6, failed: 2."
    assert len(mailoutbox) == 6
    names = {member.person_id: member.person.name for member in students}
    states = {names[mail.person_id]: (mail.state, mail.problem) for mail in Mail.objects.all()}
    assert states["Bo"] == ("sent", "")
    assert states["Cy"] == ("failed", "The mail server refused the address.")
    assert states["Di"][0] == "failed"
    assert Link.objects.count() == 6, "no links for those who got no mail"


def test_what_fails_is_tried_again_later(students, mailoutbox, server):
    server["bo@example.edu"] = SMTPServerDisconnected()
    queue(students[0].person, "a", Message("s", "b"))
    send()
    mail = Mail.objects.get()
    assert (mail.state, mail.tries) == ("waiting", 1)
    assert mail.next_try_at > timezone.now()
    send()
    assert Mail.objects.get().tries == 1, "not before its time"
    del server["bo@example.edu"]
    later()
    send()
    assert Mail.objects.get().state == "sent"
    assert Mail.objects.get().problem == ""
    assert len(mailoutbox) == 1


def test_it_is_given_up_in_the_end(students, mailoutbox, server):
    server["bo@example.edu"] = SMTPRecipientsRefused({"bo@example.edu": (450, b"busy")})
    queue(students[0].person, "a", Message("s", "b"))
    for _ in range(MOST_TRIES + 2):
        send()
        later()
    assert (Mail.objects.get().state, Mail.objects.get().tries) == ("failed", MOST_TRIES)


def test_a_server_that_cannot_be_reached_costs_no_tries(students, mailoutbox, server):
    server["down"] = ConnectionRefusedError()
    queue_messages({member.student: (member.person, Message("s", "b")) for member in students})
    assert "cannot be reached" in send()
    assert set(Mail.objects.values_list("tries", "problem")) == {(0, "The mail server cannot be reached.")}
    Mail.objects.filter(key="bo").update(queued_at=timezone.now() - timedelta(days=4))
    later()
    send()
    assert Mail.objects.get(key="bo").state == "failed", "old news are not worth sending"
    del server["down"]
    later()
    assert send() == "E-mails sent: 7, failed: 0."


def test_the_worker_dies_between_sending_and_marking(students, mailoutbox, monkeypatch):
    """At most the one mail in hand is sent twice."""

    class Killed(BaseException):
        pass

    queue_messages({member.student: (member.person, Message("s", "b")) for member in students[:3]})
    taken, forget = [], background.Mail.objects.filter

    def dies(mail, person, connection):
        done = original(mail, person, connection)
        taken.append(mail.pk)
        if len(taken) == 2:
            Mail.objects.filter(pk=mail.pk).update(sent_at=None)
            raise Killed
        return done

    original = background._deliver
    monkeypatch.setattr(background, "_deliver", dies)
    with pytest.raises(Killed):
        send()
    assert forget(sent_at=None).count() == 2
    monkeypatch.setattr(background, "_deliver", original)
    send()
    later()
    send()
    assert sorted(mail.to[0] for mail in mailoutbox) == [
        "bo@example.edu",
        "cy@example.edu",
        "cy@example.edu",
        "di@example.edu",
    ]


def test_two_workers_do_not_take_the_same_mail(students):
    queue(students[0].person, "a", Message("s", "b"))
    one, two = Mail.objects.get(), Mail.objects.get()
    assert background._claim(one)
    assert not background._claim(two)


def test_the_clock_asks_for_what_waits(students, mailoutbox):
    background.enqueue_due()
    assert not Job.objects.exists()
    queue(students[0].person, "a", Message("s", "b"))
    Job.objects.all().delete()
    background.enqueue_due()
    background.enqueue_due()
    assert Job.objects.count() == 1


def test_somebody_who_lost_the_address_meanwhile(students, mailoutbox):
    queue(students[0].person, "a", Message("s", "{link}"))
    Person.objects.update(email="")
    send()
    assert Mail.objects.get().state == "failed"
    assert not Link.objects.exists()


def test_thousands(course, mailoutbox, db):
    people = Person.objects.bulk_create([Person(email=f"s{at}@example.edu") for at in range(2500)])
    messages = {f"k{person.pk}": (person, Message("s", "b")) for person in people}
    assert queue_messages(messages, course_id=course.pk) == 2500
    assert queue_messages(messages, course_id=course.pk) == 0
    assert Job.objects.count() == 1


def test_without_a_mail_server_nothing_counts_as_sent(enter, instructor, course, students, settings, capsys):
    settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
    client = enter(instructor)
    page = client.get(f"/courses/{course.pk}/people/").content.decode()
    assert "by e-mail" not in page
    assert "Download 8 links for mail merge" in page
    said = {"who": "all", "once": "6a1e1c63-6f8c-4b9e-8d5a-0d4c64b1f5a0"}
    page = client.post(f"/courses/{course.pk}/people/links/send/", said, follow=True).content.decode()
    assert "not sent" in page
    assert "on their way" not in page
    assert send() == "E-mails printed: 8."
    assert {mail.state for mail in Mail.objects.all()} == {"printed"}
    assert "not sent" in client.get(f"/courses/{course.pk}/mails/").content.decode()
    assert "<strong>8 students do not have a link yet" in client.get(f"/courses/{course.pk}/people/").content.decode()
    # It works all the same, for whoever tries the app out; and who came in by it has got it.
    link = re.findall(r"http://127.0.0.1:8000(/in/\S+/)", capsys.readouterr().out)[0]
    client.logout()
    enter_by(client, link)
    enter(instructor)
    assert "<strong>7 students do not have a link yet" in client.get(f"/courses/{course.pk}/people/").content.decode()


def test_nobody_is_promised_a_mail_without_a_server(enter, instructor, assignment, students, settings, work_off):
    """M15: a mail was said to be on its way."""
    settings.EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
    client = enter(instructor)
    remind = f"/assignments/{assignment.pk}/monitor/remind"
    answers = [
        client.post(f"{remind}/{students[0].pk}/", follow=True),
        client.get(f"/assignments/{assignment.pk}/monitor/"),
        client.post("/login/link/", {"email": "bo@example.edu"}),
        client.post("/login/password/", {"email": "bo@example.edu"}),
        enter(students[1]).post("/account/verify/", follow=True),
    ]
    for answer in answers:
        assert answer.status_code == 200
        assert "on its way" not in answer.content.decode()
        assert "o mail server is set up" in answer.content.decode()
    assert "not sent" in on_the_way(2)
    job = enqueue("notifications", assignment_id=assignment.pk, event="opened")
    work_off()
    job.refresh_from_db()
    assert job.message == on_the_way(8)
