"""The sampler: how well the chains behind an order agree, in the terms of the field."""

from peerorder.core.diagnostics import Diagnostics
from peerorder.core.translation import gettext as _
from peerorder.reports.markup import Markup, element, joined
from peerorder.reports.sections import facts
from peerorder.rounds.grading import GradedRound

__all__ = ["section"]

# By chance alone, the worst of many papers has twice as many or little less; a share of the draws where few are kept.
FEW = 20
SHARE = 20 / 256


def section(graded: GradedRound) -> Markup | None:
    """Return the diagnostics and what they mean; None where the rule draws no orders."""
    found = graded.diagnostics
    if found is None:
        return None
    lead = _(
        "The rule draws possible orders, one after the other. The intervals are computed from the draws that it keeps."
    )
    return joined(element("p", lead), facts(_values(found, len(graded.outcome.order))), _meaning(found.draws))


def _values(found: Diagnostics, papers: int) -> dict[str, str]:
    sample = _("{count:,}, evenly spaced over all papers")
    ess = _("at least {smallest:,.0f}, median {median:,.0f}")
    return {
        _("chains"): f"{found.chains:,}",
        _("draws kept"): _("{draws:,}, {each:,} per chain").format(draws=found.draws, each=found.draws // found.chains),
        **({_("papers"): sample.format(count=found.papers)} if found.papers < papers else {}),
        _("R-hat"): _("at most {largest:.2f}").format(largest=found.r_hat),
        _("bulk ESS"): ess.format(smallest=found.ess_bulk, median=found.ess_bulk_median),
        _("tail ESS"): ess.format(smallest=found.ess_tail, median=found.ess_tail_median),
    }


def _meaning(draws: int) -> Markup:
    text = _(
        "R-hat is 1 where all chains agree on the place of a paper. The effective sample size (ESS) is the number of "
        "independent draws that would say as much: bulk ESS about the typical place of a paper, tail ESS about the "
        "ends of its interval. From a few hundred draws, a largest R-hat of 1.1 is usual. Above 1.2, or with an ESS "
        "below {few}, the intervals of a few papers are rough: if they matter, grade again with longer chains (the "
        "option effective-draws of the rule posterior)."
    )
    return element("p", text.format(few=min(FEW, round(SHARE * draws))))
