"""What happens around the rankings of the sample course: reports, more time, reminders, visits, and their record."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from peerorder.web.assignments.models import Assignment, Extension
from peerorder.web.audit.models import Event
from peerorder.web.courses.models import Member, Role
from peerorder.web.mail.models import Mail
from peerorder.web.monitor.queries import REMINDER
from peerorder.web.people.links import make_links
from peerorder.web.people.models import Person
from peerorder.web.ranking.models import Problem, Save, Slot
from peerorder.web.sample.texts import ANSWER, REPORTS


def note(verb: str, by: Member | None, assignment: Assignment, at: datetime, **details: object) -> Event:
    """Record something that was done then, as the audit log would have it."""
    return Event(
        at=at,
        verb=verb,
        person_id=by.person_id if by is not None else None,
        course_id=assignment.course_id,
        assignment_id=assignment.pk,
        details=details,
    )


def record_visits(students: Iterable[Member], moment: datetime) -> None:
    """Give people links, with which they have been here."""
    people = [student.person for student in students]
    make_links(people)
    Person.objects.filter(pk__in=[person.pk for person in people]).update(last_login=moment)


def extend(assignment: Assignment, member: Member, field: str, days: int, why: str, now: datetime) -> None:
    """Give somebody more time."""
    until = getattr(assignment, field) + timedelta(days=days)
    Extension.objects.create(
        assignment=assignment, member=member, note=why, granted_at=now - timedelta(hours=20), **{field: until}
    )
    times = {"hand_in_by": None, "rank_by": None, field: until.isoformat()}
    note(
        "extension granted", _instructor(assignment), assignment, now - timedelta(hours=20), member=member.pk, **times
    ).save()


def make_problems_and_reminders(
    assignment: Assignment, slots: list[list[Slot]], idle: list[Member], now: datetime
) -> None:
    """Report two papers, answer one report, and remind a few who have not begun."""
    by = _instructor(assignment)
    for index, (slot, (kind, text)) in enumerate(zip((slots[0][1], slots[1][2]), REPORTS, strict=True)):
        when = now - timedelta(hours=30 - 25 * index)
        problem = Problem.objects.create(slot=slot, kind=kind, text=text, at=when)
        events = [note("problem reported", slot.grader, assignment, when, problem=problem.pk, kind=kind)]
        if index == 0:
            problem.answer, problem.answered_at = ANSWER, when + timedelta(hours=3)
            problem.save(update_fields=["answer", "answered_at"])
            events.append(note("problem answered", by, assignment, problem.answered_at, problem=problem.pk))
        Event.objects.bulk_create(events)
    yesterday = now - timedelta(days=1)
    for member in idle:
        Mail.objects.create(
            person_id=member.person_id,
            course_id=assignment.course_id,
            assignment_id=assignment.pk,
            key=f"{REMINDER} {assignment.pk} {member.pk} {yesterday.date().isoformat()}",
            subject=f"Please rank: {assignment.title}",
            body="{link}",
            queued_at=yesterday,
            sent_at=yesterday,
            tries=1,
        )
    sent = [note("reminder sent", by, assignment, yesterday, member=member.pk) for member in idle]
    submissions = Save.objects.filter(ballot__assignment=assignment, hands_in=True).select_related("ballot__grader")
    ranked = [note("ranking handed in", each.ballot.grader, assignment, each.at, revision=1) for each in submissions]
    Event.objects.bulk_create(sent + ranked)


def _instructor(assignment: Assignment) -> Member | None:
    return Member.objects.filter(course=assignment.course_id, role=Role.INSTRUCTOR).first()
