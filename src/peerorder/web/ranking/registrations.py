"""What this app tells the apps below it."""

from collections.abc import Iterable

from django.utils.translation import gettext as _, gettext_lazy

from peerorder.web.assignments.deadlines import Deadlines
from peerorder.web.assignments.locks import BALLOT_FIELDS
from peerorder.web.assignments.models import Assignment, Stage
from peerorder.web.assignments.registry import extension_checks, locks, ranking_time_checks
from peerorder.web.audit.registry import SEALED, SealedTable
from peerorder.web.courses.models import Course, Member
from peerorder.web.courses.registry import members_with_work
from peerorder.web.mail.registry import KINDS
from peerorder.web.navigation import badges
from peerorder.web.papers.models import Authorship, Paper
from peerorder.web.papers.registry import distribution_checks
from peerorder.web.ranking.models import Ballot, Save, Slot
from peerorder.web.ranking.queries import ballot_of, waiting_problems

KINDS |= {
    "answered": (
        gettext_lazy("Answer to your report: %(title)s"),
        gettext_lazy(
            "you reported a problem with paper %(label)s of “%(title)s” (%(course)s). This is the answer:\n\n"
            "%(answer)s\n"
        ),
    ),
}

SEALED["ranking_save"] = SealedTable(
    Save,
    {
        1: (
            *("id", "ballot_id", "at", "revision", "content", "client", "client_number"),
            *("hands_in", "conflict", "late"),
        )
    },
)


@badges
def count_problems(assignment: Assignment) -> dict[str, int]:
    """Count the reports that wait for an answer."""
    return {"problems": waiting_problems(assignment)}


@distribution_checks
def is_distributed(paper: Paper) -> bool:
    """Return whether a paper was given to graders, or is being given to them."""
    return Slot.written.filter(paper=paper).exists()


@locks
def lock_what_ballots_follow(assignment: Assignment) -> dict[str, str]:
    """Lock the rules by which students have begun to rank."""
    if not Ballot.objects.filter(assignment=assignment).exists():
        return {}
    return dict.fromkeys(BALLOT_FIELDS, _("Students have already started to rank under these rules."))


@extension_checks
def refuse_to_cut_rankings(assignment: Assignment, member: Member, times: Deadlines) -> str:
    """Return why an extension stays: a ranking came because of it."""
    ballot = ballot_of(assignment, member)
    if ballot is None or ballot.submission is None or times.may_rank(ballot.submission.at):
        return ""
    return _("A ranking was handed in because of this extension, so it cannot be shortened. You can make it longer.")


@ranking_time_checks
def refuse_time_without_papers(assignment: Assignment, member: Member) -> str:
    """Return why time to rank would not help: once papers are handed out, a student may have none to rank or own."""
    if not assignment.is_at(Stage.RANKING, Stage.REVIEW):
        return ""
    if Slot.objects.filter(assignment=assignment, grader=member).exists():
        return ""
    if assignment.stage == Stage.REVIEW:
        return _("%(name)s has no papers to rank, so an extension for ranking would not help.") % {"name": member}
    if Authorship.objects.filter(assignment=assignment, member=member, paper__current__isnull=False).exists():
        return ""
    return _("%(name)s has not handed in a paper and therefore has none to rank. Extend the time to hand in, too.") % {
        "name": member
    }


@members_with_work
def graders(course: Course) -> Iterable[int]:
    """Return the members who have begun to rank."""
    return Ballot.objects.filter(assignment__course=course).values_list("grader", flat=True)
