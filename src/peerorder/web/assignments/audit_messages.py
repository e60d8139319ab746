"""What the audit log says of this app."""

from typing import Any

from django.core.exceptions import FieldDoesNotExist
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from peerorder.web.assignments.models import Assignment, Stage
from peerorder.web.audit.messages import when
from peerorder.web.audit.registry import name_ids, put_into_words, register_messages

register_messages(
    {
        "assignment made": (gettext_lazy("made the assignment"), gettext_lazy("assignments made")),
        "assignment changed": (gettext_lazy("changed the settings: %(fields)s"), gettext_lazy("settings changed")),
        "extension granted": (
            gettext_lazy("gave %(member)s more time (handing in: %(hand_in_by)s; ranking: %(rank_by)s)"),
            gettext_lazy("more time given"),
        ),
        "extension changed": (
            gettext_lazy("changed the extension of %(member)s (handing in: %(hand_in_by)s; ranking: %(rank_by)s)"),
            gettext_lazy("extensions changed"),
        ),
        "extension withdrawn": (
            gettext_lazy("withdrew the extension of %(member)s"),
            gettext_lazy("extensions withdrawn"),
        ),
    }
)


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


name_ids("assignment", Assignment.objects.in_bulk)
put_into_words("fields", _fields)
for detail in ("was", "to"):
    put_into_words(detail, _stage)
for detail in ("hand_in_by", "rank_by"):
    put_into_words(detail, lambda value: when(value) if value else _("as everybody else"))
