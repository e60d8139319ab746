"""The list of people, and what instructors change about one of them."""

import re
import uuid
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from peerorder.web.audit.models import Event
from peerorder.web.courses.models import Member, Role, Section
from peerorder.web.courses.services import links, members
from peerorder.web.errors import Refused
from peerorder.web.mail.models import Mail
from peerorder.web.people.links import digest, make_link, token_of
from peerorder.web.people.models import Link, Person
from tests.web.factories import enrol, enter_by


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

    assert found(q="FAY@") == set()
    assert found(q="di") == {"Di"}
    assert found(q="owl") == {"Di"}
    assert found(section=str(monday.pk)) == {"Di"}
    assert found(section="nonsense") == {"Bo", "Cy", "Di", "Ed", "Gus", "Hal", "Ivy"}
    assert found(state="never") == {"Bo", "Cy", "Di", "Gus", "Hal", "Ivy"}
    assert found(state="removed") == {"Fay"}
    assert found(state="staff") == set()
    assert "No people match" in page_of(client, course, q="%")


def test_sorted_by_any_column(enter, instructor, course, students):
    """Downwards too, those without a value last; the address keeps the search, and aria-sort says what is sorted."""
    monday = Section.objects.create(course=course, name="Monday")
    Member.objects.filter(pk=students[2].pk).update(section=monday)
    client = enter(instructor)

    def first(sort, count=1):
        listing = client.get(f"/courses/{course.pk}/people/", {"sort": sort}).context["listing"]
        return [str(member) for member in listing.page][:count]

    assert first("-name", 2) == ["Ivy", "Ida"]
    assert first("section") == first("-section") == ["Di"]
    assert first("-seen") == [str(instructor)]
    assert first("nonsense") == first("-") == first("name") == ["Bo"]
    page = page_of(client, course, q="d", sort="-name", state="students")
    assert page.count("aria-sort=") == 1
    assert '<th scope="col" aria-sort="descending"><a id="sort-name" href="?q=d&amp;state=students#rows"' in page
    assert 'href="?q=d&amp;state=students&amp;sort=email#rows"' in page


def test_what_can_be_done_from_a_row(enter, instructor, assistant, course, students):
    """Instructors change people; nobody makes links to an account that is not the course's."""
    page = page_of(enter(instructor), course)
    assert f'formaction="/courses/{course.pk}/people/{students[0].pk}/link/"' in page
    assert f'formaction="/courses/{course.pk}/people/{instructor.pk}/link/"' not in page
    assert "formaction" not in page_of(enter(assistant), course)


def test_pages_of_a_large_class(enter, instructor, course, django_assert_max_num_queries):
    people = Person.objects.bulk_create([Person(name=f"Name {at:05}") for at in range(3000)])
    Member.objects.bulk_create(
        Member(course=course, person=person, role=Role.STUDENT, student=f"s{at}") for at, person in enumerate(people)
    )
    client = enter(instructor)
    with django_assert_max_num_queries(12):
        page = page_of(client, course, page="61", q="name")
    assert "Page 60 of 60" in page
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
    assert [*answer.context["form"].errors] == ["email"]
    assert 'class="errorlist"' in answer.content.decode()


def test_add_a_student(enter, instructor, course, students):
    client = enter(instructor)
    address = f"/courses/{course.pk}/people/new/"
    assert client.post(address, {"student": "zoe", "name": "Zoe"}).status_code == 302
    assert Member.objects.get(student="zoe").role == Role.STUDENT
    assert client.post(address, {"student": "zoe"}).context["form"].errors
    assert Member.objects.filter(student="zoe").count() == 1


def test_a_link_is_shown_once(enter, instructor, course, students, client):
    address = f"/courses/{course.pk}/people/{students[0].pk}/"
    page = enter(instructor).post(address + "link/").content.decode()
    (link,) = re.findall(r"http://127.0.0.1:8000(/in/[^/]+/)", page)
    assert "/in/" not in page_of(enter(instructor), course, f"people/{students[0].pk}/")
    client.logout()
    assert enter_by(client, link).wsgi_request.user == students[0].person


def test_revoking_ends_links_passwords_and_sessions(client, enter, instructor, course, students):
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


