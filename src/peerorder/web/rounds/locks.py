"""What can no longer be changed about an assignment, and why."""

from django.utils.translation import gettext as _

from peerorder.web.papers.models import Paper
from peerorder.web.ranking.models import Ballot
from peerorder.web.rounds.models import Assignment, Stage

__all__ = ["locks"]

KINDS = ("takes_text", "takes_pdf", "takes_images", "takes_links")
BALLOT = ("ties", "cannot_judge", "comments", "least_comment")


def locks(assignment: Assignment) -> dict[str, str]:
    """The fields that are locked now, each with the reason."""
    if assignment.stage == Stage.DRAFT:
        return {}
    found: dict[str, str] = {}
    number = Stage(assignment.stage).number
    if Paper.objects.filter(assignment=assignment, current__isnull=False).exists():
        reason = _("Papers were handed in already, by these rules.")
        found |= dict.fromkeys((*KINDS, "in_teams", "sections"), reason)
    if number >= Stage.RANKING.number:
        found |= dict.fromkeys(("papers_each",), _("The papers are handed out already."))
        reason = _("Handing in is over. Give single students more time by an extension.")
        found |= dict.fromkeys((*KINDS, "in_teams", "sections", "hand_in_by", "late_hours"), reason)
    if Ballot.objects.filter(assignment=assignment).exists():
        found |= dict.fromkeys(BALLOT, _("Students have begun to rank, by these rules."))
    if number >= Stage.REVIEW.number:
        reason = _("Ranking is over. Go back to ranking to change this.")
        found |= dict.fromkeys((*BALLOT, "rank_by"), reason)
    return found
