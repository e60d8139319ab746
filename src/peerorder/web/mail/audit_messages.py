"""What the audit log says of this app."""

from django.utils.translation import gettext_lazy as _

from peerorder.web.audit.registry import MESSAGES

MESSAGES |= {
    "mails tried again": (_("had %(mails)s mails tried again"), _("mails tried again")),
}
