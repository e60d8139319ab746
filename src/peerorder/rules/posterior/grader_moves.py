"""Moves of the graders: their types, the population of the class, and the weights of the types.

The type of a grader is drawn given the quantiles, from all their ballots; then the population and the weights, given
how many graders are of each type. Where quality is tied to place, there are weights at five anchors along the
quantiles, and an author's are interpolated at their own paper; in addition there is one set for graders who wrote
nothing.
"""

import math
from typing import NamedTuple

import numpy as np

from peerorder.core.arrays import FloatArray
from peerorder.core.jit import prefetch, subroutine
from peerorder.core.vectors import LANES, pick_each
from peerorder.rules.posterior.assortativity import scatter_of, sums_of, variance_of
from peerorder.rules.posterior.chances import AHEAD, SHIFT, STAGES, TINY, log_chance_of, pick
from peerorder.rules.posterior.grid import LEVELS, Float32Array

__all__ = ["ANCHORS", "draw_grader_types", "make_tables", "weight_at"]

# Along the quantiles, where quality is tied to place.
ANCHORS = 5
# Up to this size the powers of phi for all pairs of a ballot are finite numbers.
SHORT = 16
# A product over this many papers is still a finite number; 64! has 89 digits.
PAPERS_AT_ONCE = 64
# How often a share of backwards types beyond the bound is drawn again before the old one stays.
TRIES = 20


class Tables(NamedTuple):
    """Tables of the grid in the form that draws of types read."""

    powers: FloatArray
    """phi to the number of wrong pairs, by that number and Mallows type."""
    norms: FloatArray
    """One over Mallows' normalising constant, by size of ballot and type."""
    best: Float32Array
    """Those of the grid, with as many columns as there are lanes."""
    worst: Float32Array


