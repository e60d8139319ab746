"""What the audit log says of this app."""

from django.utils.translation import gettext_lazy as _

from peerorder.web.audit.registry import MESSAGES, NAMES
from peerorder.web.papers.models import Paper

MESSAGES |= {
    "paper handed in": (_("handed in paper %(paper)s"), _("papers handed in")),
    "paper handed in for a student": (
        _("handed in paper %(paper)s for %(member)s"),
        _("papers handed in for students"),
    ),
    "paper withdrawn": (_("withdrew paper %(paper)s"), _("papers withdrawn")),
    "paper put back": (_("put paper %(paper)s back"), _("papers put back")),
    "original downloaded": (_("downloaded the original of paper %(paper)s"), _("originals downloaded")),
    "receipt verified": (_("verified a receipt of paper %(paper)s"), _("receipts verified")),
    "author joined": (_("made %(member)s an author of paper %(paper)s"), _("authors added to a paper")),
}

NAMES["paper"] = Paper.objects.in_bulk
