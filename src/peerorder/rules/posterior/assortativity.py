"""Assortativity of the papers on one ballot: its draws, and what a move of a paper adds to it.

Where pairs are chosen adaptively, similar papers meet, and the pairing itself is evidence. Without that, papers that
were compared look too similar for sharp graders, everybody is taken for a poor one, and a paper that held its own among
the best is put in the middle. So the bundle of a grader of sharpness a is drawn with probability proportional to
e^(-c a^2 S), S the sum of squares of its utilities around their mean, which multiplies the likelihood of a ballot of
k papers by (1 + 2 c a^2 v)^((k-1)/2) e^(-c a^2 S), v the variance of the utilities of all papers on ballots. c is drawn
from a short list; bundles allocated at random give 0, and then it costs nothing.
"""

import math

import numpy as np

from peerorder.core.jit import subroutine
from peerorder.rules.posterior.chances import SHIFT, pick

__all__ = ["draw_assortativity", "gain_by_assortativity", "scatter_of", "sums_of", "variance_of"]


@subroutine
def draw_assortativity(layout, grid, state, rng):  # type: ignore[no-untyped-def]
    """Draw the assortativity of the papers on one ballot; return the degrees of freedom of every type's ballots."""
    degrees_of_freedom = np.zeros(len(grid.squares))
    state.assortativity[0] = grid.assortativity[0]
    if len(grid.assortativity) < 2 and grid.assortativity[0] == 0:
        return degrees_of_freedom
    scatter = np.zeros(len(grid.squares))
    for ballot in range(len(layout.start) - 1):
        begin, end = layout.start[ballot], layout.start[ballot + 1]
        if end - begin > 1 and grid.squares[state.grader_type[ballot]] > 0:
            scatter[state.grader_type[ballot]] += scatter_of(grid.utility, state.seen, begin, end)
            degrees_of_freedom[state.grader_type[ballot]] += end - begin - 1
    sum_, squares = sums_of(layout.first, grid.utility, state.x)
    variance = variance_of(sum_, squares, layout.ranked)
    chance = np.empty(len(grid.assortativity))
    for c in range(len(grid.assortativity)):
        chance[c] = grid.log_assortativity[c]
        for t in range(len(degrees_of_freedom)):
            near = grid.assortativity[c] * grid.squares[t]
            chance[c] += degrees_of_freedom[t] / 2 * math.log(1 + 2 * near * variance) - near * scatter[t]
    top, total = chance[0], 0.0
    for c in range(len(grid.assortativity)):
        top = max(top, chance[c])
    for c in range(len(grid.assortativity)):
        chance[c] = math.exp(chance[c] - top)
        total += chance[c]
    state.assortativity[0] = grid.assortativity[pick(chance, total, rng)]
    return degrees_of_freedom


@subroutine
def scatter_of(utilities, seen, begin, end):  # type: ignore[no-untyped-def]
    """The sum of squares of a ballot's utilities around their mean."""
    sum_, squares = np.float32(0), np.float32(0)
    for t in range(begin, end):
        utility = utilities[seen[t] >> SHIFT]
        sum_ += utility
        squares += utility * utility
    return squares - sum_ * sum_ / (end - begin)


@subroutine
def variance_of(sum_, squares, n):  # type: ignore[no-untyped-def]
    """The variance of n numbers, given their sum and that of their squares."""
    return max(squares / max(n, 1) - (sum_ / max(n, 1)) ** 2, 0.0)


@subroutine
def sums_of(first, utilities, x):  # type: ignore[no-untyped-def]
    """The sum of the utilities of all papers on ballots, and of their squares."""
    sum_, squares = 0.0, 0.0
    for i in range(len(x)):
        if first[i] < first[i + 1]:
            utility = utilities[x[i] >> SHIFT]
            sum_ += utility
            squares += utility * utility
    return sum_, squares


@subroutine
def gain_by_assortativity(layout, grid, state, degrees_of_freedom, i, there, sum_, squares):  # type: ignore[no-untyped-def]
    """What a move adds to the log probability of the bundles, and the sums of utilities after it."""
    assortativity = state.assortativity[0]
    old, new = grid.utility[state.x[i] >> SHIFT], grid.utility[there >> SHIFT]
    new_sum, new_squares = sum_ + new - old, squares + new * new - old * old
    before_variance = variance_of(sum_, squares, layout.ranked)
    after_variance = variance_of(new_sum, new_squares, layout.ranked)
    gain = 0.0
    for t in range(len(degrees_of_freedom)):
        if degrees_of_freedom[t] > 0:
            near = 2 * assortativity * grid.squares[t]
            gain += degrees_of_freedom[t] / 2 * math.log((1 + near * after_variance) / (1 + near * before_variance))
    for s in range(layout.first[i], layout.first[i + 1]):
        ballot = layout.ballot[s]
        near = assortativity * grid.squares[state.grader_type[ballot]]
        if near > 0:
            begin, end = layout.start[ballot], layout.start[ballot + 1]
            total = np.float32(0)
            for t in range(begin, end):
                total += grid.utility[state.seen[t] >> SHIFT]
            moved = total + new - old
            gain -= near * (new * new - old * old - (moved * moved - total * total) / (end - begin))
    return gain, new_sum, new_squares
