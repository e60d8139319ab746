"""What people read about their own accounts."""

from peerorder.web.audit.models import Event
from peerorder.web.audit.services import record


def shown(client, query="") -> str:
    answer = client.get(f"/account/log/{query}")
    assert answer.status_code == 200
    return answer.content.decode()


def test_it_tells_what_was_done_to_the_account(course, students, instructor, enter):
    record("password set", students[0].person)
    record("link made", instructor.person, course=course, member=students[0].pk)
    # Of somebody else, and nothing about accounts.
    record("link made", instructor.person, course=course, member=students[1].pk)
    record("course archived", students[0].person, course=course)
    page = shown(enter(students[0]))
    assert "set a password" in page
    assert "created a personal link for Bo" in page
    assert "link for Cy" not in page
    assert "archived" not in page


def test_it_has_pages(students, enter):
    for number in range(201):
        Event.objects.create(verb="password set", person_id=students[0].person_id, details={"number": number})
    client = enter(students[0])
    assert shown(client).count("set a password") == 200
    assert "?after=" in shown(client)


def test_others_see_nothing_of_it(students, outsider, enter):
    record("password set", students[0].person)
    assert "set a password" not in shown(enter(outsider))


def test_one_logs_in_first(client, db):
    assert client.get("/account/log/").status_code == 302
