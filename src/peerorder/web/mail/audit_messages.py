"""What the audit log says of this app."""

from django.utils.translation import gettext_lazy as _

from peerorder.web.audit.registry import MESSAGES

MESSAGES |= {
    "mails tried again": (_("retried %(mails)s e-mails"), _("e-mails retried")),
}
