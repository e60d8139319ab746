"""Moves of the papers: each is drawn from its full conditional distribution, on a lattice of quantiles around it.

The lattice has ``POINTS`` points and a random offset (griddy Gibbs; Ritter, Tanner 1992). For a Mallows ballot each
paper on it adds a step to the logarithm; for one on which papers are picked, only the stages up to the paper's own
depend on its strength, and the others' strengths at these are sums that do not. Assortativity and authors' weights
accept or reject the draw (Hastings 1970). The lattice widens or narrows for each paper while warming up.
"""

import math

import numpy as np

from peerorder.core.jit import prefetch, subroutine
from peerorder.core.vectors import LANES, add_beyond, divide_by, exponentiate, multiply_by_sum
from peerorder.rules.posterior.assortativity import gain_by_assortativity, sums_of
from peerorder.rules.posterior.chances import AHEAD, SHIFT, STAGES
from peerorder.rules.posterior.grid import LEVELS
from peerorder.rules.posterior.weight_moves import weight_at

__all__ = ["WIDEST", "move_papers", "weigh_picks"]

POINTS = LANES
WIDEST = LEVELS // POINTS
# The share of moves that span all quantiles, so that no paper is caught.
FAR = 0.03
# The standard deviation that the law of a paper should have on its lattice, in points.
SPREAD = 0.6
# The power of the ratio of what it has to that, by which the lattice widens.
STEP = 0.5


@subroutine
def move_papers(layout, grid, state, degrees_of_freedom, surplus, adapting, tied_to_place, rng):  # type: ignore[no-untyped-def]
    """Move every paper once; with ``surplus``, add by how much each is higher than expected, as a number of places.

    What is expected is the mean over the lattice, so that the surplus is 0 on average whatever is in it.
    """
    mallows, picks = len(grid.log_phi), grid.best.shape[1]
    seen, start = state.seen, layout.start
    points, total = np.zeros(POINTS, np.float32), np.zeros(POINTS, np.float32)
    levels = np.zeros(POINTS, np.uint32)
    own, stage, chance = np.zeros(POINTS), np.zeros(POINTS), np.zeros(POINTS)
    places = (len(state.x) - 1) / LEVELS
    assortativity = state.assortativity[0]
    sum_, squares = sums_of(layout.first, grid.utility, state.x) if assortativity > 0 else (0.0, 0.0)
    ties = len(layout.ties) > 0
    for i in range(len(state.x)):
        if i + AHEAD < len(state.x):
            for s in range(layout.first[i + AHEAD], layout.first[i + AHEAD + 1]):
                prefetch(seen, state.entry[s])
                prefetch(start, layout.ballot[s])
                prefetch(state.grader_type, layout.ballot[s])
        begin, end = layout.first[i], layout.first[i + 1]
        here = np.int64(state.x[i])
        # One random number for three: where on the lattice the paper is now, whether that spans all quantiles, and
        # how far apart its points are, because a paper would never leave those of one lattice.
        u = rng.random() * POINTS
        now = np.int64(u)
        u -= now
        far = u < FAR
        step = max(int(WIDEST * (0.5 + u / FAR) if far else state.width[i] * (0.5 + (u - FAR) / (1 - FAR))), 1)
        base = here - now * step
        picked = False
        for j in range(POINTS):
            points[j] = 0
        for s in range(begin, end):
            ballot = layout.ballot[s]
            grader_type = state.grader_type[ballot]
            first, last, entry = start[ballot], start[ballot + 1], state.entry[s]
            if grader_type < mallows:
                above, below = entry, entry + 1
                if ties:
                    above, below = layout.tie_begin[entry], layout.tie_end[entry]
                log_phi = grid.log_phi[grader_type]
                # Above a paper that is written higher the pair is wrong; below one that is written lower likewise. At
                # the same quantile it is wrong too, or right where wrong is more probable.
                strict = 0 if log_phi < 0 else 1
                for t in range(first, above):
                    add_beyond(points, log_phi, seen[t] + strict, base, step)
                for t in range(below, last):
                    add_beyond(points, -log_phi, seen[t] + 1 - strict, base, step)
            else:
                if not picked:
                    picked = True
                    for j in range(POINTS):
                        levels[j] = level_at(base + j * step)
                        chance[j] = 1.0
                column = grader_type - mallows
                if column < picks:
                    weigh_picks(grid.best, column, seen, entry, first - 1, -1, last, levels, own, stage, chance, points)
                else:
                    column -= picks
                    weigh_picks(grid.worst, column, seen, entry, last, 1, first - 1, levels, own, stage, chance, points)
        low = (step - 1 - base) // step if base < 0 else 0
        high = points_below(base, step)
        top = points[now]
        for j in range(low, high):
            top = max(top, points[j])
        exponentiate(points, top)
        if picked:
            for j in range(low, high):
                points[j] *= np.float32(chance[j])
        sum_points, mean = np.float32(0), np.float32(0)
        for j in range(low, high):
            sum_points += points[j]
            mean += points[j] * j
            total[j] = sum_points
        mean /= sum_points
        u = np.float32(rng.random()) * sum_points
        drawn = low
        for j in range(low, high - 1):
            drawn += total[j] <= u
        there = base + drawn * step
        if i < len(surplus):
            surplus[i] += (drawn - mean) * step * places
        if adapting and not far and begin < end:
            variance = np.float32(0)
            for j in range(low, high):
                variance += points[j] * (j - mean) ** 2
            spread = max(math.sqrt(variance / sum_points), 0.1)
            state.width[i] = min(max(state.width[i] * (spread / SPREAD) ** STEP, 1.0), WIDEST)
        if there == here:
            continue
        ratio, new_sum, new_squares = 1.0, sum_, squares
        if assortativity > 0 and begin < end:
            gain, new_sum, new_squares = gain_by_assortativity(
                layout, grid, state, degrees_of_freedom, i, there, sum_, squares
            )
            ratio = math.exp(min(gain, 500.0))
        if tied_to_place:
            for c in range(layout.signed[i], layout.signed[i + 1]):
                g = layout.authors[c]
                if layout.given[g] < layout.given[g + 1]:
                    grader_type = np.int64(state.grader_type[layout.ballots[layout.given[g]]])
                    ratio *= weight_at(state.weights, grader_type, there) / weight_at(state.weights, grader_type, here)
        if ratio >= 1 or rng.random() < ratio:
            state.x[i] = there
            sum_, squares = new_sum, new_squares
            for s in range(begin, end):
                seen[state.entry[s]] = there


