"""Personal links: opening one changes nothing, its button logs in."""

from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from django.test import Client
from django.utils import timezone

from peerorder.web.courses.models import Course
from peerorder.web.people import sessions
from peerorder.web.people.links import make_link, make_mailed_link, replace_mailed, revoke_access, revoke_link
from peerorder.web.people.models import Link, Person, Session
from tests.web.factories import enter_by

# Where the course is.
ATHENS = ZoneInfo("Europe/Athens")


def path_of(link):
    return link.removeprefix("http://127.0.0.1:8000")


def rows():
    """Everything that a visit could change."""
    return [list(model.objects.order_by("pk").values()) for model in (Link, Session, Person)]


def is_in(client, person=None):
    user = client.get("/account/").wsgi_request.user
    return user == person if person else user.is_authenticated


def test_it_works(client, students):
    person = students[0].person
    answer = enter_by(client, make_link(person))
    assert answer.status_code == 200
    assert answer.wsgi_request.user == person
    assert Link.objects.get().last_used_at is not None


@pytest.mark.parametrize("method", ["get", "head"])
def test_opening_a_link_changes_nothing(client, students, method):
    """M8: mail scanners open links, with HEAD too."""
    link = path_of(make_link(students[0].person))
    before = rows()
    answer = getattr(client, method)(link)
    assert answer.status_code == 200
    assert not is_in(client)
    assert rows() == before
    if method == "get":
        assert "Continue as Bo" in answer.content.decode()


def test_the_button_is_guarded_against_forged_requests(students):
    client, link = Client(enforce_csrf_checks=True), path_of(make_link(students[0].person))
    before = rows()
    assert client.post(link).status_code == 403
    assert rows() == before
    page = client.get(link)
    token = page.context["csrf_token"]
    assert client.post(link, {"csrfmiddlewaretoken": str(token)}).status_code == 302


def test_nobody_becomes_somebody_else_without_a_question(enter, students):
    """M8: a grader follows a link of the author, and what they hand in next would be the author's."""
    grader, author = students[0].person, students[1].person
    client, link = enter(students[0]), path_of(make_link(author))
    page = client.get(link)
    assert str(page.context["other"]) == "Bo"
    assert is_in(client, grader)
    # Not even by the button of a page that was opened before somebody logged in here.
    for said in ({}, {"instead_of": str(author.pk)}, {"instead_of": "nonsense"}):
        assert client.post(link, said).status_code == 200
        assert is_in(client, grader)
    assert client.post(link, {"instead_of": str(grader.pk)}).status_code == 302
    assert is_in(client, author)


def test_no_token_is_kept(students):
    token = make_link(students[0].person).rstrip("/").rpartition("/")[2]
    assert token not in str(Link.objects.values_list())


def test_the_address_travels_nowhere(client, students):
    answer = client.get(path_of(make_link(students[0].person)))
    assert answer["Referrer-Policy"] == "strict-origin"
    assert "no-store" in answer["Cache-Control"]


def end_course(students, days):
    Course.objects.update(ends_on=timezone.localdate(timezone=ATHENS) + timedelta(days=days))


def age(hours):
    Link.objects.update(made_at=timezone.now() - timedelta(hours=hours))


def replace(students):
    person = students[0].person
    for _ in range(2):
        make_link(person)


DEAD = {
    "revoked": lambda link, students: revoke_link(link, None),
    "revoked with everything": lambda link, students: revoke_access([link.person]),
    "replaced": lambda link, students: replace(students),
    "its course ended": lambda link, students: end_course(students, -1),
    "its account is closed": lambda link, students: Person.objects.update(is_active=False),
    "unknown": lambda link, students: Link.objects.all().delete(),
}


@pytest.mark.parametrize("end", DEAD)
def test_a_dead_link_says_so_and_offers_a_new_one(client, students, end):
    path = path_of(make_link(students[0].person))
    assert client.get(path).status_code == 200
    DEAD[end](Link.objects.get(), students)
    for answer in (client.get(path), client.post(path)):
        assert answer.status_code == 404
        assert 'action="/login/link/"' in answer.content.decode()
        assert not is_in(client)


def test_links_of_students_end_with_their_course(client, students):
    """Decided at every use: another date counts at once."""
    path = path_of(make_link(students[0].person))
    age(24 * 200)
    for days, status in ((0, 200), (-1, 404), (30, 200)):
        end_course(students, days)
        assert client.get(path).status_code == status


@pytest.mark.parametrize("who", ["instructor", "assistant"])
def test_links_of_staff_end_after_a_day(client, request, who):
    person = request.getfixturevalue(who).person
    path = path_of(make_link(person))
    age(23)
    assert client.get(path).status_code == 200
    age(25)
    assert client.get(path).status_code == 404
    assert client.post(path).status_code == 404
    assert not is_in(client)


def test_a_link_from_the_command_line_works_once(client, instructor):
    path = path_of(make_link(instructor.person, Link.Kind.ONCE))
    assert client.get(path).status_code == 200
    assert client.post(path).status_code == 302
    assert Client().get(path).status_code == 404
    assert Client().post(path).status_code == 404


def test_bad_links_throttle_nobody(client, students):
    for _ in range(20):
        assert client.get("/in/nonsense/").status_code == 404
    assert enter_by(client, make_link(students[0].person)).status_code == 200


def test_opening_a_link_again_does_not_pile_up_sessions(client, students):
    """L7: fifty visits made fifty rows."""
    path = path_of(make_link(students[0].person))
    for _ in range(50):
        Client().get(path)
        Client().head(path)
    assert Session.objects.count() == 0
    for _ in range(5):
        client.post(path)
    assert Session.objects.count() == 1
    for _ in range(sessions.MOST + 3):
        Client().post(path)
    assert Session.objects.count() == sessions.MOST


def test_entering_by_an_emailed_link_verifies_the_address(client, students):
    person = students[0].person
    for sent_to, printed, verified in (
        ("", False, False),
        ("old@example.edu", False, False),
        (person.email, True, False),
        (person.email, False, True),
    ):
        link = make_mailed_link(person, sent_to, printed=printed)
        replace_mailed(link)
        enter_by(client, link)
        person.refresh_from_db()
        assert (person.email_verified_at is not None) is verified
