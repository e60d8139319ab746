"""Change one's own name and address. An address counts once a message to it was answered."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from peerorder.web.audit.models import Event
from peerorder.web.courses.services.members import change_member
from peerorder.web.courses.services.rosters import apply_roster, keep_roster, plan_of
from peerorder.web.people import throttling
from peerorder.web.people.links import make_link, make_mailed_link
from peerorder.web.people.models import Attempt, Confirmation, Person
from peerorder.web.people.passwords import set_password
from tests.web.factories import enter_by

GOOD = "correct horse battery"


@pytest.fixture
def ida(instructor, client):
    Person.objects.filter(pk=instructor.person_id).update(email_verified_at=timezone.now())
    instructor.person.refresh_from_db()
    set_password(instructor.person, GOOD)
    client.force_login(instructor.person)
    return instructor.person


@pytest.fixture
def last_link(mailoutbox, work_off):
    """The path of the link in the last message to an address."""

    def found(to):
        work_off()
        body = [mail.body for mail in mailoutbox if mail.to == [to]][-1]
        return re.search(r"http://127.0.0.1:8000(/\S+)", body)[1]

    return found


def send(client, name="Ida", email="ida@example.edu", password=""):
    data = {"details-name": name, "details-email": email, "details-current": password}
    answer = client.post("/account/details/", data)
    return answer, answer.content.decode()


def email_of(person):
    return Person.objects.get(pk=person.pk).email


def test_another_name(client, ida):
    assert 'value="ida@example.edu"' in client.get("/account/").content.decode()
    answer, _page = send(client, "Ida Berg")
    assert answer.url == "/account/"
    ida.refresh_from_db()
    assert (ida.name, ida.email, ida.login) == ("Ida Berg", "ida@example.edu", "ida@example.edu")
    event = Event.objects.get(verb="account changed")
    assert (event.person_id, event.details) == (ida.pk, {"fields": ["name"]})


def test_another_address_counts_once_a_message_to_it_was_answered(client, ida, last_link, mailoutbox):
    assert send(client, email="berg@example.edu", password=GOOD)[0].url == "/account/"
    assert email_of(ida) == "ida@example.edu"
    mailed = make_mailed_link(ida, "ida@example.edu", printed=False).removeprefix("http://127.0.0.1:8000")
    path = last_link("berg@example.edu")
    assert "berg@example.edu" in client.get("/account/").content.decode()
    stranger = Client()
    for method in (stranger.get, stranger.head):
        assert method(path).status_code == 200
        assert email_of(ida) == "ida@example.edu", "opening it changes nothing"
    assert stranger.post(path).status_code == 302
    ida.refresh_from_db()
    assert ida.email == "berg@example.edu"
    assert timezone.now() - ida.email_verified_at < timedelta(minutes=1)
    assert stranger.get(path).status_code == stranger.post(path).status_code == 404, "it works once"
    assert stranger.get(mailed).status_code == 404, "links to the previous address ended"
    assert "/in/" not in last_link("ida@example.edu"), "and that address is told"
    assert "changed" in [mail for mail in mailoutbox if mail.to == ["ida@example.edu"]][-1].subject
    assert client.get("/").status_code == 200, "still logged in"


def test_nothing_secret_of_it_is_kept(client, ida, last_link):
    send(client, email="berg@example.edu", password=GOOD)
    token = last_link("berg@example.edu").split("/")[2]
    assert token not in str(list(Confirmation.objects.values_list()))


def test_an_answer_that_comes_too_late(client, ida, last_link):
    send(client, email="berg@example.edu", password=GOOD)
    path = last_link("berg@example.edu")
    Confirmation.objects.update(ends_at=timezone.now())
    assert client.post(path).status_code == 404
    assert email_of(ida) == "ida@example.edu"


def test_only_the_last_address_asked_for_counts(client, ida, last_link):
    for name in ("berg", "hill"):
        send(client, email=f"{name}@example.edu", password=GOOD)
    last_link("hill@example.edu")
    assert Confirmation.objects.get().email == "hill@example.edu"


def test_another_address_needs_the_password(client, ida):
    for password in ("", "wrong"):
        answer, page = send(client, email="berg@example.edu", password=password)
        assert answer.status_code == 422
        assert 'value="berg@example.edu"' in page
    assert not Confirmation.objects.exists()
    assert "wrong" not in str(Attempt.objects.values_list())


def test_guessing_is_braked(client, ida):
    for _ in range(throttling.MOST_BY_NETWORK):
        assert send(client, email="berg@example.edu", password="wrong")[0].status_code == 422
    assert send(client, email="berg@example.edu", password=GOOD)[0].status_code == 429
    assert send(client, "Ida Berg")[0].status_code == 302, "the name needs no password"


def test_without_a_password_it_needs_a_fresh_entry(client, assistant):
    from tests.web.people.test_passwords import let_time_pass

    link = make_link(assistant.person)
    enter_by(client, link)
    let_time_pass(client)
    assert send(client, "Asa", "new@example.edu")[0].status_code == 422
    assert send(client, "Asa Ek", "asa@example.edu")[0].status_code == 302
    enter_by(client, link)
    assert send(client, "Asa", "new@example.edu")[0].status_code == 302
    assert Confirmation.objects.get().email == "new@example.edu"


def test_an_address_of_somebody_else_tells_nothing(client, ida):
    """It is answered by whoever has it, or by nobody."""
    Person.objects.create_user("eva", GOOD, name="Eva", email="eva@example.edu", makes_courses=True)
    answers = [send(client, email=f"{name}@example.edu", password=GOOD)[0] for name in ("eva", "nobody")]
    assert {(answer.status_code, answer.url) for answer in answers} == {(302, "/account/")}


def test_verify_the_address_one_has(client, ida, last_link):
    Person.objects.filter(pk=ida.pk).update(email_verified_at=None)
    assert "/account/verify/" in client.get("/account/").content.decode()
    assert client.post("/account/verify/").url == "/account/"
    assert client.post(last_link("ida@example.edu")).status_code == 302
    ida.refresh_from_db()
    assert ida.email_verified_at is not None
    assert "/account/verify/" not in client.get("/account/").content.decode()


def test_messages_to_verify_are_throttled(client, ida):
    answers = [client.post("/account/verify/").status_code for _ in range(throttling.MOST_BY_NETWORK + 1)]
    assert answers[-1] == 429


@pytest.mark.parametrize(("name", "email"), [("", "ida@example.edu"), ("Ida", ""), ("Ida", "nonsense")])
def test_both_are_needed(client, ida, name, email):
    assert send(client, name, email, GOOD)[0].status_code == 422
    ida.refresh_from_db()
    assert (ida.name, ida.email) == ("Ida", "ida@example.edu")


def test_who_has_no_address_need_not_have_one(client, ida):
    Person.objects.filter(pk=ida.pk).update(email="")
    assert send(client, "Ida Berg", "")[0].status_code == 302
    assert send(client, "Ida Berg", "ida@example.edu")[0].status_code == 422
    assert send(client, "Ida Berg", "ida@example.edu", GOOD)[0].status_code == 302


def test_what_was_typed_wrongly_is_not_shown_as_ones_name(client, ida):
    _answer, page = send(client, "Nobody At All", "nonsense")
    assert page.count("Nobody At All") == 1, "in the box alone"


def test_students_are_told_where_theirs_come_from(enter, students):
    client = enter(students[0])
    page = client.get("/account/").content.decode()
    assert "ask your instructor" in page
    assert "details-name" not in page
    assert send(client, "Somebody", "some@example.edu")[0].status_code == 403


def test_nobody(client, db):
    assert send(client)[0].status_code == 403


def test_an_address_that_an_instructor_changes_is_no_longer_verified(students, instructor):
    """By the form and by a roster; another name alone changes nothing."""
    course, by = instructor.course, instructor.person
    for email, verified in (("bo@example.edu", True), ("new@example.edu", False)):
        for how in ("form", "roster"):
            fields = {"name": "Bo", "email": "bo@example.edu", "email_verified_at": timezone.now()}
            Person.objects.filter(pk=students[0].person_id).update(**fields)
            if how == "form":
                change_member(students[0], by, name="Bob", email=email, section="", team="")
            else:
                upload = keep_roster(course, by, "roster.csv", f"student,name,email\nbo,Bob,{email}\n".encode())
                apply_roster(upload, by, plan_of(upload).digest, remove=False, remove_with_work=False)
            person = Person.objects.get(pk=students[0].person_id)
            assert (person.name, person.email) == ("Bob", email)
            assert (person.email_verified_at is not None) is verified
