"""What the audit log says of this app."""

from django.utils.translation import gettext_lazy as _

from peerorder.web.audit.registry import MESSAGES, WORDS

MESSAGES |= {
    "reminder sent": (_("created a reminder for %(member)s"), _("reminders to individual students")),
    "reminders asked for": (
        _("requested reminders to all students who have not finished"),
        _("reminders to all students who have not finished"),
    ),
    "offers asked for": (_("asked finished students to rank more papers"), _("requests for more rankings")),
    "offers made": (_("%(people)s students were asked to rank more papers"), _("students asked for more rankings")),
    "offer answered": (
        _("answered whether to rank more papers (%(accepted)s)"),
        _("answers to requests for more rankings"),
    ),
}

WORDS["accepted"] = lambda value: str(_("yes") if value else _("no"))
