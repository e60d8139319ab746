"""What the audit log says of this app."""

from typing import Any

from django.core.exceptions import FieldDoesNotExist
from django.utils.translation import gettext_lazy as _

from peerorder.web.assignments.models import Assignment, Attachment, Stage
from peerorder.web.audit.messages import moment_text
from peerorder.web.audit.registry import MESSAGES, NAMES, WORDS

MESSAGES |= {
    "assignment made": (_("created the assignment"), _("assignments created")),
    "assignment changed": (_("changed the settings: %(fields)s"), _("settings changed")),
    "attachment added": (_("attached the file %(attachment)s"), _("files attached")),
    "attachment removed": (_("removed the attached file %(attachment)s"), _("attached files removed")),
    "extension granted": (
        _("gave %(member)s an extension (handing in: %(hand_in_by)s; ranking: %(rank_by)s)"),
        _("extensions given"),
    ),
    "extension changed": (
        _("changed the extension of %(member)s (handing in: %(hand_in_by)s; ranking: %(rank_by)s)"),
        _("extensions changed"),
    ),
    "extension withdrawn": (_("withdrew the extension of %(member)s"), _("extensions withdrawn")),
}


def _fields(names: Any) -> str:
    return ", ".join(map(_field, names)) if isinstance(names, list) else str(names)


def _field(name: str) -> str:
    try:
        field = Assignment._meta.get_field(name)
    except FieldDoesNotExist:
        return name
    return str(getattr(field, "verbose_name", name))


def _stage(value: Any) -> str:
    return str(Stage(value).label) if value in Stage.values else str(value)


NAMES["assignment"] = Assignment.objects.in_bulk
NAMES["attachment"] = Attachment.objects.in_bulk
WORDS["fields"] = _fields
WORDS["was"] = WORDS["to"] = _stage
WORDS["hand_in_by"] = WORDS["rank_by"] = lambda value: moment_text(value) if value else str(_("normal deadline"))
