"""The ledger: what was erased or revoked stands outside of the database too."""

import json
import threading
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.utils import timezone

from peerorder.core.errors import InputError
from peerorder.web.audit import ledger
from peerorder.web.audit.models import Event
from peerorder.web.audit.services import record
from peerorder.web.courses.models import Course, Invitation, Member, Role
from peerorder.web.courses.services.links import revoke_member_access, revoke_student_access
from peerorder.web.courses.services.members import put_back, remove_member
from peerorder.web.home.course_deletion import delete_course
from peerorder.web.home.erasure import erase_member
from peerorder.web.home.retention import erase_course
from peerorder.web.operations.staff import remove_staff
from peerorder.web.people.links import end_all_access, revoke_link, revoke_own_links
from peerorder.web.people.models import Link, Person
from peerorder.web.people.passwords import set_password
from tests.web.factories import enrol

VERB = "person erased"


@pytest.fixture(autouse=True)
def home(settings, tmp_path):
    """A folder for the ledger of each test."""
    settings.ENVIRONMENT = SimpleNamespace(**{**vars(settings.ENVIRONMENT), "home": tmp_path})
    return tmp_path


@pytest.fixture
def lines(home):
    return lambda: (home / "ledger.jsonl").read_text().splitlines()


def erased(many: int = 1, begin: int = 0) -> None:
    for number in range(begin, begin + many):
        record(VERB, None, member=number)


