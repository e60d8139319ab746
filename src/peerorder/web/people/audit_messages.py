"""What the audit log says of this app."""

from django.utils.translation import gettext_lazy as _

from peerorder.web.audit.registry import MESSAGES, NAMES
from peerorder.web.people.models import Person

MESSAGES |= {
    "account changed": (_("changed their own %(fields)s"), _("own names and addresses changed")),
    "password set": (_("set a password"), _("passwords set")),
    "password made": (_("a password was made"), _("passwords made")),
}

NAMES["person"] = Person.objects.in_bulk
