"""What this app tells the apps below it."""

from django.utils.translation import gettext_lazy as _

from peerorder.web.mail.registry import KINDS

# Neither has a mark: e-mails are read by others, and stay when a release is withdrawn.
KINDS |= {
    "result released": (
        _("Your result is ready: %(title)s"),
        _("your result for “%(title)s” (%(course)s) is ready. Open the assignment to see it."),
    ),
    "result corrected": (
        _("Your result was corrected: %(title)s"),
        _("your result for “%(title)s” (%(course)s) was corrected. Open the assignment to see it."),
    ),
}
