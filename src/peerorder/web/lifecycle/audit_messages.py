"""What the audit log says of this app."""

from django.utils.translation import gettext_lazy

from peerorder.web.audit.registry import register_messages

register_messages(
    {
        "assignment deleted": (gettext_lazy("deleted a draft"), gettext_lazy("drafts deleted")),
        "moved": (
            gettext_lazy("moved it from “%(was)s” to “%(to)s”"),
            gettext_lazy("steps from one stage to the next"),
        ),
        "hand-out asked again": (
            gettext_lazy("asked once more for the papers to be handed out"),
            gettext_lazy("hand-outs asked for once more"),
        ),
        "exported": (gettext_lazy("exported everything"), gettext_lazy("exports of everything")),
    }
)
