"""Moves of the graders: the type of each is drawn given the quantiles, from all their ballots, and then the weights."""

import math
from typing import NamedTuple

import numpy as np

from peerorder.core.arrays import FloatArray
from peerorder.core.jit import prefetch, subroutine
from peerorder.core.vectors import LANES, pick_each
from peerorder.rules.posterior.assortativity import scatter_of, sums_of, variance_of
from peerorder.rules.posterior.chances import AHEAD, SHIFT, STAGES, TINY, log_chance_of, pick
from peerorder.rules.posterior.grid import LEVELS, Float32Array
from peerorder.rules.posterior.weight_moves import ANCHORS, draw_weights, keep_weights, weight_at

__all__ = ["draw_grader_types", "make_tables"]

# Up to this size the powers of phi for all pairs of a ballot are finite numbers.
SHORT = 16
# A product over this many papers is still a finite number; 64! has 89 digits.
PAPERS_AT_ONCE = 64


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
    # One by one: an assignment of slices compiles for seconds, with the texts of its errors.
    for level in range(len(best)):
        for p in range(picks):
            best[level, p] = grid.best[level, p]
            worst[level, p] = grid.worst[level, p]
    return Tables(powers, norms, best, worst)


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
        papers, degrees_of_freedom, scatter = 0, 0, 0.0
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
                degrees_of_freedom += size - 1
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
                logs[t] += degrees_of_freedom / 2 * math.log(1 + 2 * near * variance) - near * scatter
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
        keep_weights(state.weights, counts, tally.weights[kept])
    draw_weights(grid, state.weights, counts, rng)
