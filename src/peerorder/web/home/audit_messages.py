"""What the audit log says of this app."""

from django.utils.translation import gettext_lazy as _

from peerorder.web.audit.registry import MESSAGES

MESSAGES |= {
    "course deleted": (_("deleted the course"), _("course deleted")),
    "course erased": (_("erased everybody in the course"), _("courses erased")),
    "erasure announced": (_("announced that the course will be erased on %(on)s"), _("erasures announced")),
    "own data downloaded": (_("downloaded their own data"), _("downloads of own data")),
    "person erased": (_("erased %(member)s"), _("people erased")),
}
