"""``bradley-terry`` and ``thurstone``: the utilities that make all comparisons on the ballots most likely.

A ballot compares each of its papers with all others on it, and every comparison counts as one made
separately: a paper with utility x beats one with utility y with probability F(x - y). Bradley and Terry (1952;
Zermelo 1929) take the logistic distribution, F(z) = 1/(1 + e^-z); Thurstone's case V (1927) takes the
normal one, with the standard deviation of a comparison as the unit. A tie is half a win for either
side. The utilities are the most likely ones under the normal prior of ``newton``.

F is symmetric, so reversed ballots turn the sign of every utility.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy

from peerorder.core.arrays import FloatArray, Int32Array, IntArray
from peerorder.core.jit import kernel
from peerorder.core.outcome import RuleResult
from peerorder.core.profile import Profile
from peerorder.core.randomness import Generator
from peerorder.core.registry import Option
from peerorder.rules.newton import Local, Loss, fit, inverse_curvature
from peerorder.rules.rule import Rule

__all__ = ["BRADLEY_TERRY", "THURSTONE", "Comparisons", "comparisons", "loss_of"]

Link = Callable[[FloatArray], tuple[FloatArray, FloatArray, FloatArray]]


def bradley_terry(profile: Profile, rng: Generator, prior: float) -> RuleResult:  # noqa: ARG001 -- nothing random but ties
    """Score by the most likely strengths under the logistic distribution."""
    return fit(loss_of(profile, logistic), profile, prior)


def thurstone(profile: Profile, rng: Generator, prior: float) -> RuleResult:  # noqa: ARG001
    """Score by the most likely strengths under the normal distribution."""
    return fit(loss_of(profile, probit), profile, prior, "normal")


def bradley_terry_covariance(profile: Profile, scores: FloatArray, prior: float) -> FloatArray:
    """The covariance of the utilities about their mean."""
    return inverse_curvature(loss_of(profile, logistic), scores, prior)


def thurstone_covariance(profile: Profile, scores: FloatArray, prior: float) -> FloatArray:
    """The covariance of the utilities about their mean."""
    return inverse_curvature(loss_of(profile, probit), scores, prior)


@dataclass(frozen=True)
class Comparisons:
    """Who beat whom how often, in compressed rows: paper p beat ``loser[start[p]:start[p + 1]]``."""

    start: IntArray
    loser: Int32Array
    times: FloatArray
    """How often, by the weights of the ballots; a tie is half a win for either side."""


def comparisons(profile: Profile) -> Comparisons:
    """All comparisons of a profile, those of the same two papers with the same winner added up."""
    start, loser, times = list_wins(
        profile.papers, profile.start, profile.tie_levels, profile.ballot_weights, profile.n_papers
    )
    wins = scipy.sparse.csr_array((times, loser, start), shape=(profile.n_papers, profile.n_papers))
    # Sums of halves are exact, so without weights what comes out does not depend on the order of the ballots.
    wins.sum_duplicates()
    return Comparisons(wins.indptr.astype(np.int64), wins.indices.astype(np.int32, copy=False), wins.data)


def logistic(z: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """-log F(z) for Bradley and Terry, less its first derivative, and its second."""
    lost = scipy.special.expit(-z)
    return np.logaddexp(0, -z), lost, lost * scipy.special.expit(z)


def probit(z: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """-log F(z) for Thurstone, less its first derivative m, and its second, m (z + m); m is the density over F."""
    # By the scaled error function, which does not underflow far out on the losing side. Beyond millions of standard
    # deviations z + m is all rounding, so the second derivative is held to its limits.
    slope = np.sqrt(2 / np.pi) / scipy.special.erfcx(-z / np.sqrt(2))
    return -scipy.special.log_ndtr(z), slope, np.clip(slope * (z + slope), 0, 1)


def loss_of(profile: Profile, link: Link) -> Loss:
    """-log Pr[comparisons] as a function of the utilities."""
    won = comparisons(profile)

    def loss(utility: FloatArray) -> Local:
        lost, slope, bend = link(differences(won.start, won.loser, utility))
        bend *= won.times

        def times(vector: FloatArray) -> FloatArray:
            product: FloatArray = laplacian_times(won.start, won.loser, bend, vector)
            return product

        gradient = -spread(won.start, won.loser, won.times * slope, -1.0)
        return Local(float(np.sum(won.times * lost)), gradient, spread(won.start, won.loser, bend, 1.0), times)

    return loss


@kernel
def list_wins(papers, start, levels, weights, n):  # type: ignore[no-untyped-def]
    """Every comparison, in rows by its winner; a tie stands in both rows with one half; both times the weight."""
    row_start = np.zeros(n + 1, np.int64)
    for row in range(len(start) - 1):
        for at in range(start[row], start[row + 1]):
            for other in range(start[row], start[row + 1]):
                if levels[at] <= levels[other] and at != other:
                    row_start[papers[at] + 1] += 1
    for paper in range(n):
        row_start[paper + 1] += row_start[paper]
    loser = np.empty(row_start[n], np.int32)
    times = np.empty(row_start[n])
    free = row_start[:n].copy()
    for row in range(len(start) - 1):
        for at in range(start[row], start[row + 1]):
            for other in range(start[row], start[row + 1]):
                if levels[at] <= levels[other] and at != other:
                    to = free[papers[at]]
                    loser[to] = papers[other]
                    times[to] = weights[row] * (0.5 if levels[at] == levels[other] else 1.0)
                    free[papers[at]] += 1
    return row_start, loser, times


@kernel
def differences(start, loser, utility):  # type: ignore[no-untyped-def]
    """The winner's utility less the loser's, for every comparison."""
    difference = np.empty(len(loser))
    for winner in range(len(start) - 1):
        for t in range(start[winner], start[winner + 1]):
            difference[t] = utility[winner] - utility[loser[t]]
    return difference


@kernel
def spread(start, loser, amount, sign):  # type: ignore[no-untyped-def]
    """Add every comparison's amount to its winner, and the same times ``sign`` to its loser."""
    total = np.zeros(len(start) - 1)
    for winner in range(len(start) - 1):
        for t in range(start[winner], start[winner + 1]):
            total[winner] += amount[t]
            total[loser[t]] += sign * amount[t]
    return total


@kernel
def laplacian_times(start, loser, bend, vector):  # type: ignore[no-untyped-def]
    """The Hessian, a Laplacian of the graph of comparisons weighted by ``bend``, times a vector."""
    product = np.zeros(len(vector))
    for winner in range(len(start) - 1):
        own = 0.0
        for t in range(start[winner], start[winner + 1]):
            flow = bend[t] * (vector[winner] - vector[loser[t]])
            own += flow
            product[loser[t]] -= flow
        product[winner] += own
    return product


BRADLEY_TERRY = Rule(
    name="bradley-terry",
    summary="the strengths that make all comparisons most likely, with logistic errors",
    citation="Zermelo (1929); Bradley, Terry (1952)",
    compute=bradley_terry,
    options=(Option("prior", 0.03, "precision of the normal prior on utilities", 0.001, 100),),
    needs="memory in proportion to the pairs that share a ballot",
    weighted=True,
    covariance_of=bradley_terry_covariance,
)
THURSTONE = Rule(
    name="thurstone",
    summary="the strengths that make all comparisons most likely, with normal errors",
    citation="Thurstone (1927), case V",
    compute=thurstone,
    options=(Option("prior", 0.1, "precision of the normal prior on utilities", 0.001, 100),),
    needs="memory in proportion to the pairs that share a ballot",
    weighted=True,
    covariance_of=thurstone_covariance,
)
