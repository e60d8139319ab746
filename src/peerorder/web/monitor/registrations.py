"""What this app tells the apps below it."""

from datetime import datetime

from django.utils.translation import gettext_lazy as _

from peerorder.web.assignments.models import Assignment
from peerorder.web.assignments.registry import ranking_checks
from peerorder.web.courses.models import Member
from peerorder.web.mail.registry import KINDS
from peerorder.web.monitor.states import state_of
from peerorder.web.monitor.student_state import BUSY

KINDS |= {
    "please hand in": (
        _("Please hand in: %(title)s"),
        _("we have not received your paper for “%(title)s” (%(course)s) yet."),
    ),
    "please rank": (
        _("Please rank: %(title)s"),
        _("we have not received your ranking for “%(title)s” (%(course)s) yet. Your classmates are counting on it."),
    ),
    "please rank more": (
        _("Please rank the new papers: %(title)s"),
        _(
            "your ranking for “%(title)s” (%(course)s) is handed in: thank you. You received new papers "
            "after that. Please rank them too, and hand in again."
        ),
    ),
    "offer": (
        _("A few more papers? %(title)s"),
        _(
            "you have ranked all your papers for “%(title)s” (%(course)s): thank you. Some papers have few rankings "
            "so far, and %(papers)d more from you would help. Please accept or decline on the page of the assignment."
        ),
    ),
}


@ranking_checks
def ranks(assignment: Assignment, member: Member, now: datetime) -> bool:
    """Return whether a student has papers to rank, or has ranked them."""
    return state_of(assignment, member, now).state in BUSY
