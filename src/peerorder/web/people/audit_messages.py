"""What the audit log says of this app."""

from django.utils.translation import gettext_lazy

from peerorder.web.audit.registry import name_ids, register_messages
from peerorder.web.people.models import Person

register_messages(
    {
        "account changed": (
            gettext_lazy("changed their own %(fields)s"),
            gettext_lazy("own names and addresses changed"),
        ),
        "password set": (gettext_lazy("set a password"), gettext_lazy("passwords set")),
        "password made": (gettext_lazy("a password was made"), gettext_lazy("passwords made")),
    }
)

name_ids("person", Person.objects.in_bulk)
