"""What the audit log says of this app."""

from django.utils.translation import gettext_lazy as _

from peerorder.web.audit.registry import ALONE, MESSAGES

ALONE |= {"moved"}
MESSAGES |= {
    "assignment deleted": (_("deleted a draft"), _("drafts deleted")),
    "moved": (_("moved it from “%(was)s” to “%(to)s”"), _("steps from one stage to the next")),
    "hand-out asked again": (_("asked once more for the papers to be handed out"), _("hand-outs asked for once more")),
    "exported": (_("exported everything"), _("exports of everything")),
}
