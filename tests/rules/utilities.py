"""Losses written down literally, term by term with dense arrays, and their minimum by an optimiser that is not ours."""

from itertools import combinations
from math import erfc, exp, log, pi, sqrt

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp

from peerorder.core import child
from peerorder.rules import RULES

from .profiles import groups_of


def utilities_of(name, profile, **options):
    outcome = RULES[name].with_options(**options).aggregate(profile, child(0))
    assert outcome.result.notes == ()
    return np.log(outcome.scores)


def drawn(n, spread=2.0, label="utilities"):
    return child(0, label, n).normal(0, spread, n)


def plackett_luce(profile, x):
    """The loss, its gradient and its Hessian, stage by stage."""
    n = profile.n_papers
    value, gradient, hessian = 0.0, np.zeros(n), np.zeros((n, n))
    for ballot in groups_of(profile):
        for stage, picked in enumerate(ballot):
            left = [paper for group in ballot[stage:] for paper in group]
            chance = np.zeros(n)
            chance[left] = np.exp(x[left] - logsumexp(x[left]))
            for paper in picked:
                value += logsumexp(x[left]) - x[paper]
                gradient += chance - np.eye(n)[paper]
                hessian += np.diag(chance) - np.outer(chance, chance)
    return value, gradient, hessian


def wins(profile):
    """All (winner, loser, weight), a tie as half a win for either side."""
    found = []
    for ballot in groups_of(profile):
        ranked = [(paper, level) for level, group in enumerate(ballot) for paper in group]
        for (a, high), (b, low) in combinations(ranked, 2):
            found += [(a, b, 1.0)] if high < low else [(a, b, 0.5), (b, a, 0.5)]
    return found


def pairwise(log_chance, slope, bend):
    """The loss of comparisons won with a chance whose logarithm, and the derivatives of that, are given."""

    def loss(profile, x):
        n = profile.n_papers
        value, gradient, hessian = 0.0, np.zeros(n), np.zeros((n, n))
        for winner, loser, weight in wins(profile):
            z = x[winner] - x[loser]
            apart = np.eye(n)[winner] - np.eye(n)[loser]
            value -= weight * log_chance(z)
            gradient -= weight * slope(z) * apart
            hessian -= weight * bend(z) * np.outer(apart, apart)
        return value, gradient, hessian

    return loss


def normal(z):
    return erfc(-z / sqrt(2)) / 2


def mills(z):
    return exp(-z * z / 2) / sqrt(2 * pi) / normal(z)


LOSSES = {
    "plackett-luce": plackett_luce,
    "bradley-terry": pairwise(
        lambda z: -np.log1p(np.exp(-z)),
        lambda z: 1 / (1 + np.exp(z)),
        lambda z: -1 / (2 + np.exp(z) + np.exp(-z)),
    ),
    "thurstone": pairwise(lambda z: log(normal(z)), mills, lambda z: -mills(z) * (z + mills(z))),
}


def most_likely(name, profile, prior):
    """The utilities at the minimum of the literal loss and the prior."""

    def penalised(x):
        value, gradient, _ = LOSSES[name](profile, x)
        return value + prior / 2 * (x @ x), gradient + prior * x

    return minimize(penalised, np.zeros(profile.n_papers), jac=True, method="BFGS", options={"gtol": 1e-9}).x
