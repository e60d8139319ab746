"""What the audit log says of this app."""

from django.utils.translation import gettext_lazy

from peerorder.web.audit.registry import name_ids, register_messages
from peerorder.web.papers.models import Paper

register_messages(
    {
        "paper handed in": (gettext_lazy("handed in paper %(paper)s"), gettext_lazy("papers handed in")),
        "paper withdrawn": (gettext_lazy("withdrew paper %(paper)s"), gettext_lazy("papers withdrawn")),
        "paper put back": (gettext_lazy("put paper %(paper)s back"), gettext_lazy("papers put back")),
        "author joined": (
            gettext_lazy("made %(member)s an author of paper %(paper)s"),
            gettext_lazy("authors added to a paper"),
        ),
    }
)

name_ids("paper", Paper.objects.in_bulk)
