"""Staff from the command line."""

import re
from dataclasses import replace

import pytest
from django.contrib.auth import authenticate
from django.test import Client

from peerorder.cli.serve import greeting
from peerorder.core.errors import InputError
from peerorder.web.audit.models import Event
from peerorder.web.courses.models import Course, Member, Role
from peerorder.web.operations import staff
from peerorder.web.people.models import Person
from tests.web.factories import enrol, enter_by

pytestmark = pytest.mark.django_db


def test_the_first_one_can_log_in_both_ways(client):
    keys = staff.first_staff()
    assert authenticate(username=keys.login, password=keys.password) == keys.person
    assert keys.person.makes_courses
    enter_by(client, keys.link)
    assert client.session["_auth_user_id"] == str(keys.person.pk)


def test_there_is_one_first_one():
    assert staff.first_staff() is not None
    assert staff.first_staff() is None


def test_somebody_is_added_as_instructor_of_a_course(course):
    keys = staff.add_staff("Ida Berg", "ida@example.edu", "Algorithms")
    assert Member.objects.get(person=keys.person).role == Role.INSTRUCTOR
    assert staff.staff() == [("ida@example.edu", "Ida Berg", "ida@example.edu", "Algorithms")]
    other = staff.add_staff("Jo Berg", "jo@example.edu", str(course.pk))
    assert Member.objects.get(person=other.person).course == course


@pytest.mark.parametrize(
    ("email", "course", "words"),
    [
        ("ida", None, "not an e-mail address"),
        ("ida@example.edu", None, "already has an account"),
        ("jo@example.edu", "Zoology", "no course is called 'Zoology'"),
        ("jo@example.edu", "Twins", "several courses are called 'Twins'"),
    ],
)
def test_what_cannot_be_is_said_and_nothing_changes(email, course, words):
    staff.add_staff("Ida Berg", "ida@example.edu")
    for _ in range(2):
        Course.objects.create(name="Twins")
    with pytest.raises(InputError, match=words):
        staff.add_staff("Somebody", email, course)
    assert Person.objects.count() == 1


def test_a_new_password_takes_the_place_of_the_old_one():
    old = staff.add_staff("Ida Berg", "ida@example.edu")
    new = staff.new_password("ida@example.edu")
    assert authenticate(username="ida@example.edu", password=new.password) == old.person
    assert authenticate(username="ida@example.edu", password=old.password) is None
    with pytest.raises(InputError, match="staff list"):
        staff.new_password("nobody@example.edu")


def test_students_are_no_staff(students):
    assert staff.staff() == []


# Taking it back.


def path_of(link):
    return link.removeprefix("http://127.0.0.1:8000")


def entered(link):
    client = Client()
    enter_by(client, link)
    return client


def test_an_added_account_has_a_link_that_works_once_and_no_password():
    keys = staff.add_staff("Ida Berg", "ida@example.edu")
    assert not keys.password
    assert not keys.person.has_usable_password()
    assert entered(keys.link).get("/account/").status_code == 200
    assert Client().get(path_of(keys.link)).status_code == 404


ENDS = {
    "password": staff.new_password,
    "revoke": staff.revoke_staff,
    "remove": lambda login: staff.remove_staff(login, force=True),
}


@pytest.mark.parametrize("command", ENDS)
def test_every_older_link_and_session_ends(command):
    """H4: a link that the journal keeps stayed good, whatever one did."""
    keys = staff.first_staff()
    client = entered(keys.link)
    ENDS[command](keys.login)
    assert client.get("/account/").status_code == 302
    assert Client().get(path_of(keys.link)).status_code == 404
    assert authenticate(username=keys.login, password=keys.password) is None


def test_revoked_staff_stay_staff():
    keys = staff.first_staff()
    assert staff.revoke_staff(keys.login).links == 1
    assert staff.staff()[0][0] == keys.login
    assert authenticate(username=keys.login, password=staff.new_password(keys.login).password) == keys.person
    assert Event.objects.get(verb="staff revoked").details["person"] == keys.person.pk


