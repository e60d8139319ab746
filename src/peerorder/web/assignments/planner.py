"""The planner of ``peerorder plan``, for the form where the number of papers is chosen."""

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from django.utils.translation import get_language, gettext as _, gettext_lazy

if TYPE_CHECKING:
    from peerorder.studies.plan import Plan


QUALITIES = (
    ("careful", gettext_lazy("careful")),
    ("average", gettext_lazy("average")),
    ("careless", gettext_lazy("careless")),
)


@dataclass(frozen=True)
class Line:
    """What to expect of one number of papers."""

    k: int
    minutes: int
    right: float | None
    """Percent of all pairs of papers in the right order."""
    places: float | None
    """How many places a paper is off, on average."""
    recommended: bool
    chosen: bool

    @property
    def time(self) -> str:
        """Reading time in words."""
        hours, rest = divmod(self.minutes, 60)
        return _("%(hours)d h %(rest)02d min") % {"hours": hours, "rest": rest} if hours else _("%d min") % rest


@dataclass(frozen=True)
class Advice:
    """The table, and what to take."""

    lines: tuple[Line, ...]
    k: int
    reason: str
    note: str


def advise(n: int, k: int | None, dropout: float, graders: str, minutes: float) -> Advice:
    """Return what to expect in a class of n, by the functions and shipped simulations of ``peerorder plan``.

    A class below the smallest of the shipped ones would be simulated, for which nobody waits on a page: it is told
    what holds for the smallest.
    """
    from peerorder.studies.plan import GRADERS, sizes
    from peerorder.studies.plan_study import RULES_RUN, N

    rule, smallest = RULES_RUN[0], N[0]

    ks = sizes(n)
    if k is not None and k not in ks and 2 <= k < min(n, 41):
        ks = tuple(sorted({*ks, k}))
    plan = _plan(max(n, smallest), ks, dropout, GRADERS[graders], get_language())
    lines = []
    for choice in plan.choices:
        accuracy = choice.expected.get(rule) or choice.expected.get("borda")
        lines.append(
            Line(
                k=choice.k,
                minutes=round(choice.k * minutes),
                right=100 * accuracy.pairwise_accuracy if accuracy else None,
                places=n * accuracy.off if accuracy else None,
                recommended=choice.k == plan.recommended.k,
                chosen=choice.k == k,
            )
        )
    note = ""
    if n < smallest:
        note = _("These are the numbers for a class of %(smallest)d. In a smaller class accuracy is usually better.")
        note %= {"smallest": smallest}
    return Advice(tuple(lines), plan.recommended.k, plan.recommended.reason, note)


@lru_cache(maxsize=256)
def _plan(n: int, ks: tuple[int, ...], missing: float, noise: float, language: str | None) -> "Plan":
    from peerorder.studies.plan import make_plan

    return make_plan(n, ks, missing=missing, noise=noise, workers=1)