@subroutine
def make_tables(grid):  # type: ignore[no-untyped-def]
    """The tables of a grid."""
    mallows, picks = len(grid.log_phi), grid.best.shape[1]
    size = min(grid.log_norm.shape[1] - 1, SHORT)
    powers, norms = np.empty((size * (size - 1) // 2 + 1, mallows)), np.empty((size + 1, mallows))
    for t in range(mallows):
        for bad in range(len(powers)):
            powers[bad, t] = math.exp(bad * grid.log_phi[t])
        for k in range(size + 1):
            norms[k, t] = math.exp(-grid.log_norm[t, k])
    best, worst = np.ones((len(grid.best), LANES), np.float32), np.ones((len(grid.worst), LANES), np.float32)
    best[:, :picks] = grid.best
    worst[:, :picks] = grid.worst
    return Tables(powers, norms, best, worst)


@subroutine
def weight_at(weights, grader_type, x):  # type: ignore[no-untyped-def]
    """The weight of a type for the author of a paper at x, between the anchors on either side."""
    at = x * (1.0 / LEVELS) * (ANCHORS - 1)
    low = np.int64(at)
    return weights[1 + low, grader_type] * (1 - at + low) + weights[2 + low, grader_type] * (at - low)


@subroutine
def draw_grader_types(layout, grid, tables, state, tally, kept, tied_to_place, rng):  # type: ignore[no-untyped-def]
    """Draw the type of every grader and the weights; ``kept`` from 0 says where to note the probabilities.

    Chances are multiplied as they are while a grader's ballots are short, which is nearly always, and their
    logarithms added beyond ``PAPERS_AT_ONCE``.
    """
    mallows = len(grid.log_phi)
    picks = grid.best.shape[1]
    grader_types = mallows + 2 * picks
    seen = state.seen
    chance, logs = np.empty(grader_types), np.zeros(grader_types)
    counts = np.zeros(state.weights.shape)
    best, worst = np.ones((3, LANES)), np.ones((3, LANES))
    assortativity = state.assortativity[0]
    variance = 0.0
    if assortativity > 0:
        sum_, squares = sums_of(layout.first, grid.utility, state.x)
        variance = variance_of(sum_, squares, layout.ranked)
    for g in range(len(layout.given) - 1):
        if g + 2 * AHEAD < len(layout.given) - 1:
            for c in range(layout.given[g + 2 * AHEAD], layout.given[g + 2 * AHEAD + 1]):
                prefetch(layout.start, layout.ballots[c])
            for c in range(layout.given[g + AHEAD], layout.given[g + AHEAD + 1]):
                prefetch(seen, layout.start[layout.ballots[c]])
                prefetch(state.grader_type, layout.ballots[c])
        own = layout.authored[g] if tied_to_place else -1
        x = np.int64(state.x[own]) if own >= 0 else 0
        for t in range(grader_types):
            chance[t] = state.weights[0, t] if own < 0 else weight_at(state.weights, t, x)
        papers, freedom, scatter = 0, 0, 0.0
        in_logs = assortativity > 0
        if in_logs:
            logs[:] = 0
        for c in range(layout.given[g], layout.given[g + 1]):
            begin, end = layout.start[layout.ballots[c]], layout.start[layout.ballots[c] + 1]
            size = end - begin
            wrong, not_right = 0, 0
            for t in range(begin, end):
                for later in range(t + 1, end):
                    wrong += seen[later] > seen[t]
                    not_right += seen[later] >= seen[t]
            papers += size
            if papers > PAPERS_AT_ONCE:
                if not in_logs:
                    logs[:] = 0
                in_logs = True
                for t in range(grader_types):
                    logs[t] += math.log(max(chance[t], TINY))
                    chance[t] = 1.0
                papers = size
            if assortativity > 0 and size > 1:
                freedom += size - 1
                scatter += scatter_of(grid.utility, seen, begin, end)
            if size > PAPERS_AT_ONCE:
                for t in range(mallows):
                    bad = not_right if grid.log_phi[t] < 0 else wrong
                    logs[t] += bad * grid.log_phi[t] - grid.log_norm[t, size]
                for t in range(mallows, grader_types):
                    logs[t] += log_chance_of(grid.best, grid.worst, seen, begin, end, t - mallows)
                continue
            if size <= SHORT:
                for t in range(mallows):
                    bad = not_right if grid.log_phi[t] < 0 else wrong
                    chance[t] *= tables.powers[bad, t] * tables.norms[size, t]
            else:
                for t in range(mallows):
                    bad = not_right if grid.log_phi[t] < 0 else wrong
                    chance[t] *= math.exp(bad * grid.log_phi[t] - grid.log_norm[t, size])
            if picks:
                best[0] = 0
                worst[0] = 0
                for done in range(0, size, STAGES):
                    best[1:] = 1
                    worst[1:] = 1
                    for t in range(done, min(done + STAGES, size)):
                        pick_each(best, tables.best, seen[end - 1 - t] >> SHIFT)
                        pick_each(worst, tables.worst, seen[begin + t] >> SHIFT)
                    for p in range(picks):
                        chance[mallows + p] *= best[2, p] / best[1, p]
                        chance[mallows + picks + p] *= worst[2, p] / worst[1, p]
        scale = 0.0
        if in_logs:
            for t in range(grader_types):
                near = assortativity * grid.squares[t]
                logs[t] += freedom / 2 * math.log(1 + 2 * near * variance) - near * scatter
                logs[t] += math.log(max(chance[t], TINY))
            scale = logs[0]
            for t in range(grader_types):
                scale = max(scale, logs[t])
            for t in range(grader_types):
                chance[t] = math.exp(logs[t] - scale)
        # One sum for each family: they are added up at the same time.
        total_mallows, total_best, total_worst = 0.0, 0.0, 0.0
        for t in range(mallows):
            total_mallows += chance[t]
        for p in range(picks):
            total_best += chance[mallows + p]
            total_worst += chance[mallows + picks + p]
        total = total_mallows + (total_best + total_worst)
        drawn = pick(chance, total, rng)
        if kept >= 0:
            tally.evidence[kept, g] = scale + math.log(total)
            share = 1 / total
            for t in range(grader_types):
                tally.grader_types[g, t] += chance[t] * share
        if layout.given[g] < layout.given[g + 1]:
            row = 0
            if own >= 0:
                at = x * (1.0 / LEVELS) * (ANCHORS - 1)
                row = 1 + int(at)
                lower = state.weights[row, drawn] * (1 - at + int(at))
                if rng.random() * weight_at(state.weights, drawn, x) >= lower:
                    row += 1
            counts[row, drawn] += 1
        for c in range(layout.given[g], layout.given[g + 1]):
            state.grader_type[layout.ballots[c]] = drawn
    if kept >= 0:
        keep_weights(state.weights, tally.weights[kept])
    draw_weights(grid, state.weights, counts, rng)


@subroutine
def keep_weights(weights, kept):  # type: ignore[no-untyped-def]
    """Keep the weights of all types, or the means of those along the anchors."""
    if len(weights) == 1:
        kept[:] = weights[0]
        return
    kept[:] = 0
    for anchor in range(ANCHORS):
        share = (0.5 if anchor in (0, ANCHORS - 1) else 1.0) / (ANCHORS - 1)
        for t in range(len(kept)):
            kept[t] += share * weights[1 + anchor, t]


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
    top = chance.max()
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
    log_chance, whole = 0.0, prior.sum()
    for row in range(len(counts)):
        for t in range(len(prior)):
            if counts[row, t] > 0:
                log_chance += math.lgamma(prior[t] + counts[row, t]) - math.lgamma(prior[t])
        log_chance -= math.lgamma(whole + counts[row].sum()) - math.lgamma(whole)
    return log_chance
