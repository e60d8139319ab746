"""What the audit log says of this app."""

from typing import Any

from django.utils.translation import gettext_lazy as _

from peerorder.web.audit.registry import MESSAGES, WORDS
from peerorder.web.results.models import Decision

MESSAGES |= {
    "result requested": (_("requested result %(result)s"), _("results requested")),
    "result computed": (_("result %(result)s was computed"), _("results computed")),
    "result chosen": (_("based marks on result %(result)s"), _("results chosen")),
    "scale set": (_("changed the scale"), _("scale changes")),
    "decision made": (_("made a decision (%(decided)s)"), _("decisions made")),
    "comment hidden": (_("hid a comment from the authors of the paper"), _("comments hidden")),
    "comment shown again": (_("showed a comment to the authors of the paper again"), _("comments shown again")),
    "watched words changed": (
        _("changed the list of words to look for in comments (%(words)s)"),
        _("changes to the list of words"),
    ),
    "decisions made": (_("made %(decisions)s decisions from a file"), _("decisions from files")),
    "marks file": (_("downloaded %(file)s"), _("downloads of marks")),
    "gradebook filled": (_("filled in a gradebook of %(system)s (%(filled)s marks)"), _("gradebooks filled in")),
    "decision undone": (_("undid a decision (%(decided)s)"), _("decisions undone")),
    "release signed off": (_("signed off release %(release)s"), _("releases signed off")),
    "release published": (_("release %(release)s was published"), _("releases published")),
    "release withdrawn": (_("withdrew release %(release)s"), _("releases withdrawn")),
    "viewed as student": (_("viewed the result page of %(member)s as a student sees it"), _("views of result pages")),
}


def _decision_label(value: Any) -> str:
    return str(Decision.Kind(value).label) if value in Decision.Kind.values else str(value)


WORDS["decided"] = _decision_label
