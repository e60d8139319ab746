"""Get in again: one's link, or a new password, by e-mail."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from peerorder.web.courses.models import Course, Role
from peerorder.web.jobs.models import Job
from peerorder.web.people import recovery, throttling
from peerorder.web.people.background import tidy
from peerorder.web.people.links import make_link
from peerorder.web.people.models import Attempt, Confirmation, MailRequest, Person, Session
from peerorder.web.people.passwords import set_password
from peerorder.web.people.views.recovery import MOST_BY_CLIENT
from tests.web.factories import enrol, enter_by

GOOD, BETTER = "correct horse battery", "another horse battery"
PAGES = {"link": "/login/link/", "password": "/login/password/"}


@pytest.fixture
def ask(client, work_off, mailoutbox):
    """Ask for a message to an address: gives the messages that came."""

    def asked(email, what="link", **more):
        before = len(mailoutbox)
        answer = client.post(PAGES[what], {"email": email}, **more)
        assert answer.status_code == 200
        work_off()
        return mailoutbox[before:]

    return asked


def link_in(mail):
    (link,) = re.findall(r"http://127.0.0.1:8000(/\S+)", mail.body)
    return link


# The link again.


def test_people_get_in_by_their_link_again(client, students, ask):
    (mail,) = ask("Bo@Example.edu")
    assert mail.to == ["bo@example.edu"]
    assert "Algorithms" in mail.subject
    assert enter_by(client, link_in(mail)).wsgi_request.user == students[0].person


def test_one_message_for_every_running_course(students, outsider, ask):
    """A student has an account in each; courses that ended bring none."""
    for name, days in (("Zoology", 10), ("Alchemy", -1)):
        course = Course.objects.create(name=name, ends_on=timezone.localdate() + timedelta(days=days))
        enrol(course, "Bo")
    mails = ask("bo@example.edu")
    assert sorted(re.search(r"for (\w+)", mail.subject)[1] for mail in mails) == ["Algorithms", "Zoology"]


def test_staff_get_theirs(instructor, assistant, ask, client):
    maker = Person.objects.create_user(None, name="Eva", email="eva@example.edu", makes_courses=True)
    for person in (instructor.person, assistant.person, maker):
        (mail,) = ask(person.email)
        client.logout()
        assert enter_by(client, link_in(mail)).wsgi_request.user == person


@pytest.mark.parametrize("why", ["closed", "erased", "removed", "unknown"])
def test_nobody_else_gets_any(students, ask, why):
    person = Person.objects.filter(pk=students[0].person_id)
    if why == "closed":
        person.update(is_active=False)
    elif why == "erased":
        person.update(erased_at=timezone.now())
    elif why == "removed":
        students[0].removed_at = timezone.now()
        students[0].save()
    assert ask("unknown@example.edu" if why == "unknown" else "bo@example.edu") == []


@pytest.mark.parametrize("what", PAGES)
def test_the_answer_does_not_tell_who_has_an_account(students, instructor, what):
    """Neither its words nor the work behind it."""
    set_password(instructor.person, GOOD)
    seen = []
    for email in ("ida@example.edu", "bo@example.edu", "nobody@example.edu"):
        with CaptureQueriesContext(connection) as queries:
            answer = Client().post(PAGES[what], {"email": email})
        page = re.sub(r'(csrfmiddlewaretoken" value|X-CSRFToken).*', "", answer.content.decode())
        seen.append((answer.status_code, page, [re.sub(r"'[^']*'|\d+", "", query["sql"]) for query in queries]))
        # Each finds the queue as the first one did.
        Job.objects.all().delete()
    assert seen[0] == seen[1] == seen[2]


@pytest.mark.parametrize("what", PAGES)
def test_asking_is_throttled_by_address_and_by_client(client, students, what):
    def ask(email, address="10.0.1.1"):
        return client.post(PAGES[what], {"email": email}, REMOTE_ADDR=address).status_code

    for number in range(throttling.MOST_BY_NETWORK):
        assert ask("Bo@example.edu" if number % 2 else "bo@example.edu") == 200
    assert ask("bo@example.edu") == 429
    assert ask("cy@example.edu") == ask("nobody@example.edu") == 200
    answers = [ask(f"student{number}@example.edu") for number in range(MOST_BY_CLIENT)]
    assert (answers[0], answers[-1]) == (200, 429)
    assert ask("di@example.edu", "192.0.2.7") == 200


@pytest.mark.parametrize("what", PAGES)
def test_nobody_is_flooded(students, ask, what):
    set_password(students[0].person, GOOD)
    ask("nobody@example.edu")
    mails = [mail for _ in range(5) for mail in ask("bo@example.edu", what)]
    # Two where the clock went from one slot to the next meanwhile.
    assert 1 <= len(mails) <= 2


def test_no_address_is_kept(students, ask):
    ask("nobody@example.edu")
    ask("bo@example.edu")
    assert not MailRequest.objects.exists()
    assert "@example.edu" not in str(list(Job.objects.values_list())) + str(list(Attempt.objects.values_list()))


def test_a_request_that_its_job_missed_is_seen_later(students, mailoutbox, work_off):
    recovery.request_mail("bo@example.edu", MailRequest.Purpose.LINK)
    Job.objects.all().delete()
    tidy()
    work_off()
    assert len(mailoutbox) == 1


@pytest.mark.parametrize("email", ["", "nonsense", "a@b", "x" * 300 + "@example.edu", "a\x00@example.edu"])
@pytest.mark.parametrize("what", PAGES)
def test_what_is_no_address(client, db, email, what):
    assert client.get(PAGES[what]).status_code == 200
    assert client.post(PAGES[what], {"email": email}).status_code == (400 if "\x00" in email else 422)
    assert not MailRequest.objects.exists()


# A new password.


@pytest.fixture
def ida(instructor):
    set_password(instructor.person, GOOD)
    return instructor.person


def has(person, password):
    return Person.objects.get(pk=person.pk).check_password(password)


def test_reset_a_password(client, ida, ask):
    link, other = make_link(ida), Client()
    enter_by(other, link)
    mail = next(mail for mail in ask("ida@example.edu", "password") if "Reset" in mail.subject)
    path = link_in(mail)
    for method in (client.get, client.head):
        assert method(path).status_code == 200
    assert has(ida, GOOD)
    assert client.post(path, {"password": "short"}).status_code == 200
    assert client.post(path, {"password": BETTER}).url == "/login/"
    assert has(ida, BETTER)
    assert not Session.objects.filter(person=ida).exists()
    assert other.get("/account/").status_code == 302, "sessions ended"
    assert client.get(link.removeprefix("http://127.0.0.1:8000")).status_code == 404, "and links"
    assert "_auth_user_id" not in client.session
    ida.refresh_from_db()
    assert client.post("/login/", {"login": ida.login, "password": BETTER}).url == "/"
    for method in (client.get, client.post):
        assert method(path, {"password": GOOD}).status_code == 404, "it works once"
    assert has(ida, BETTER)


def test_a_reset_is_short_lived_and_kept_as_a_digest(client, ida, ask):
    path = link_in(ask("ida@example.edu", "password")[-1])
    assert path.split("/")[2] not in str(list(Confirmation.objects.values_list()))
    assert Confirmation.objects.get().ends_at - timezone.now() <= timedelta(hours=1)
    Confirmation.objects.update(ends_at=timezone.now())
    assert client.post(path, {"password": BETTER}).status_code == 404
    tidy()
    assert not Confirmation.objects.exists()
    assert has(ida, GOOD)


@pytest.mark.parametrize("change", ["address", "password", "closed"])
def test_a_reset_ends_with_what_it_was_for(client, ida, ask, change):
    path = link_in(ask("ida@example.edu", "password")[-1])
    if change == "password":
        set_password(Person.objects.get(pk=ida.pk), BETTER)
    else:
        fields = {"address": {"email": "new@example.edu"}, "closed": {"is_active": False}}[change]
        Person.objects.filter(pk=ida.pk).update(**fields)
    assert client.post(path, {"password": "yet another horse"}).status_code == 404
    assert not has(ida, "yet another horse")


def test_a_reset_is_no_personal_link_nor_the_other_way_round(client, ida, ask):
    token = link_in(ask("ida@example.edu", "password")[-1]).split("/")[2]
    for path in (f"/in/{token}/", f"/confirm/{token}/"):
        assert client.post(path).status_code == 404
    token = make_link(ida).split("/")[-2]
    for path in (f"/reset/{token}/", f"/confirm/{token}/"):
        assert client.post(path, {"password": BETTER}).status_code == 404
    assert has(ida, GOOD)


def test_people_without_a_password_get_no_reset(students, ask):
    assert ask("bo@example.edu", "password") == []


def test_every_account_of_an_address_gets_a_reset_of_its_own(course, students, ask, client):
    other = enrol(Course.objects.create(name="Zoology"), "Bo", Role.STUDENT)
    for member in (students[0], other):
        set_password(member.person, GOOD)
    mails = [mail for mail in ask("bo@example.edu", "password") if "Reset" in mail.subject]
    assert len(mails) == 2
    client.post(link_in(mails[0]), {"password": BETTER})
    assert sorted(has(member.person, BETTER) for member in (students[0], other)) == [False, True]
