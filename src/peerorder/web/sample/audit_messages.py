"""What the audit log says of this app."""

from django.utils.translation import gettext_lazy as _

from peerorder.web.audit.registry import MESSAGES

MESSAGES |= {
    "sample made": (_("the sample course was created"), _("sample courses created")),
}
