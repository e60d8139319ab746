"""What the audit log says of the site as a whole."""

from django.utils.translation import gettext_lazy as _

from peerorder.web.audit.registry import MESSAGES

MESSAGES |= {
    "backup restored": (_("a backup of %(made_at)s was restored"), _("backups restored")),
    "site log exported": (
        _("the audit log of the site was exported: %(events)s events"),
        _("audit logs of the site exported"),
    ),
}
