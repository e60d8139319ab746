"""What this app tells the apps below it."""

from django.utils.translation import gettext_lazy as _

from peerorder.web.lifecycle.services import end_review, review_again
from peerorder.web.mail.registry import KINDS
from peerorder.web.results import registry as results

results.published(end_review)
results.withdrawn(review_again)

KINDS |= {
    "opened": (_("You can hand in: %(title)s"), _("you can hand in your paper for “%(title)s” (%(course)s) now.")),
    "handed out": (
        _("Papers wait for you: %(title)s"),
        _(
            "ranking has begun for “%(title)s” (%(course)s). %(papers)d papers by others wait for you: please read "
            "them, put them in order, the best one first, and hand that in."
        ),
    ),
    "more papers": (
        _("More papers wait for you: %(title)s"),
        _(
            "there is more for you to rank in “%(title)s” (%(course)s). New papers: %(papers)d. Please give every new "
            "paper a place, and hand in your ranking with it."
        ),
    ),
    "go on": (
        _("You can go on ranking: %(title)s"),
        _("you can rank again for “%(title)s” (%(course)s). Please finish your ranking and hand it in."),
    ),
}