def test_revoke_one_link(enter, instructor, course, students, outsider):
    """And nobody stays logged in by it; the other link goes on working."""
    made = [make_link(students[0].person).removeprefix("http://127.0.0.1:8000") for _ in range(2)]
    browsers = [Client(), Client()]
    for browser, link in zip(browsers, made, strict=True):
        enter_by(browser, link)
    first, _second = Link.objects.filter(person=students[0].person).order_by("pk")
    elsewhere = Link.objects.get(digest=digest(token_of(make_link(outsider.person))))
    client, address = enter(instructor), f"/courses/{course.pk}/people/{students[0].pk}/"
    page = client.get(address).content.decode()
    assert page.count("Revoke link ") == 2
    for number in ("", "x", "0", "9" * 30, str(elsewhere.pk)):
        assert client.post(address + "revoke-link/", {"link": number}).status_code == 404
    assert client.post(address + "revoke-link/", {"link": first.pk}).status_code == 302
    assert [browser.get("/account/").status_code for browser in browsers] == [302, 200]
    assert [Client().get(link).status_code for link in made] == [404, 200]
    assert client.get(address).content.decode().count("Revoke link ") == 1
    event = Event.objects.get(verb="link revoked")
    assert (event.course_id, event.details) == (course.pk, {"person": students[0].person_id, "link": first.pk})


def test_links_end_with_the_course(enter, instructor, course, students):
    """Wherever the end is moved to."""
    link = make_link(students[0].person).removeprefix("http://127.0.0.1:8000")
    client, address = enter(instructor), f"/courses/{course.pk}/people/{students[0].pk}/"
    settings = {"name": course.name, "time_zone": course.time_zone}
    for end, status in (("2020-01-01", 404), (str(timezone.localdate() + timedelta(days=9)), 200)):
        client.post(f"/courses/{course.pk}/settings/", settings | {"ends_on": end})
        assert Client().get(link).status_code == status
        assert ("Revoke link " in client.get(address).content.decode()) == (status == 200)


def test_links_of_staff_and_of_people_elsewhere_cannot_be_revoked_here(enter, instructor, assistant, course):
    make_link(assistant.person)
    link = Link.objects.get()
    where = f"/courses/{course.pk}/people/{assistant.pk}/revoke-link/"
    assert enter(instructor).post(where, {"link": link.pk}).status_code == 409
    link.refresh_from_db()
    assert link.revoked_at is None


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
    other = enrol(course, "Jo", Role.INSTRUCTOR)
    assert enter(instructor).post(f"/courses/{course.pk}/people/{instructor.pk}/remove/").url == "/"
    assert enter(other).get(f"/courses/{course.pk}/people/").status_code == 200


def test_nobody_gets_into_other_courses(enter, instructor, course, outsider, students):
    """A course manages the accounts of its students, and no others: links, passwords, addresses, erasure."""
    maker = Person.objects.create_user("dean", "x", name="Dean", email="dean@example.edu", makes_courses=True)
    tutor = Person.objects.create_user("tutor", "x", name="Tutor", email="tutor@example.edu")
    Member.objects.create(course=outsider.course, person=tutor, role=Role.ASSISTANT)
    # As data of older versions might have it: a student with two courses.
    double = students[0].person
    double.set_password("x")
    double.save()
    Member.objects.create(course=outsider.course, person=double, role=Role.STUDENT, student="bo")
    client = enter(instructor)
    for person in (maker, tutor, double):
        before = (person.name, person.email)
        member, _made = Member.objects.get_or_create(course=course, person=person, defaults={"role": Role.ASSISTANT})
        address = f"/courses/{course.pk}/people/{member.pk}/"
        assert "/in/" not in client.get(address).content.decode()
        assert client.post(address + "link/").status_code == 409
        assert client.post(address + "revoke/").status_code == 409
        client.post(address + "change/", {"name": "Mine", "email": "me@example.edu"})
        answer = client.post(address + "erase/", {"typed": member.student or person.email})
        assert answer.status_code == 409
        person.refresh_from_db()
        assert (person.name, person.email, person.erased_at) == (*before, None)
        assert person.has_usable_password()
        assert not Link.objects.filter(person=person).exists()
    client.post(f"/courses/{course.pk}/people/links/send/", {"who": "all", "once": str(uuid.uuid4())})
    client.post(f"/courses/{course.pk}/people/links/export/", {"who": "all", "format": "csv"})
    client.post(f"/courses/{course.pk}/people/links/revoke/")
    assert not Mail.objects.filter(person_id=double.pk).exists()
    assert not Link.objects.filter(person=double).exists()
    double.refresh_from_db()
    assert double.has_usable_password()


def test_staff_look_after_their_own_accounts(enter, instructor, course, assistant):
    """They may join another course at any time, and nobody here must have a way into their account then."""
    client, address = enter(instructor), f"/courses/{course.pk}/people/{assistant.pk}/"
    assert client.post(address + "link/").status_code == 409
    assert client.post(address + "revoke/").status_code == 409
    client.post(address + "change/", {"name": "Mine", "email": "me@example.edu", "section": "Monday"})
    assistant.refresh_from_db()
    assistant.person.refresh_from_db()
    assert (assistant.person.name, assistant.person.email) == ("Asa", "asa@example.edu")
    assert assistant.section.name == "Monday"


