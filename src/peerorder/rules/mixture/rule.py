"""``mixture``: utilities of papers, with types of graders learnt from the same ballots, in a few dozen passes.

What ``posterior`` finds by sampling, ``mixture`` finds by an approximation that takes about as long as a likelihood
rule, and that adds up over parts of the ballots. ``model`` says what is fitted; ``sums`` is the pass over the ballots,
and ``ballots`` and ``partitions`` make it in memory and elsewhere.

A score is e^x, as for ``plackett-luce``. Utilities here have about unit variance over the class, though, and not the
scale of one grader's errors.
"""

import numpy as np

from peerorder.core.arrays import AnyIntArray, FloatArray, IntArray, freeze
from peerorder.core.outcome import RuleResult
from peerorder.core.partitions import Partitions
from peerorder.core.profile import Profile
from peerorder.core.randomness import Generator
from peerorder.core.translation import gettext as _
from peerorder.rules import lbfgs
from peerorder.rules.borda import borda_sums
from peerorder.rules.grader_types import (
    comparison_notes,
    flag_graders,
    name_flags,
    notes_on_unknown,
    reliability_intervals,
)
from peerorder.rules.mixture.ballots import ballots_of
from peerorder.rules.mixture.intervals import place_intervals
from peerorder.rules.mixture.model import (
    BACKWARDS,
    RANDOM_TYPE,
    RELIABILITY,
    Loss,
    Sums,
    Total,
    lanes_of,
    loss_of,
    preferences_of,
    start_at,
)
from peerorder.rules.mixture.partitions import GraderPass, SumsPass
from peerorder.rules.newton import log_odds, strengths
from peerorder.rules.rule import Rule

__all__ = ["RULE"]


# What the last steps promise to lower the loss by, in all and for each paper. The loss is in the unit of the logarithm
# of a probability, so utilities are then a small part of their standard errors from the end: of a million papers a few
# are between two explanations for dozens of steps, and nobody need wait for those.
LITTLE, LITTLE_EACH = 1e-3, 1e-8


def compute(profile: Profile, rng: Generator) -> RuleResult:  # noqa: ARG001 -- nothing random but ties
    """Score by the utilities that explain the ballots best."""
    n = profile.n_papers
    ballots = ballots_of(profile)
    point, loss, notes = _fit(ballots.total, borda_sums(profile), ballots.n_graders)
    utility = point[:n]
    grader_types = ballots.grader_types(utility, lanes_of(point), profile.n_graders)
    return RuleResult(
        strengths(utility),
        intervals=_intervals(point, loss, profile.rankings),
        # Not by a matrix product: its sums depend on the number of cores.
        reliability=freeze(np.einsum("gt,t->g", grader_types, RELIABILITY)),
        reliability_intervals=reliability_intervals(grader_types, RELIABILITY),
        flags=flag_graders(profile, grader_types, RANDOM_TYPE, BACKWARDS),
        preferences=preferences_of(point),
        notes=(*comparison_notes(profile), *notes),
    )


def merge_partitions(partitions: Partitions, rng: Generator) -> RuleResult:  # noqa: ARG001
    """Score by the utilities that explain the ballots best, with one pass over the partitions a step."""
    n, sums = partitions.n_papers, partitions.borda_sums

    def total(point: FloatArray) -> Sums:
        found: Sums = partitions.reduce(SumsPass(partitions.share("utility", point[:n]), point[n:], n))
        return found

    point, loss, notes = _fit(total, sums, partitions.n_graders)
    graders = partitions.reduce(GraderPass(partitions.share("utility", point[:n]), point[n:]))
    return RuleResult(
        strengths(point[:n]),
        intervals=_intervals(point, loss, partitions.rankings),
        reliability=freeze(graders.reliability),
        reliability_intervals=freeze(graders.intervals),
        flags=name_flags(graders.flags),
        preferences=preferences_of(point),
        notes=(*notes_on_unknown(int(np.sum(sums[:, 1] == 0)), n), *notes),
    )


def _fit(total: Total, sums: IntArray | FloatArray, n_graders: int) -> tuple[FloatArray, Loss, tuple[str, ...]]:
    """Find where the loss is least, beginning at a sane order: from any other we might end upside down."""
    loss, little = loss_of(total, len(sums), n_graders), max(LITTLE, LITTLE_EACH * len(sums))
    point, here, converged = lbfgs.least(loss, start_at(log_odds(sums)), lambda _step, promise: promise <= little)
    text = _("the utilities had not settled after {passes} passes")
    return point, here, () if converged else (text.format(passes=lbfgs.EVALUATIONS_AT_MOST),)


def _intervals(point: FloatArray, loss: Loss, rankings: AnyIntArray) -> IntArray:
    n = len(rankings)
    return place_intervals(point[:n], 1 / np.sqrt(loss.diagonal[:n]), rankings)


RULE = Rule(
    name="mixture",
    summary="the utilities that explain the ballots best, with the graders' reliabilities learnt from the same ballots",
    citation="Plackett (1975); Dempster, Laird, Rubin (1977); Gormley, Murphy (2008)",
    compute=compute,
    needs="nothing; some dozens of passes over the ballots",
    rates_graders=True,
    merge_partitions=merge_partitions,
)
