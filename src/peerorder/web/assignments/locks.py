"""What can no longer be changed about an assignment, and why."""

from typing import Any

from django.utils.translation import gettext as _

from peerorder.web.assignments.models import Assignment, Stage
from peerorder.web.assignments.registry import locks

KIND_FIELDS = ("takes_text", "takes_pdf", "takes_images", "takes_links")
PAPER_FIELDS = (*KIND_FIELDS, "in_teams", "sections")
BALLOT_FIELDS = ("ties", "cannot_judge", "comments", "least_comment")


def locked_fields(assignment: Assignment) -> dict[str, str]:
    """Return the fields that are locked now, each with the reason."""
    if assignment.stage == Stage.DRAFT:
        return {}
    reasons = {name: reason for lock in locks for name, reason in lock(assignment).items()}
    number = Stage(assignment.stage).number
    if number >= Stage.RANKING.number:
        reasons["papers_each"] = _("The papers have already been distributed.")
        reason = _("Handing in is over. Give individual students an extension instead.")
        reasons |= dict.fromkeys((*PAPER_FIELDS, "hand_in_by", "late_hours"), reason)
    if number >= Stage.REVIEW.number:
        reasons |= dict.fromkeys((*BALLOT_FIELDS, "rank_by"), _("Ranking is over. Go back to ranking to change this."))
    return reasons


def may_be_lowered(assignment: Assignment, name: str) -> bool:
    """Return whether a field can still be lowered, though it is locked: less to write hurts nobody."""
    return name == "least_comment" and assignment.stage == Stage.RANKING and assignment.required_comment > 0


def is_refused(assignment: Assignment, name: str, value: Any) -> bool:
    """Return whether a locked field cannot become this."""
    return not (may_be_lowered(assignment, name) and value <= assignment.least_comment)
