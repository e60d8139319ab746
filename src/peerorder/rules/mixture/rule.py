"""``mixture``: utilities of papers, with types of graders learnt from the same ballots, in a few dozen passes.

What ``posterior`` finds by sampling, ``mixture`` finds by an approximation that takes about as long as a likelihood
rule, and that adds up over parts of the ballots. ``model`` says what is fitted and ``fit`` how; ``sums`` is the pass
over the ballots.

A score is e^x, as for ``plackett-luce``. Utilities here have about unit variance over the class, though, and not the
scale of one grader's errors.
"""

import numpy as np

from peerorder.core.arrays import freeze
from peerorder.core.outcome import RuleResult
from peerorder.core.profile import Profile
from peerorder.core.randomness import Generator
from peerorder.core.translation import gettext as _
from peerorder.rules.borda import borda_sums
from peerorder.rules.grader_types import comparison_notes, flag_graders, reliability_intervals
from peerorder.rules.mixture.ballots import ballots_of
from peerorder.rules.mixture.fit import PASSES_AT_MOST, fit
from peerorder.rules.mixture.intervals import place_intervals
from peerorder.rules.mixture.model import BACKWARDS, RANDOM_TYPE, RELIABILITY, lanes_of
from peerorder.rules.newton import log_odds, strengths
from peerorder.rules.rule import Rule

__all__ = ["RULE"]


def compute(profile: Profile, rng: Generator) -> RuleResult:  # noqa: ARG001 -- nothing random but ties
    """Score by the utilities that explain the ballots best."""
    n = profile.n_papers
    ballots = ballots_of(profile)
    point, loss, converged = fit(ballots.total, log_odds(borda_sums(profile)), ballots.n_graders)
    utility = point[:n]
    grader_types = ballots.grader_types(utility, lanes_of(point), profile.n_graders)
    notes = comparison_notes(profile)
    if not converged:
        notes.append(_("the utilities had not settled after {passes} passes").format(passes=PASSES_AT_MOST))
    return RuleResult(
        strengths(utility),
        intervals=place_intervals(utility, 1 / np.sqrt(loss.diagonal[:n]), profile.rankings),
        # Not by a matrix product: its sums depend on the number of cores.
        reliability=freeze(np.einsum("gt,t->g", grader_types, RELIABILITY)),
        reliability_intervals=reliability_intervals(grader_types, RELIABILITY),
        flags=flag_graders(profile, grader_types, RANDOM_TYPE, BACKWARDS),
        notes=tuple(notes),
    )


RULE = Rule(
    name="mixture",
    summary="the utilities that explain the ballots best, with the graders' reliabilities learnt from the same ballots",
    citation="Plackett (1975); Dempster, Laird, Rubin (1977); Gormley, Murphy (2008)",
    compute=compute,
    needs="nothing; some dozens of passes over the ballots",
)
