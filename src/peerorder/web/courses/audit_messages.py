"""What the audit log says of this app."""

from django.utils.translation import gettext_lazy as _

from peerorder.web.audit.registry import ACCOUNT_VERBS, MESSAGES, NAMES, SUBJECTS
from peerorder.web.courses.models import Member

MESSAGES |= {
    "course made": (_("created the course"), _("courses created")),
    "course changed": (_("changed the course"), _("course changed")),
    "course archived": (_("archived the course"), _("course archived")),
    "course brought back": (_("restored the course from the archive"), _("course restored")),
    "roster uploaded": (_("uploaded a roster"), _("rosters uploaded")),
    "audit log exported": (_("exported the audit log"), _("audit logs exported")),
    "roster changes exported": (_("exported the changes that a roster would make"), _("changes by rosters exported")),
    "roster applied": (_("applied a roster"), _("rosters applied")),
    "student added": (_("added %(member)s"), _("students added")),
    "staff added": (_("added %(member)s to the staff"), _("staff added")),
    "staff changed": (_("changed the role of %(member)s"), _("roles changed")),
    "staff invited": (_("invited somebody to be %(role)s"), _("invitations sent")),
    "invitation revoked": (_("revoked an invitation"), _("invitations revoked")),
    "invitation accepted": (_("accepted an invitation to be %(role)s"), _("invitations accepted")),
    "role changed": (
        _("changed the role of %(member)s from %(before)s to %(after)s"),
        _("role changes"),
    ),
    "member changed": (_("changed the entry of %(member)s"), _("entries of people changed")),
    "member removed": (_("removed %(member)s from the course"), _("people removed")),
    "member put back": (_("put %(member)s back into the course"), _("people put back")),
    "link made": (_("created a personal link for %(member)s (link %(link)s)"), _("personal links created")),
    "links exported": (_("exported %(links)s personal links"), _("personal links exported")),
    "links sent": (_("sent personal links in %(mails)s e-mails"), _("personal links sent")),
    "links revoked": (_("revoked %(links)s personal links"), _("personal links revoked")),
}


def _names(ids: set[int]) -> dict[int, str]:
    """Erased people have only a code left."""
    members = Member.objects.select_related("person").in_bulk(ids)
    return {pk: member.person.name or member.student or str(member) for pk, member in members.items()}


NAMES["member"] = _names


def _person_of(member: int) -> int | None:
    return Member.objects.filter(pk=member).values_list("person_id", flat=True).first()


SUBJECTS["member"] = _person_of
ACCOUNT_VERBS |= {
    *("student added", "staff added", "staff changed", "member changed", "member removed", "member put back"),
    *("role changed", "invitation accepted", "link made", "links revoked"),
}
