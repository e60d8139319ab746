"""What the audit log says of this app."""

from django.utils.translation import gettext_lazy

from peerorder.web.audit.registry import register_messages

register_messages(
    {
        "course deleted": (gettext_lazy("deleted the course"), gettext_lazy("course deleted")),
        "person erased": (gettext_lazy("erased %(member)s"), gettext_lazy("people erased")),
    }
)