def test_an_erasure_is_written_when_it_is_certain(
    students, instructor, course, lines, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks(execute=True):
        erase_member(students[0], instructor.person)
    (line,) = lines()
    found = json.loads(line)
    event = Event.objects.get(verb=VERB)
    assert (found["number"], found["event"], found["course"]) == (1, event.pk, course.pk)
    assert found["details"]["member"] == students[0].pk
    assert "bo" not in line.lower().replace("about", "")
    assert (ledger.ledger_path().stat().st_mode & 0o777) == 0o600


def test_other_events_are_not_in_it(instructor, course, home, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True) as callbacks:
        record("course changed", instructor.person, course=course)
    assert callbacks == []
    assert not (home / "ledger.jsonl").exists()


@pytest.mark.django_db
def test_what_a_crash_left_out_is_added_once(lines):
    erased(3)
    assert ledger.write() == 3
    assert ledger.write() == 0
    assert ledger.write(everything=True) == 0
    erased(1, 7)
    assert ledger.write() == 1
    assert [json.loads(line)["details"]["member"] for line in lines()] == [0, 1, 2, 7]
    assert [entry.number for entry in ledger.load()] == [1, 2, 3, 4]


@pytest.mark.django_db
def test_a_line_cut_off_by_a_crash_is_written_again(home, lines):
    erased(2)
    ledger.write()
    path = home / "ledger.jsonl"
    path.write_bytes(path.read_bytes()[:-20])
    assert ledger.write() == 1
    assert [entry.details["member"] for entry in ledger.load()] == [0, 1]


@pytest.mark.django_db
def test_an_event_that_comes_late_is_not_missed(lines):
    """On PostgreSQL a transaction may end after one that began later."""
    erased(3)
    assert ledger.write() == 3
    path = ledger.ledger_path()
    first, _second, third = path.read_bytes().splitlines()
    path.write_bytes(first + b"\n" + third + b"\n")
    assert ledger.write() == 1
    assert json.loads(lines()[-1])["details"]["member"] == 1


@pytest.mark.django_db
def test_ids_that_are_given_again_after_a_restore_are_new_events(lines):
    erased(3)
    ledger.write()
    first = Event.objects.order_by("pk").first()
    path = ledger.ledger_path()
    # As if the event with this id had been another one, before the database was replaced.
    path.write_bytes(path.read_bytes().replace(first.at.isoformat().encode(), b"2001-01-01T00:00:00+00:00"))
    assert ledger.write() == 1
    ledger.write_restored()
    assert ledger.load(lenient=True)[-1].verb == ledger.RESTORED


DAMAGE = {
    "a line is gone": lambda lines: lines[:1] + lines[2:],
    "a line is changed": lambda lines: [lines[0], lines[1].replace('"member": 1', '"member": 9'), lines[2]],
    "two lines are swapped": lambda lines: [lines[1], lines[0], lines[2]],
    "a line is no JSON": lambda lines: [lines[0], "garbage", lines[2]],
    "a line is something else": lambda lines: [lines[0], "[1, 2]", lines[2]],
    "a line has other fields": lambda lines: [lines[0], '{"number": 2}', lines[2]],
    "a number is a word": lambda lines: [lines[0], lines[1].replace('"number": 2', '"number": "2"'), lines[2]],
    "the first is gone": lambda lines: lines[1:],
    "half a line": lambda lines: [lines[0], lines[1], lines[2][:50]],
}


@pytest.mark.django_db
@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_is_noticed(home, lines, damage):
    erased(3)
    ledger.write()
    (home / "ledger.jsonl").write_text("\n".join(DAMAGE[damage](lines())) + "\n")
    with pytest.raises(InputError, match=r"damaged in line [123].*--without-ledger"):
        ledger.load()
    assert len(ledger.load(lenient=True)) >= 2


@pytest.mark.django_db
def test_a_ledger_that_is_missing_or_of_another_site():
    with pytest.raises(InputError, match="there is no ledger"):
        ledger.load()
    assert ledger.load(lenient=True) == []
    erased(2)
    ledger.write()
    for made in ({"number": 2, "checksum": "0" * 64}, {"number": 7, "checksum": ""}):
        with pytest.raises(InputError, match="another site, or lines are missing"):
            ledger.load_since({"ledger": made})
    since = ledger.load_since({"ledger": {"number": 1, "checksum": ledger.load()[0].checksum}})
    assert [entry.number for entry in since] == [2]
    assert len(ledger.load_since({"ledger": {"number": 0, "checksum": ""}})) == 2
    # A backup of a version without a ledger: by time.
    assert ledger.load_since({"made_at": "2999-01-01T00:00:00+00:00"}) == []
    assert len(ledger.load_since({"made_at": "2001-01-01T00:00:00+00:00"})) == 2


def test_many_write_at_once(monkeypatch):
    class Events(list):
        """A table with events."""

        filter = order_by = lambda self, *_names, **_how: self

    now = timezone.now()
    found = Events(Event(pk=number, at=now, verb=VERB, details={}) for number in range(1, 21))
    monkeypatch.setattr(ledger, "Event", SimpleNamespace(objects=found))
    threads = [threading.Thread(target=ledger.write) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [entry.number for entry in ledger.load()] == list(range(1, 21))


# After a restore.


def as_before(member: Member) -> None:
    """The row as a backup would bring it back."""
    Person.objects.filter(pk=member.person_id).update(name="Bo", email="bo@example.edu", erased_at=None, is_active=True)
    Member.objects.filter(pk=member.pk).update(student="bo", removed_at=None)


def test_somebody_erased_is_erased_again(students, instructor):
    erase_member(students[0], instructor.person)
    ledger.write()
    as_before(students[0])
    assert ledger.replay(ledger.load()) == 1
    students[0].refresh_from_db()
    assert (students[0].person.name, students[0].student == "bo") == ("", False)
    assert ledger.replay(ledger.load()) == 0


def test_somebody_else_with_the_same_id_is_left_alone(students, instructor):
    """Ids that were given after the backup are given again after the restore."""
    erase_member(students[0], instructor.person)
    ledger.write()
    as_before(students[0])
    later = students[0].person.created_at.replace(year=2030)
    Person.objects.filter(pk=students[0].person_id).update(created_at=later)
    assert ledger.replay(ledger.load()) == 0
    assert Person.objects.get(pk=students[0].person_id).name == "Bo"


def test_a_course_is_erased_or_deleted_again(course, instructor, students, outsider):
    other = Course.objects.create(name="Zoology")
    enrol(other, "Zed")
    since = other.created_at
    number = other.pk
    delete_course(other, instructor.person)
    erase_course(course)
    ledger.write()
    Course.objects.create(pk=number, name="Zoology", created_at=since)
    Course.objects.filter(pk=course.pk).update(erased_at=None)
    as_before(students[3])
    assert ledger.replay(ledger.load()) >= 3
    assert not Course.objects.filter(pk=number).exists()
    assert not Person.objects.filter(memberships__course=course, erased_at=None, makes_courses=False).exists()
    assert Person.objects.get(pk=outsider.person_id).name == "Oz"


def ways_in(person: Person) -> tuple[bool, int]:
    person.refresh_from_db()
    return person.has_usable_password(), person.links.filter(revoked_at=None).count()


def with_ways_in(*members: Member) -> None:
    """As the backup has them: with a password and a link, from before."""
    for member in members:
        member.person.set_password("a very long password")
        member.person.save()
        Link.objects.filter(person=member.person).delete()
        Link.objects.create(person=member.person, digest=f"{member.pk:064d}")


def test_what_was_revoked_is_revoked_again(students, instructor, course):
    with_ways_in(*students)
    revoke_link(students[0].person.links.get(), instructor.person, course=course)
    revoke_own_links(students[1].person)
    end_all_access(students[2].person)
    set_password(students[3].person, "another very long password")
    revoke_member_access(students[4], instructor.person)
    ledger.write()
    with_ways_in(*students)
    assert ledger.replay(ledger.load()) == 5
    found = [ways_in(student.person) for student in students]
    assert found == [(True, 0)] * 3 + [(False, 0)] * 2 + [(True, 1)] * 3
    assert ledger.replay(ledger.load()) == 0


def test_the_access_of_all_students_is_revoked_again(students, instructor, course, outsider):
    with_ways_in(*students, instructor, outsider)
    revoke_student_access(course, instructor.person)
    ledger.write()
    newcomer = enrol(course, "Newt")
    with_ways_in(*students, newcomer)
    assert ledger.replay(ledger.load()) == 1
    assert {ways_in(student.person) for student in students} == {(False, 0)}
    assert {ways_in(each.person) for each in (newcomer, instructor, outsider)} == {(True, 1)}


def test_staff_who_were_removed_are_removed_again(instructor, assistant, course):
    Person.objects.filter(pk=assistant.person_id).update(login="asa")
    assistant.person.refresh_from_db()
    with_ways_in(assistant)
    remove_staff("asa")
    ledger.write()
    Person.objects.filter(pk=assistant.person_id).update(is_active=True, login="asa")
    Member.objects.filter(pk=assistant.pk).update(removed_at=None)
    with_ways_in(assistant)
    assert ledger.replay(ledger.load()) == 2
    assistant.refresh_from_db()
    assert assistant.removed_at is not None
    assert ways_in(Person.objects.get(pk=assistant.person_id)) == (False, 0)
    assert not Person.objects.get(pk=assistant.person_id).is_active


def test_members_are_where_they_were_last(students, instructor):
    for each in students[:2]:
        remove_member(each, instructor.person)
    students[1].refresh_from_db()
    put_back(students[1], instructor.person)
    ledger.write()
    Member.objects.update(removed_at=None)
    ledger.replay(ledger.load())
    assert set(Member.objects.exclude(removed_at=None)) == {students[0]}


def test_a_role_and_an_invitation_are_as_they_were_last(instructor, assistant, course):
    invitation = Invitation.objects.create(
        course=course, role=Role.ASSISTANT, name="Zoe", expires_at=timezone.now() + timedelta(days=7)
    )
    record("role changed", None, course=course, member=assistant.pk, before="instructor", after="assistant")
    record("invitation revoked", None, course=course, invitation=invitation.pk)
    ledger.write()
    Member.objects.filter(pk=assistant.pk).update(role=Role.INSTRUCTOR)
    assert ledger.replay(ledger.load()) == 2
    invitation.refresh_from_db()
    assistant.refresh_from_db()
    assert (assistant.role, invitation.revoked_at is not None) == (Role.ASSISTANT, True)
    assert ledger.replay(ledger.load()) == 0