@subroutine
def level_at(x):  # type: ignore[no-untyped-def]
    """The level of utility at a quantile, or at the nearest where there is none."""
    return min(max(x, 0), LEVELS - 1) >> SHIFT


@subroutine
def points_below(base, step):  # type: ignore[no-untyped-def]
    """How many points of a lattice are not beyond the last quantile."""
    return min((LEVELS - 1 - base) // step + 1, POINTS)


@subroutine
def weigh_picks(  # type: ignore[no-untyped-def]
    table, column, seen, entry, before, forwards, behind, levels, own, stage, chance, points
):
    """Multiply the chances of all points by those of a ballot on which papers are picked one by one.

    Papers from ``before`` to ``behind``, in steps of ``forwards``, were picked before this one, and those at its other
    side behind it. A paper of strength e that is left with others of strength R_s at stage s is picked with
    probability e / (R_r + e) at its own and missed with R_s / (R_s + e) at those before; the R_s do not depend on e.
    Powers of two go to the logarithms in ``points``, so that hundreds of ballots neither overflow nor vanish.
    """
    for j in range(POINTS):
        own[j] = table[levels[j], column]
    left = 0.0
    t = behind + forwards
    while t != entry:
        left += table[seen[t] >> SHIFT, column]
        t += forwards
    for j in range(POINTS):
        chance[j] *= own[j]
        stage[j] = left + own[j]
    t += forwards
    stages = 1
    while t != before:
        left += table[seen[t] >> SHIFT, column]
        t += forwards
        multiply_by_sum(stage, own, left)
        stages += 1
        if stages == STAGES:
            divide_by(chance, stage, points)
            stages = 0
    divide_by(chance, stage, points)
