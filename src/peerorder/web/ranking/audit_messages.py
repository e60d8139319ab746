"""What the audit log says of this app."""

from typing import Any

from django.utils.translation import gettext_lazy as _

from peerorder.web.audit.registry import MESSAGES, WORDS
from peerorder.web.ranking.models import Problem

MESSAGES |= {
    "handed out": (_("%(slots)s papers were given out to be ranked"), _("papers given out")),
    "hand-out withdrawn": (_("took back the papers that were given out"), _("papers taken back")),
    "late papers let join": (_("let late papers join"), _("late papers let join")),
    "ranking handed in": (_("handed in a ranking"), _("rankings handed in")),
    "problem reported": (_("reported a problem with a paper (%(kind)s)"), _("problems reported")),
    "problem answered": (_("answered a reported problem"), _("problems answered")),
}


def _kind(value: Any) -> str:
    return str(Problem.Kind(value).label).lower() if value in Problem.Kind.values else str(value)


WORDS["kind"] = _kind
