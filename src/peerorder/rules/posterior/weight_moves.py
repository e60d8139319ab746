"""Moves of the weights of the types, and of the population that they come from.

Where quality is tied to place, there are weights at five anchors along the quantiles, and an author's are interpolated
at their own paper; in addition there is one set for graders who wrote nothing.
"""

import math

import numpy as np

from peerorder.core.jit import subroutine
from peerorder.rules.posterior.chances import pick
from peerorder.rules.posterior.grid import LEVELS

__all__ = ["ANCHORS", "draw_weights", "keep_weights", "weight_at"]

# Along the quantiles, where quality is tied to place.
ANCHORS = 5
# How often a share of backwards types beyond the bound is drawn again before the old one stays.
TRIES = 20


@subroutine
def weight_at(weights, grader_type, x):  # type: ignore[no-untyped-def]
    """The weight of a type for the author of a paper at x, between the anchors on either side."""
    at = x * (1.0 / LEVELS) * (ANCHORS - 1)
    low = np.int64(at)
    return weights[1 + low, grader_type] * (1 - at + low) + weights[2 + low, grader_type] * (at - low)


@subroutine
def keep_weights(weights, counts, kept):  # type: ignore[no-untyped-def]
    """Keep the weights of all types: the mean of all rows, by how many graders each is about."""
    graders = 0.0
    for row in range(len(weights)):
        graders += sum_of(counts[row])
    kept[:] = 0
    for row in range(len(weights)):
        share = sum_of(counts[row]) / graders if graders > 0 else 1 / len(weights)
        for t in range(len(kept)):
            kept[t] += share * weights[row, t]


@subroutine
def draw_weights(grid, weights, counts, rng):  # type: ignore[no-untyped-def]
    """Draw the weights given how many graders are of each type, with a bound on those who rank backwards.

    First the population, with the weights integrated out: that of a Dirichlet prior gives counts n_t a probability in
    proportion to the product of Gamma(p_t + n_t) / Gamma(p_t). The bound is neglected here, which matters only where
    about as many graders rank backwards as it allows.

    The weights within the two groups do not depend on the groups' shares, so only the share is drawn again
    where it is beyond the bound; if that does not help, the old one stays, which is valid too.
    """
    chance = np.empty(len(grid.populations))
    for p in range(len(chance)):
        chance[p] = grid.log_populations[p] + log_chance_of_counts(grid.populations[p], counts)
    top = chance[0]
    for p in range(len(chance)):
        top = max(top, chance[p])
    total = 0.0
    for p in range(len(chance)):
        chance[p] = math.exp(chance[p] - top)
        total += chance[p]
    prior = grid.populations[pick(chance, total, rng)]
    for row in range(len(weights)):
        old, forwards, backwards, total_forwards, total_backwards = 0.0, 0.0, 0.0, 0.0, 0.0
        for t in range(weights.shape[1]):
            prior_weight = prior[t] + counts[row, t]
            drawn = max(rng.standard_gamma(prior_weight), 1e-30)
            if grid.backwards[t]:
                old += weights[row, t]
                backwards += drawn
                total_backwards += prior_weight
            else:
                forwards += drawn
                total_forwards += prior_weight
            weights[row, t] = drawn
        share = backwards / (forwards + backwards)
        tries = 0
        while share > grid.most_backwards:
            one, other = rng.standard_gamma(total_backwards), rng.standard_gamma(total_forwards)
            share = one / (one + other) if tries < TRIES else old
            tries += 1
            if tries > TRIES:
                break
        for t in range(weights.shape[1]):
            if grid.backwards[t]:
                weights[row, t] *= share / backwards
            else:
                weights[row, t] *= (1 - share) / forwards


@subroutine
def log_chance_of_counts(prior, counts):  # type: ignore[no-untyped-def]
    """Return log Pr[counts] when the weights of every row are drawn from the same Dirichlet prior."""
    log_chance, whole = 0.0, sum_of(prior)
    for row in range(len(counts)):
        for t in range(len(prior)):
            if counts[row, t] > 0:
                log_chance += math.lgamma(prior[t] + counts[row, t]) - math.lgamma(prior[t])
        log_chance -= math.lgamma(whole + sum_of(counts[row])) - math.lgamma(whole)
    return log_chance


@subroutine
def sum_of(values):  # type: ignore[no-untyped-def]
    """The sum of some numbers; NumPy's compiles for longer."""
    total = 0.0
    for t in range(len(values)):
        total += values[t]
    return total