def test_somebody_who_leaves(course):
    """H4: nobody could be deactivated, and whoever had left stayed administrator."""
    first = staff.first_staff()
    keys = staff.add_staff("Ida Berg", "ida@example.edu", "Algorithms")
    client = entered(keys.link)
    removed = staff.remove_staff("ida@example.edu")
    assert removed.without_instructor == ("Algorithms",)
    assert client.get("/account/").status_code == 302
    keys.person.refresh_from_db()
    assert (keys.person.is_active, keys.person.makes_courses, keys.person.login) == (False, False, None)
    assert Member.objects.get(person=keys.person).removed_at is not None
    assert [row[0] for row in staff.staff()] == [first.login]
    assert {"staff removed", "member removed"} <= set(Event.objects.values_list("verb", flat=True))
    # The same person comes back with an account of their own.
    again = staff.add_staff("Ida Berg", "ida@example.edu")
    assert again.login == "ida@example.edu"
    assert again.person != keys.person


def test_the_last_one_who_makes_courses_stays():
    keys = staff.first_staff()
    with pytest.raises(InputError, match="--force"):
        staff.remove_staff(keys.login)
    assert authenticate(username=keys.login, password=keys.password) == keys.person
    staff.remove_staff(keys.login, force=True)
    assert staff.needs_first_staff()


def test_staff_without_a_log_in_name_are_found_by_their_address(assistant):
    assert staff.revoke_staff("asa@example.edu").links == 0
    enrol(assistant.course, "Asa", Role.INSTRUCTOR)
    with pytest.raises(InputError, match="2 accounts"):
        staff.revoke_staff("asa@example.edu")
    with pytest.raises(InputError, match="staff list"):
        staff.new_password("asa@example.edu")


def test_nobody_is_handed_the_account_of_a_student(students):
    """L2: a student took the name of a future professor, who was then given the student's account."""
    student = students[0].person
    Person.objects.filter(pk=student.pk).update(login="newprof@example.edu", email="newprof@example.edu")
    keys = staff.add_staff("New Prof", "newprof@example.edu")
    assert keys.person != student
    assert keys.login.startswith("new-prof-")
    with pytest.raises(InputError, match="staff list"):
        staff.new_password("newprof@example.edu")
    student.refresh_from_db()
    assert not student.has_usable_password()
    assert not student.makes_courses


def test_in_production_a_start_prints_no_secret(settings):
    """H4: the first start printed a password and a link, and the journal kept both."""
    settings.ENVIRONMENT = replace(settings.ENVIRONMENT, production=True)
    said = greeting("https://peers.example.edu/", sample=True, command="peerorder")
    assert "peerorder staff add" in said
    assert "/in/" not in said
    assert "password" not in said
    assert staff.needs_first_staff()
    staff.add_staff("Ida Berg", "ida@example.edu")
    said = greeting("https://peers.example.edu/", sample=True, command="peerorder")
    assert "peerorder staff password" in said
    assert "/in/" not in said
    assert "ida@example.edu" not in said


def test_every_start_says_how_to_log_in_and_how_to_reset_the_password(client):
    """B2: the second start said nothing but the address."""
    first = greeting("http://127.0.0.1:8000/", sample=True, command=".venv/bin/peerorder")
    keys = re.search(r"username +(\S+)\n +password +(\S+)\n +or this link (\S+)\n", first)
    assert authenticate(username=keys[1], password=keys[2]).makes_courses
    for said in (first, greeting("http://127.0.0.1:8000/", sample=True, command=".venv/bin/peerorder")):
        assert ".venv/bin/peerorder staff password admin" in said
        enter_by(client, re.findall(r"http\S+/in/\S+", said)[-1])
        assert Member.objects.get(person=client.session["_auth_user_id"]).course.name.startswith("Sample course")
    assert keys[2] not in said
    staff.add_staff("Ida Berg", "ida@example.edu")
    said = greeting("http://127.0.0.1:8000/", sample=False, command="peerorder")
    assert "peerorder staff list" in said
    assert "/in/" not in said
