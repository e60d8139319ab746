"""What the audit log says of this app."""

from django.utils.translation import gettext_lazy as _

from peerorder.web.audit.registry import ALONE, MESSAGES

ALONE |= {"moved"}
MESSAGES |= {
    "assignment deleted": (_("deleted a draft"), _("drafts deleted")),
    "moved": (_("moved the assignment from “%(was)s” to “%(to)s”"), _("transitions between stages")),
    "hand-out asked again": (_("asked again for the papers to be distributed"), _("hand-outs asked for again")),
    "exported": (_("exported everything"), _("exports of everything")),
}
