"""The list of people, and what instructors change about one of them."""

import re

from django.utils import timezone

from peerorder.web.audit.models import Event
from peerorder.web.courses.models import Member, Role, Section
from peerorder.web.courses.services import links, members
from peerorder.web.mail.models import Mail
from peerorder.web.people.links import make_link
from peerorder.web.people.models import Link, Person
from tests.web.factories import enter_by


def page_of(client, course, path="people/", **query):
    answer = client.get(f"/courses/{course.pk}/{path}", query)
    assert answer.status_code == 200
    return answer.content.decode()


def test_it_works(enter, instructor, course, students):
    page = page_of(enter(instructor), course)
    for member in students:
        assert member.person.name in page
        assert member.person.email in page
    assert "9 people" in page


def test_search_and_filters(enter, assistant, course, students):
    monday = Section.objects.create(course=course, name="Monday")
    Member.objects.filter(pk=students[2].pk).update(section=monday, team="owls")
    Person.objects.filter(pk=students[3].person_id).update(last_login=timezone.now())
    Member.objects.filter(pk=students[4].pk).update(removed_at=timezone.now())
    client = enter(assistant)

    def found(**query):
        page = page_of(client, course, **query)
        return {member.person.name for member in students if member.person.email in page}

    assert found(search="FAY@") == set()
    assert found(search="di") == {"Di"}
    assert found(search="owl") == {"Di"}
    assert found(section=str(monday.pk)) == {"Di"}
    assert found(section="nonsense") == {"Bo", "Cy", "Di", "Ed", "Gus", "Hal", "Ivy"}
    assert found(state="never") == {"Bo", "Cy", "Di", "Gus", "Hal", "Ivy"}
    assert found(state="removed") == {"Fay"}
    assert found(state="staff") == set()
    assert "Nobody is like that" in page_of(client, course, search="%")


def test_pages_of_a_large_class(enter, instructor, course, django_assert_max_num_queries):
    people = Person.objects.bulk_create([Person(name=f"Name {at:05}") for at in range(3000)])
    Member.objects.bulk_create(
        Member(course=course, person=person, role=Role.STUDENT, student=f"s{at}") for at, person in enumerate(people)
    )
    client = enter(instructor)
    with django_assert_max_num_queries(12):
        page = page_of(client, course, page="31", search="name")
    assert "Page 30 of 30" in page
    assert "Name 02999" in page
    assert "Name 00000" not in page
    assert len(page) < 150_000


def test_change(enter, instructor, course, students):
    address = f"/courses/{course.pk}/people/{students[0].pk}/"
    client = enter(instructor)
    said = {"name": "Bo Bee", "email": "bee@example.edu", "section": "Tuesday", "team": "owls"}
    assert client.post(address + "change/", said).status_code == 302
    member = Member.objects.get(pk=students[0].pk)
    assert (member.person.name, member.person.email) == ("Bo Bee", "bee@example.edu")
    assert (member.section.name, member.team) == ("Tuesday", "owls")
    assert Event.objects.get().details == {"member": member.pk}
    answer = client.post(address + "change/", said | {"email": "nonsense"})
    assert answer.status_code == 422
    assert "Enter a valid email address" in answer.content.decode()


def test_add_a_student(enter, instructor, course, students):
    client = enter(instructor)
    address = f"/courses/{course.pk}/people/new/"
    assert client.post(address, {"student": "zoe", "name": "Zoe"}).status_code == 302
    assert Member.objects.get(student="zoe").role == Role.STUDENT
    assert "somebody with this id already" in client.post(address, {"student": "zoe"}).content.decode()


def test_a_link_is_shown_once(enter, instructor, course, students, client):
    address = f"/courses/{course.pk}/people/{students[0].pk}/"
    page = enter(instructor).post(address + "link/").content.decode()
    (link,) = re.findall(r"http://127.0.0.1:8000(/in/[^/]+/)", page)
    assert "/in/" not in page_of(enter(instructor), course, f"people/{students[0].pk}/")
    client.logout()
    assert enter_by(client, link).wsgi_request.user == students[0].person


