"""``plackett-luce``: the utilities that make the ballots most likely when papers are picked one after another.

A grader picks the best paper of their bundle, then the best of the rest, and so on; paper i is picked from
the set T that is left with probability e^x_i / sum over T of e^x_j (Luce 1959; Plackett 1975). The utilities x
are the most likely ones under the normal prior of ``newton``.

Tied papers are picked at one stage, each with a probability taken from the same set, that of its level
and all below (the form that Breslow, 1974, gave to the same likelihood in survival analysis). Two
papers tied at the bottom of a ballot are worth what two ballots would be that rank them either way round.

The model is not reversible: that the best papers were picked first says other things about x than that the
worst were, so reversed ballots need not reverse the order.

With L_l the log-sum-exp over level l and below, and m_l papers on level l, a ballot loses
sum over l of m_l L_l, less the sum of its x (Hunter 2004 has it without ties). For a paper on level l, let
p = e^(x - L_l), and let A sum m_s e^(L_l - L_s) over levels s down to l. Its gradient is p A - 1, and the Hessian
times v is p (A v - B), where B sums m_s e^(L_l - L_s) mean_s likewise and mean_s is the mean of v at stage s. All
of these run down or up a ballot with factors e^(L_(l+1) - L_l) between 0 and 1: nothing overflows.
"""

import math
from dataclasses import dataclass

import numpy as np

from peerorder.core.arrays import FloatArray
from peerorder.core.jit import kernel
from peerorder.core.outcome import RuleResult
from peerorder.core.partitions import Arrays, Partitions, Shared
from peerorder.core.profile import Profile
from peerorder.core.randomness import Generator
from peerorder.core.registry import Option
from peerorder.core.translation import gettext as _
from peerorder.rules import lbfgs
from peerorder.rules.newton import Local, Loss, estimated, fit, inverse_curvature, log_odds, penalised
from peerorder.rules.rule import Rule

__all__ = ["RULE", "loss_of"]

# Over partitions, in utility.
CLOSE = 1e-8


def compute(profile: Profile, rng: Generator, prior: float) -> RuleResult:  # noqa: ARG001 -- nothing random but ties
    """Score by the most likely strengths."""
    return fit(loss_of(profile), profile, prior)


def merge_partitions(partitions: Partitions, rng: Generator, prior: float) -> RuleResult:  # noqa: ARG001
    """Score by the most likely strengths, with one pass over the partitions a step."""

    def evaluate_at(utility: FloatArray) -> Local:
        shared = partitions.share("utility", utility)
        return penalised(lambda _utility: partitions.reduce(Evaluation(shared, partitions.n_papers)), utility, prior)

    utility, _loss, converged = lbfgs.least(evaluate_at, log_odds(partitions.borda_sums), _is_last)
    text = _("the utilities had not settled after {passes} passes over the rankings")
    notes = () if converged else (text.format(passes=lbfgs.EVALUATIONS_AT_MOST),)
    return estimated(utility, notes)


def _is_last(step: FloatArray, promise: float) -> bool:  # noqa: ARG001
    """Whether a step moves no utility by more than the rule in memory leaves undone, or little more."""
    return float(np.abs(step).max(initial=0.0)) <= CLOSE


@dataclass(frozen=True)
class Evaluation:
    """The loss, its gradient and the Hessian's diagonal, as a sum over partitions."""

    utility: Shared
    n_papers: int

    def start(self) -> Arrays:
        """Return nothing lost."""
        return np.zeros(1), np.zeros(self.n_papers), np.zeros(self.n_papers)

    def add(self, state: Arrays, batch: Profile) -> Arrays:
        """Add what some ballots lose."""
        local = loss_of(batch)(self.utility.load())
        return self.merge(state, (np.array([local.value]), local.gradient, local.diagonal))

    def merge(self, state: Arrays, other: Arrays) -> Arrays:
        """Add two sums."""
        return tuple(np.add(one, two, out=one) for one, two in zip(state, other, strict=True))

    def finish(self, state: Arrays) -> Local:
        """Return the loss near the point."""
        value, gradient, diagonal = state
        return Local(float(value[0]), gradient, diagonal, lambda vector: vector)


def covariance(profile: Profile, scores: FloatArray, prior: float) -> FloatArray:
    """The covariance of the utilities about their mean."""
    return inverse_curvature(loss_of(profile), scores, prior)


