"""Keep a roster that somebody sent, and make it the people of a course."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from django.contrib.auth.hashers import make_password
from django.db import transaction
from django.utils import timezone

from peerorder.files.formats.problems import FileError
from peerorder.web.audit.services import record
from peerorder.web.courses.models import Course, Member, Role, RosterUpload, Section
from peerorder.web.courses.queries import ids_with_work, members_with_own_account, pending_invitations
from peerorder.web.courses.roster import Busy, Change, Plan, Row, compare, read_upload, reading_of
from peerorder.web.courses.roster_checks import doubtful
from peerorder.web.courses.services.invitations import Invitee, invite
from peerorder.web.database import advisory_locks
from peerorder.web.database.batches import batches
from peerorder.web.people.addresses import leave_addresses
from peerorder.web.people.models import Person

BATCH = 500


class PlanChanged(Exception):
    """Somebody changed the course since the plan was looked at."""


@dataclass(frozen=True)
class Applied:
    """How much was done."""

    new: int
    changed: int
    removed: int


def keep_roster(course: Course, by: Person, name: str, content: bytes) -> RosterUpload:
    """Keep a file before anything is made of it."""
    with transaction.atomic():
        upload = RosterUpload.objects.create(course=course, by=by, name=name[-255:], content=content)
        record("roster uploaded", by, course=course, upload=upload.pk, bytes=len(content))
    with suppress(Busy):
        parsed_of(upload)
    return upload


def parsed_of(upload: RosterUpload) -> dict[str, Any]:
    """Return what was read in an upload; one that was not read yet is read now, and never again."""
    if upload.parsed is None:
        upload.parsed = read_upload(upload.name, bytes(upload.content))
        # Not where it was wiped meanwhile.
        RosterUpload.objects.filter(pk=upload.pk).exclude(content=b"").update(parsed=upload.parsed)
    return upload.parsed


def choose_columns(upload: RosterUpload, chosen: Sequence[str]) -> None:
    """Read an upload once more, with what somebody says its columns are.

    Raises
    ------
    Busy
        If too many files are being read at this moment.
    """
    upload.parsed = read_upload(upload.name, bytes(upload.content), chosen)
    RosterUpload.objects.filter(pk=upload.pk).exclude(content=b"").update(parsed=upload.parsed)


def plan_of(upload: RosterUpload) -> Plan:
    """Return what an upload would change now. Raise InputError if nothing of the file can be used."""
    reading = reading_of(parsed_of(upload))
    if not reading.rows:
        raise FileError(reading.problems)
    known = Member.objects.filter(course=upload.course_id, person__erased_at=None)
    members = list(known.select_related("person", "section").order_by("pk"))
    own = frozenset(members_with_own_account(upload.course).values_list("pk", flat=True))
    invited = pending_invitations(upload.course).filter(expires_at__gt=timezone.now())
    ids = frozenset(invited.values_list("student", flat=True))
    plan = compare(reading.rows, members, ids_with_work(upload.course), own, ids)
    sections = upload.course.sections.values_list("name", flat=True)
    # Somebody in a row that is left out is on the roster, though nobody can tell who.
    gone: dict[str, Any] = {"missing": (), "missing_with_work": ()} if reading.problems else {}
    checks = doubtful(reading, members, sections)
    return replace(plan, reading=reading, notes=(*reading.notes, *plan.notes), checks=checks, **gone)


def apply_roster(upload: RosterUpload, by: Person, digest: str, *, remove: bool, remove_with_work: bool) -> Applied:
    """Do what the plan with this digest says, all of it or nothing.

    People who are not on the roster stay unless ``remove`` says otherwise; those who handed in or ranked stay even then
    unless ``remove_with_work`` does. Nobody is ever deleted: what was handed in and ranked stays. New staff are
    invited, as assistants; raises Refused where they are too many for a day.
    """
    # Not while others wait for the transaction.
    parsed_of(upload)
    with transaction.atomic():
        if remove:
            advisory_locks.lock(course=upload.course_id)
        course = Course.objects.select_for_update().get(pk=upload.course_id)
        plan = plan_of(upload)
        if plan.digest != digest:
            raise PlanChanged
        gone = [*(plan.missing if remove else ()), *(plan.missing_with_work if remove and remove_with_work else ())]
        sections = sections_by_name(
            course, [row.section for row in [*plan.new, *(change.row for change in plan.changed)] if row.section]
        )
        _add(course, [row for row in plan.new if not row.staff], sections)
        staff = [row for row in plan.new if row.staff]
        if staff:
            invite(course, by, [Invitee(row.name or "", row.email or "", Role.ASSISTANT, row.student) for row in staff])
        _change(plan.changed, sections)
        _remove(gone)
        upload.applied_at = timezone.now()
        upload.save(update_fields=["applied_at"])
        done = Applied(len(plan.new), len(plan.changed), len(gone))
        record("roster applied", by, course=course, upload=upload.pk, **vars(done))
    return done


def sections_by_name(course: Course, names: Iterable[str]) -> dict[str, Section]:
    """Sections of a course, made where they are missing."""
    wanted = set(names)
    sections = {section.name: section for section in course.sections.all()}
    for name in sorted(wanted - set(sections)):
        sections[name] = Section.objects.create(course=course, name=name)
    return sections


def _add(course: Course, rows: Sequence[Row], sections: dict[str, Section]) -> None:
    # One that fits nobody, so all may share it.
    unusable = make_password(None)
    people = [Person(name=row.name or "", email=row.email or "", password=unusable) for row in rows]
    people = Person.objects.bulk_create(people, batch_size=BATCH)
    Member.objects.bulk_create(
        (
            Member(
                course=course,
                person=person,
                role=Role.STUDENT,
                student=row.student,
                section=sections[row.section] if row.section else None,
                team=row.team or "",
            )
            for row, person in zip(rows, people, strict=True)
        ),
        batch_size=BATCH,
    )


def _change(changes: Sequence[Change], sections: dict[str, Section]) -> None:
    people: list[Person] = []
    previous: list[tuple[Person, str]] = []
    for change in changes:
        member, row = change.member, change.row
        member.student, member.removed_at = row.student, None
        if row.section is not None:
            member.section = sections[row.section] if row.section else None
        if row.team is not None:
            member.team = row.team
        person = member.person
        old = person.name, person.email
        person.name = row.name if row.name is not None else person.name
        person.email = row.email if row.email is not None else person.email
        if (person.name, person.email) != old:
            people.append(person)
        if person.email != old[1]:
            person.email_verified_at = None
            previous.append((person, old[1]))
    # By key, row by row in one statement: bulk_update writes a CASE for every field and takes a minute for 10,000.
    Person.objects.bulk_create(
        people,
        batch_size=BATCH,
        update_conflicts=True,
        unique_fields=["id"],
        update_fields=["name", "email", "email_verified_at"],
    )
    leave_addresses(previous)
    Member.objects.bulk_create(
        [change.member for change in changes],
        batch_size=BATCH,
        update_conflicts=True,
        unique_fields=["id"],
        update_fields=["student", "removed_at", "section", "team"],
    )


def _remove(members: Sequence[Member]) -> None:
    for some in batches([member.pk for member in members], BATCH):
        Member.objects.filter(pk__in=some).update(removed_at=timezone.now())
