"""What the audit log says of this app."""

from django.utils.translation import gettext_lazy

from peerorder.web.audit.registry import name_ids, register_messages
from peerorder.web.courses.models import Member

register_messages(
    {
        "course made": (gettext_lazy("made the course"), gettext_lazy("course made")),
        "course changed": (gettext_lazy("changed the course"), gettext_lazy("course changed")),
        "course archived": (gettext_lazy("archived the course"), gettext_lazy("course archived")),
        "course brought back": (
            gettext_lazy("brought the course back from the archive"),
            gettext_lazy("course brought back"),
        ),
        "roster uploaded": (gettext_lazy("uploaded a roster"), gettext_lazy("rosters uploaded")),
        "roster applied": (gettext_lazy("applied a roster"), gettext_lazy("rosters applied")),
        "student added": (gettext_lazy("added %(member)s"), gettext_lazy("students added")),
        "staff added": (gettext_lazy("added %(member)s to the staff"), gettext_lazy("staff added")),
        "staff changed": (gettext_lazy("changed the role of %(member)s"), gettext_lazy("roles changed")),
        "member changed": (gettext_lazy("changed the entry of %(member)s"), gettext_lazy("entries of people changed")),
        "member removed": (gettext_lazy("removed %(member)s from the course"), gettext_lazy("people removed")),
        "member put back": (gettext_lazy("put %(member)s back into the course"), gettext_lazy("people put back")),
        "link made": (gettext_lazy("made a personal link for %(member)s"), gettext_lazy("personal links made")),
        "links exported": (gettext_lazy("exported %(links)s personal links"), gettext_lazy("personal links exported")),
        "links sent": (gettext_lazy("sent personal links in %(mails)s mails"), gettext_lazy("personal links sent")),
        "links revoked": (gettext_lazy("revoked %(links)s personal links"), gettext_lazy("personal links revoked")),
    }
)


def _names(ids: set[int]) -> dict[int, str]:
    """Erased people have only a code left."""
    members = Member.objects.select_related("person").in_bulk(ids)
    return {pk: member.person.name or member.student or str(member) for pk, member in members.items()}


name_ids("member", _names)
