"""What the audit log says of this app."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from peerorder.web.audit.registry import put_into_words, register_messages

register_messages(
    {
        "reminder sent": (gettext_lazy("reminded %(member)s"), gettext_lazy("single reminders")),
        "reminders asked for": (
            gettext_lazy("had everybody reminded who has not finished"),
            gettext_lazy("reminders to all"),
        ),
        "offers asked for": (
            gettext_lazy("had students asked to rank more papers"),
            gettext_lazy("questions for more rankings asked for"),
        ),
        "offers made": (
            gettext_lazy("%(people)s students were asked to rank more papers"),
            gettext_lazy("questions for more rankings"),
        ),
        "offer answered": (
            gettext_lazy("answered whether to rank more papers (%(accepted)s)"),
            gettext_lazy("answers whether to rank more"),
        ),
    }
)

put_into_words("accepted", lambda value: _("yes") if value else _("no"))
