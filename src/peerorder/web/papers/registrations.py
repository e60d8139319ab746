"""What this app tells the apps below it."""

from collections.abc import Iterable

from django.db.models import Max
from django.utils.translation import gettext as _, gettext_lazy

from peerorder.web.assignments.deadlines import Deadlines
from peerorder.web.assignments.locks import PAPER_FIELDS
from peerorder.web.assignments.models import Assignment
from peerorder.web.assignments.registry import extension_checks, hand_in_time_checks, locks
from peerorder.web.courses.models import Course, Member
from peerorder.web.courses.registry import members_with_work
from peerorder.web.mail.registry import KINDS
from peerorder.web.papers.authors import paper_of
from peerorder.web.papers.models import Authorship, Paper, Version
from peerorder.web.papers.submission_window import is_with_graders

KINDS |= {
    "paper for you": (
        gettext_lazy("A paper was handed in for you: %(title)s"),
        gettext_lazy(
            "%(staff)s handed in a paper for you in “%(title)s” (%(course)s). Your receipt says what and when. If you "
            "did not ask for this, tell your instructor."
        ),
    ),
    "paper replaced": (
        gettext_lazy("Your paper was replaced: %(title)s"),
        gettext_lazy(
            "%(staff)s replaced your paper in “%(title)s” (%(course)s). Your receipt shows both versions. If you did "
            "not ask for this, tell your instructor."
        ),
    ),
    "paper withdrawn": (
        gettext_lazy("Your paper was withdrawn: %(title)s"),
        gettext_lazy(
            "%(staff)s withdrew your paper from “%(title)s” (%(course)s), so nobody will be asked to rank it. The "
            "reason given is:\n\n%(why)s\n\nIf you think that this is a mistake, tell your instructor."
        ),
    ),
    "paper put back": (
        gettext_lazy("Your paper is back: %(title)s"),
        gettext_lazy("%(staff)s put your paper back into “%(title)s” (%(course)s)."),
    ),
}


@locks
def lock_what_papers_follow(assignment: Assignment) -> dict[str, str]:
    """Lock the rules by which papers were handed in."""
    if not Paper.objects.filter(assignment=assignment, current__isnull=False).exists():
        return {}
    return dict.fromkeys(PAPER_FIELDS, _("Papers have already been handed in by these rules."))


@hand_in_time_checks
def refuse_time_for_a_paper_that_stays(assignment: Assignment, member: Member) -> str:
    """Return why time to hand in would not help: graders have the paper."""
    paper = paper_of(assignment, member)
    if paper is None or not is_with_graders(paper):
        return ""
    return _(
        "Graders already have the paper by %(name)s, so it can no longer be replaced and an extension has no effect."
    ) % {"name": member}


@extension_checks
def refuse_to_cut_papers(assignment: Assignment, member: Member, times: Deadlines) -> str:
    """Return why an extension stays: a paper came because of it."""
    versions = Version.objects.filter(paper__assignment=assignment, handed_in_by=member)
    last = versions.aggregate(last=Max("handed_in_at"))["last"]
    if last is None or times.may_hand_in(last):
        return ""
    return _("A paper was handed in with this extension, so it cannot be withdrawn. You can make it longer.")


@members_with_work
def authors(course: Course) -> Iterable[int]:
    """Return the members who wrote a paper."""
    return Authorship.objects.filter(assignment__course=course).values_list("member", flat=True)
