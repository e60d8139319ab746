"""What this app tells the apps below it."""

from django.utils.translation import gettext_lazy as _

from peerorder.web.lifecycle.services import end_review, review_again
from peerorder.web.mail.registry import KINDS
from peerorder.web.results import registry as results

results.published(end_review)
results.withdrawn(review_again)

KINDS |= {
    "opened": (_("Open for handing in: %(title)s"), _("you can now hand in your paper for “%(title)s” (%(course)s).")),
    "handed out": (
        _("Papers to rank: %(title)s"),
        _(
            "ranking has started for “%(title)s” (%(course)s). You have %(papers)d papers to rank: please read them, "
            "put them in order, the best one first, and hand in your ranking."
        ),
    ),
    "more papers": (
        _("More papers to rank: %(title)s"),
        _(
            "you have new papers to rank in “%(title)s” (%(course)s): %(papers)d. Please give each of these "
            "a place and hand in your ranking again."
        ),
    ),
    "go on": (
        _("Ranking is open again: %(title)s"),
        _("you can rank again for “%(title)s” (%(course)s). Please finish your ranking and hand it in."),
    ),
}
