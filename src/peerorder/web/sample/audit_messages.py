"""What the audit log says of this app."""

from django.utils.translation import gettext_lazy

from peerorder.web.audit.registry import register_messages

register_messages(
    {
        "sample made": (gettext_lazy("the sample course was made"), gettext_lazy("sample course made")),
    }
)
