"""What the audit log says of this app."""

from typing import Any

from django.utils.translation import gettext_lazy

from peerorder.web.audit.registry import put_into_words, register_messages
from peerorder.web.ranking.models import Problem

register_messages(
    {
        "handed out": (gettext_lazy("%(slots)s papers were given out to be ranked"), gettext_lazy("papers given out")),
        "hand-out withdrawn": (
            gettext_lazy("took back the papers that were given out"),
            gettext_lazy("papers taken back"),
        ),
        "late papers let join": (gettext_lazy("let late papers join"), gettext_lazy("late papers let join")),
        "ranking handed in": (gettext_lazy("handed in a ranking"), gettext_lazy("rankings handed in")),
        "problem reported": (
            gettext_lazy("reported a problem with a paper (%(kind)s)"),
            gettext_lazy("problems reported"),
        ),
        "problem answered": (gettext_lazy("answered a reported problem"), gettext_lazy("problems answered")),
    }
)


def _kind(value: Any) -> str:
    return str(Problem.Kind(value).label).lower() if value in Problem.Kind.values else str(value)


put_into_words("kind", _kind)