def loss_of(profile: Profile) -> Loss:
    """-log Pr[ballots] as a function of the utilities."""
    papers, start, levels = profile.papers, profile.start, profile.tie_levels
    weights = profile.ballot_weights
    stages = count_stages(start, levels) * np.repeat(weights, profile.sizes)

    def loss(utility: FloatArray) -> Local:
        value, gradient, diagonal, share, weight, decay = evaluate(papers, start, levels, stages, weights, utility)

        def times(vector: FloatArray) -> FloatArray:
            product: FloatArray = hessian_times(papers, stages, share, weight, decay, vector)
            return product

        return Local(value, gradient, diagonal, times)

    return loss


@kernel
def count_stages(start, levels):  # type: ignore[no-untyped-def]
    """How many papers are picked at an entry's level, at the first entry of the level; 0 at its others."""
    stages = np.zeros(len(levels))
    for row in range(len(start) - 1):
        at = start[row]
        for t in range(start[row], start[row + 1]):
            if levels[t] != levels[at]:
                at = t
            stages[at] += 1
    return stages


@kernel
def evaluate(papers, start, levels, stages, weights, utility):  # type: ignore[no-untyped-def]
    """The loss, its gradient and the Hessian's diagonal, and for every entry what ``hessian_times`` needs.

    ``stages`` carry the weight of their ballot, so most of these have it too.
    That is its share p of its own stage, its weight p A, and the factor to the level above it: e^(L_l - L_(l-1))
    at the first entry of a level, 0 at the first of a ballot and behind the last of all, 1 at the others.
    """
    entries = len(papers)
    share = np.empty(entries)
    weight = np.empty(entries)
    decay = np.zeros(entries + 1)
    gradient = np.zeros(len(utility))
    diagonal = np.zeros(len(utility))
    value = 0.0
    for row in range(len(start) - 1):
        first, last = start[row], start[row + 1]
        below = -np.inf
        end = last
        while end > first:
            begin = end - 1
            while begin > first and levels[begin - 1] == levels[begin]:
                begin -= 1
            if end - begin == 1:
                # One exponential and one logarithm for the paper that is picked and all that are left; no branch,
                # because which of the two is larger cannot be guessed.
                x = utility[papers[begin]]
                ratio = math.exp(-abs(x - below))
                larger = 1 / (1 + ratio)
                smaller = ratio * larger
                share[begin] = larger if x >= below else smaller
                rest = smaller if x >= below else larger
                total = max(x, below) + math.log1p(ratio)
                value += weights[row] * (total - x)
            else:
                top = below
                for t in range(begin, end):
                    top = max(top, utility[papers[t]])
                sum_ = math.exp(below - top)
                for t in range(begin, end):
                    sum_ += math.exp(utility[papers[t]] - top)
                total = top + math.log(sum_)
                rest = math.exp(below - total)
                for t in range(begin, end):
                    share[t] = math.exp(utility[papers[t]] - total)
                    value += weights[row] * (total - utility[papers[t]])
                    decay[t] = 1.0
            if end < last:
                decay[end] = rest
            below = total
            end = begin
        if first < last:
            decay[first] = 0.0
        reach = 0.0
        squared = 0.0
        for t in range(first, last):
            paper = papers[t]
            reach = reach * decay[t] + stages[t]
            squared = squared * decay[t] * decay[t] + stages[t]
            weight[t] = share[t] * reach
            gradient[paper] += weight[t] - weights[row]
            diagonal[paper] += weight[t] - share[t] * share[t] * squared
    return value, gradient, diagonal, share, weight, decay


@kernel
def hessian_times(papers, stages, share, weight, decay, vector):  # type: ignore[no-untyped-def]
    """The Hessian times a vector. Factors of 0 where a ballot begins make one flat loop of all ballots."""
    entries = len(papers)
    product = np.zeros(len(vector))
    mean = np.empty(entries)
    upwards = 0.0
    for t in range(entries - 1, -1, -1):
        upwards = upwards * decay[t + 1] + share[t] * vector[papers[t]]
        mean[t] = upwards
    downwards = 0.0
    for t in range(entries):
        downwards = downwards * decay[t] + stages[t] * mean[t]
        product[papers[t]] += weight[t] * vector[papers[t]] - share[t] * downwards
    return product


RULE = Rule(
    name="plackett-luce",
    summary="the strengths that make the ballots most likely when papers are picked one after another",
    citation="Luce (1959); Plackett (1975); Hunter (2004)",
    compute=compute,
    options=(Option("prior", 0.03, "precision of the normal prior on utilities", 0.001, 100),),
    needs="nothing; some dozens of passes over the ballots",
    weighted=True,
    covariance_of=covariance,
    merge_partitions=merge_partitions,
)