# Addresses.


def test_a_changed_address_is_unverified_and_the_previous_one_is_told(
    enter, instructor, course, students, work_off, mailoutbox
):
    person = students[0].person
    Person.objects.filter(pk=person.pk).update(email_verified_at=timezone.now())
    address = f"/courses/{course.pk}/people/{students[0].pk}/change/"
    client = enter(instructor)
    client.post(address, {"name": "Bo Bee", "email": "bo@example.edu"})
    person.refresh_from_db()
    assert person.email_verified_at is not None, "only the name is another"
    client.post(address, {"name": "Bo Bee", "email": "thief@example.edu"})
    person.refresh_from_db()
    assert (person.email, person.email_verified_at) == ("thief@example.edu", None)
    work_off()
    (message,) = mailoutbox
    assert message.to == ["bo@example.edu"]
    assert "thief" not in message.body
    assert "/in/" not in message.body


# Roles.


def change_role(client, member, role):
    return client.post(f"/courses/{member.course_id}/people/{member.pk}/role/", {"role": role})


def test_a_role_is_changed_on_the_page_of_the_person(enter, instructor, assistant, course, work_off, mailoutbox):
    assert enter(assistant).get(f"/courses/{course.pk}/people/links/").status_code == 403
    assert change_role(enter(instructor), assistant, "instructor").status_code == 302
    assistant.refresh_from_db()
    assert assistant.role == Role.INSTRUCTOR
    assert enter(assistant).get(f"/courses/{course.pk}/people/links/").status_code == 200
    event = Event.objects.get(verb="role changed")
    assert event.details == {"member": assistant.pk, "before": "assistant", "after": "instructor"}
    assert event.person_id == instructor.person_id
    work_off()
    (message,) = mailoutbox
    assert message.to == ["asa@example.edu"]
    assert "/in/" not in message.body
    change_role(enter(instructor), assistant, "instructor")
    assert Event.objects.filter(verb="role changed").count() == 1, "the same again is no change"
    change_role(enter(instructor), assistant, "assistant")
    assistant.refresh_from_db()
    assert assistant.role == Role.ASSISTANT
    work_off()
    assert len(mailoutbox) == 2


def test_roles_that_cannot_be(enter, instructor, assistant, students, course):
    client = enter(instructor)
    for role in ("student", "dean", ""):
        assert change_role(client, assistant, role).status_code == 422
    for role in ("assistant", "instructor"):
        assert change_role(client, students[0], role).status_code == 409
    assert change_role(client, instructor, "assistant").status_code == 409, "the last instructor"
    members.remove_member(assistant, instructor.person)
    assert change_role(client, assistant, "instructor").status_code == 409
    assert not Event.objects.filter(verb="role changed").exists()
    with pytest.raises(Refused):
        members.change_role(assistant, instructor.person, Role.STUDENT)


def test_an_instructor_may_step_back_once_there_is_another(enter, instructor, assistant, course):
    client = enter(instructor)
    change_role(client, assistant, "instructor")
    assert change_role(client, instructor, "assistant").status_code == 302
    assert change_role(client, assistant, "assistant").status_code == 403


def test_an_instructor_who_cannot_log_in_is_none(enter, instructor, course):
    """Somebody whose account was closed does not make the last one who can do something dispensable."""
    gone = enrol(course, "Gone", Role.INSTRUCTOR)
    Person.objects.filter(pk=gone.person_id).update(is_active=False)
    assert change_role(enter(instructor), instructor, "assistant").status_code == 409
    assert enter(instructor).post(f"/courses/{course.pk}/people/{instructor.pk}/remove/").status_code == 409


@pytest.mark.parametrize("who", ["assistant", "student", "outsider"])
def test_nobody_else_changes_roles(enter, instructor, assistant, students, outsider, who):
    person = {"assistant": assistant, "student": students[0], "outsider": outsider}[who]
    assert change_role(enter(person), assistant, "instructor").status_code in (403, 404)
    assistant.refresh_from_db()
    assert assistant.role == Role.ASSISTANT


def test_people_are_in_the_order_of_their_surnames(enter, instructor, course):
    """m7: they were in that of their first names."""
    for name in ("Ada Zorn", "Zoe Abel", "Mai  van Berg", "Cole, Bo", "Ödön"):
        enrol(course, name)
    listing = enter(instructor).get(f"/courses/{course.pk}/people/").context["listing"]
    listed = [member.person.name for member in listing.page]
    assert [name for name in listed if name != "Ida"][:4] == ["Zoe Abel", "Mai  van Berg", "Cole, Bo", "Ada Zorn"]