def test_revoking_ends_links_passwords_and_sessions(client, enter, instructor, course, students):
    from django.test import Client

    person = students[0].person
    intruder, link = Client(), make_link(person).removeprefix("http://127.0.0.1:8000")
    enter_by(intruder, link)
    intruder.post("/account/", {"password": "correct horse battery"})
    person.refresh_from_db()
    assert intruder.get("/account/").status_code == 200
    enter(instructor).post(f"/courses/{course.pk}/people/{students[0].pk}/revoke/")
    assert intruder.get("/account/").status_code == 302
    assert intruder.get(link).status_code == 404
    intruder.post("/login/", {"login": person.login, "password": "correct horse battery"})
    assert intruder.get("/account/").status_code == 302
    assert intruder.post(links.link_for(students[0], instructor.person)).status_code == 302


def test_remove_and_put_back(enter, instructor, course, students):
    address = f"/courses/{course.pk}/people/{students[0].pk}/"
    client = enter(instructor)
    client.post(address + "remove/")
    client.post(address + "remove/")
    students[0].refresh_from_db()
    assert students[0].removed_at is not None
    assert "Put back" in client.get(address).content.decode()
    assert enter(students[0]).get(f"/courses/{course.pk}/").status_code == 404
    enter(instructor).post(address + "put-back/")
    assert enter(students[0]).get(f"/courses/{course.pk}/").status_code == 200
    assert [event.verb for event in Event.objects.order_by("pk")] == ["member removed", "member put back"]


def test_the_last_instructor_stays(enter, instructor, course):
    answer = enter(instructor).post(f"/courses/{course.pk}/people/{instructor.pk}/remove/")
    assert answer.status_code == 409
    assert "only instructor" in answer.content.decode()
    other = members.add_staff(course, instructor.person, name="Jo", email="jo@example.edu", role=Role.INSTRUCTOR)
    assert enter(instructor).post(f"/courses/{course.pk}/people/{instructor.pk}/remove/").url == "/"
    assert enter(other).get(f"/courses/{course.pk}/people/").status_code == 200


def test_add_staff(enter, instructor, course, client):
    said = {"name": "Tim", "email": "tim@example.edu", "role": "assistant", "mail": "on"}
    answer = enter(instructor).post(f"/courses/{course.pk}/people/staff/add/", said)
    page = answer.content.decode()
    (link,) = re.findall(r"http://127.0.0.1:8000(/in/[^/]+/)", page)
    assert "{link}" in Mail.objects.get().body
    client.logout()
    answer = enter_by(client, link)
    assert "You have no password yet" in answer.content.decode()
    assert client.get(f"/courses/{course.pk}/people/").status_code == 200
    again = enter(instructor).post(f"/courses/{course.pk}/people/staff/add/", said)
    assert again.status_code == 422
    assert "staff of the course already" in again.content.decode()


def test_nobody_gets_into_other_courses_by_an_address(enter, instructor, course, outsider):
    """A course can make links to the accounts it made, and to no others, whatever address somebody claims."""
    maker = Person.objects.create_user("dean", "x", name="Dean", email="dean@example.edu", makes_courses=True)
    claims = Person.objects.create_user(None, name="Oz", email="ivan@example.edu")
    Member.objects.create(course=outsider.course, person=claims, role=Role.ASSISTANT)
    client = enter(instructor)
    page = client.post(
        f"/courses/{course.pk}/people/staff/add/", {"name": "D", "email": "Dean@example.edu", "role": "instructor"}
    ).content.decode()
    member = Member.objects.get(course=course, person=maker)
    assert "/in/" not in page
    assert client.post(f"/courses/{course.pk}/people/{member.pk}/link/").status_code == 409
    assert client.post(f"/courses/{course.pk}/people/{member.pk}/revoke/").status_code == 409
    client.post(f"/courses/{course.pk}/people/{member.pk}/change/", {"name": "Mine", "email": "me@example.edu"})
    client.post(f"/courses/{course.pk}/people/{member.pk}/erase/", {"typed": "dean@example.edu"})
    maker.refresh_from_db()
    assert (maker.name, maker.email, maker.has_usable_password()) == ("Dean", "dean@example.edu", True)
    assert not Link.objects.filter(person=maker).exists()
    client.post(
        f"/courses/{course.pk}/people/staff/add/", {"name": "Ivan", "email": "ivan@example.edu", "role": "assistant"}
    )
    assert not Member.objects.filter(course=course, person=claims).exists()
