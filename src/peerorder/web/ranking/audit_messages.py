"""What the audit log says of this app."""

from typing import Any

from django.utils.translation import gettext_lazy as _

from peerorder.web.audit.registry import MESSAGES, WORDS
from peerorder.web.ranking.models import Problem

MESSAGES |= {
    "handed out": (_("allocated papers to graders (%(slots)s in total)"), _("papers allocated")),
    "hand-out withdrawn": (_("withdrew the hand-out"), _("hand-outs withdrawn")),
    "late papers let join": (_("added late papers to the ranking"), _("late papers added")),
    "ranking handed in": (_("handed in a ranking"), _("rankings handed in")),
    "problem reported": (_("reported a problem with a paper (%(kind)s)"), _("problems reported")),
    "problem answered": (_("answered a reported problem"), _("problems answered")),
}


def _kind(value: Any) -> str:
    return str(Problem.Kind(value).label).lower() if value in Problem.Kind.values else str(value)


WORDS["kind"] = _kind
