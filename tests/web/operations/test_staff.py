"""Staff from the command line."""

import pytest
from django.contrib.auth import authenticate

from peerorder.core.errors import InputError
from peerorder.web.courses.models import Course, Member, Role
from peerorder.web.operations import staff
from peerorder.web.people.models import Person
from tests.web.factories import enter_by

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
        ("ida", None, "no e-mail address"),
        ("ida@example.edu", None, "has an account already"),
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
