"""What the audit log says of this app."""

from django.utils.translation import gettext_lazy

from peerorder.web.audit.registry import register_messages

register_messages(
    {
        "mails tried again": (gettext_lazy("had %(mails)s mails tried again"), gettext_lazy("mails tried again")),
    }
)
