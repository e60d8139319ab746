"""What a student did in a course, for its staff: papers, rankings, extensions, reported problems and e-mails.

It shows what staff can see on the pages of assignments, and nothing of how somebody ranked.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from peerorder.web.assignments.models import Extension
from peerorder.web.courses.models import Member
from peerorder.web.mail.models import Mail
from peerorder.web.monitor.states import states_of
from peerorder.web.monitor.student_state import StudentState
from peerorder.web.papers.models import Authorship, Paper, Version
from peerorder.web.ranking.models import Problem

LISTED = 10
"""Versions, and e-mails about an assignment, that are listed."""


@dataclass(frozen=True)
class Activity:
    """What a student did in one assignment, and what they were granted and sent."""

    state: StudentState
    paper: Paper | None
    versions: list[Version]
    """Of their paper, the newest first."""
    problems: list[Problem]
    """What they reported, the newest first."""
    mails: list[Mail]
    """What they were sent about it, the newest first."""

    @property
    def extension(self) -> Extension | None:
        """Return their extension, if any."""
        return self.state.extension

    @property
    def ranking_submitted_at(self) -> datetime | None:
        """Return when they handed in the ranking that counts."""
        ballot = self.state.ballot
        return ballot.submission.at if ballot is not None and ballot.submission is not None else None


def course_mails(member: Member) -> list[Mail]:
    """Return the e-mails that a course sent to somebody, the newest first."""
    mails = Mail.objects.filter(course_id=member.course_id, person_id=member.person_id)
    return list(mails.defer("body").order_by("-queued_at", "-pk"))


def activities(member: Member, mails: Iterable[Mail], now: datetime) -> list[Activity]:
    """Return what a student did in every assignment, by a handful of queries however many there are.

    Nothing of staff, and of those who were removed from the course.
    """
    if member.is_staff or member.removed_at is not None:
        return []
    wrote = Authorship.objects.filter(member=member, paper__current__isnull=False).select_related("paper__current")
    papers = {each.assignment_id: each.paper for each in wrote}
    versions = Version.objects.filter(paper__in=papers.values()).select_related("handed_in_by__person")
    by_paper = _group_by_key((each.paper_id, each) for each in versions.defer("text", "html").order_by("-pk"))
    reported = Problem.objects.filter(slot__grader=member).select_related("slot").order_by("-pk")
    problems = _group_by_key((each.slot.assignment_id, each) for each in reported)
    sent = _group_by_key((each.assignment_id, each) for each in mails)
    return [
        Activity(
            state,
            paper := papers.get(state.assignment.pk),
            by_paper.get(paper.pk, []) if paper is not None else [],
            problems.get(state.assignment.pk, []),
            sent.get(state.assignment.pk, []),
        )
        for state in states_of(member.person, now, member.course)
    ]


def _group_by_key(pairs: Iterable[tuple[Any, Any]]) -> dict[Any, list[Any]]:
    groups: dict[Any, list[Any]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups
