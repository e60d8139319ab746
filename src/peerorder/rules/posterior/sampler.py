"""The sampler's kernels: one chain that walks through orders of the papers and types of the graders.

The model. Paper i stands at a quantile x_i, uniform and independent beforehand; grader g is of a type z_g of the
``grid``, drawn from weights that have a Dirichlet prior; their ballots are drawn from their type's law at the
quantiles. A sweep of the chain:

1. *Types*: draw z_g given the quantiles, for every grader, from all their ballots; then the weights. Where quality is
   tied to place, there are weights at five anchors along the quantiles, and an author's are interpolated at their
   own paper; in addition there is one set for graders who wrote nothing.
2. *Assortativity*: where pairs are chosen adaptively, similar papers meet, and the pairing itself is evidence. Without
   that, papers that were compared look too similar for sharp graders, everybody is taken for a poor one,
   and a paper that held its own among the best is put in the middle. So the bundle of a grader of sharpness
   a is drawn with probability proportional to e^(-c a^2 S), S the sum of squares of its utilities around their
   mean, which makes a ballot of k papers worth (1 + 2 c a^2 v)^((k-1)/2) e^(-c a^2 S), v the variance of the
   utilities of all papers on ballots. c is drawn from a short list; bundles handed out at random give 0, and
   then it costs nothing.
3. *Papers*: every paper in turn moves to one of ``POINTS`` places on a lattice around it that has a random offset,
   drawn from its conditional law there (griddy Gibbs; Ritter, Tanner 1992). For a Mallows ballot each paper on it adds
   a step to the logarithm; for one on which papers are picked, only the stages up to the paper's own depend on its
   strength, and the others' strengths at these are sums that do not. Assortativity and authors' weights accept or
   reject the draw (Hastings 1970). The lattice widens or narrows for each paper while warming up.

4. *Ties*: tied papers are in an order that the grader did not tell. For Mallows types, moves of papers leave pairs
   within a tie out (the sum over all orders of a tie does not depend on the quantiles), and the order is then drawn
   by repeated insertion; for the others it is drawn by offering neighbours to change places.

Papers at one quantile, of which there are few, count as a pair that is the less probable way round: if both
ways were right, ballots that contradict each other would draw papers together.

The memory. What a move needs are the quantiles of all papers on the ballots of one paper. They are kept in the
ballots, two bytes each, so that a ballot of eight is a quarter of a cache line: a move touches as many
lines as the paper has ballots. Accepted moves write to the same lines. Beyond some 100,000 papers these lines are no
longer in any cache, and they are in no order that the processor could guess, so they are sent for in advance.

All kernels are in this one file, because numba's cache does not notice when a kernel of another file changes.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from peerorder.core.arrays import FloatArray
from peerorder.core.jit import kernel, prefetch, subroutine
from peerorder.core.vectors import LANES, add_beyond, divide_by, exponentiate, multiply_by_sum, pick_each
from peerorder.rules.posterior.grid import LEVELS, Float32Array

__all__ = ["ANCHORS", "WIDEST", "State", "Tally", "run"]

# From one of the LEVELS to one of the UTILITIES.
SHIFT = 4
# Along the quantiles, where quality is tied to place.
ANCHORS = 5
POINTS = LANES
WIDEST = LEVELS // POINTS
# The share of moves that span all quantiles, so that no paper is caught.
FAR = 0.03
# The standard deviation that the law of a paper should have on its lattice, in points.
SPREAD = 0.6
# The power of the ratio of what it has to that, by which the lattice widens.
STEP = 0.5
# Up to this size the powers of phi for all pairs of a ballot are finite numbers.
SHORT = 16
# A product over this many papers is still a finite number; 64! has 89 digits.
PAPERS_AT_ONCE = 64
TINY = 1e-300
# How often a share of backwards types beyond the bound is drawn again before the old one stays.
TRIES = 20
# A product over this many stages is a finite number however sharp a grader is: 3e25 is the largest strength.
STAGES = 8
# Ballots are fetched this many papers or graders before their turn.
AHEAD = 2


class State(NamedTuple):
    """One chain, changed in place."""

    x: NDArray[np.uint16]
    """The quantile of every paper."""
    seen: NDArray[np.uint16]
    """The quantile of the paper at every entry."""
    entry: NDArray[np.int32]
    """The entry of every slot; changes where ties are drawn."""
    slot: NDArray[np.int32]
    """The slot of every entry."""
    grader_type: NDArray[np.int8]
    """The type of every ballot's grader."""
    width: Float32Array
    """The distance of lattice points, for every paper."""
    weights: FloatArray
    """The weights of the types: for those who wrote nothing or everybody, then at the anchors."""
    assortativity: FloatArray
    """One number: the present assortativity of the papers on one ballot."""


class Tally(NamedTuple):
    """What a chain leaves behind."""

    sums: FloatArray
    """The sum of every paper's places, in the first and second half."""
    squares: FloatArray
    """The sum of their squares."""
    surplus: Float32Array
    """The sum of how many places every paper was higher than its moves would put it on average."""
    places: NDArray[np.unsignedinteger]
    """The places of all papers in the sweeps that are kept."""
    evidence: Float32Array
    """log Pr[the ballots of every grader] in the sweeps that are kept, over all types."""
    quantiles: NDArray[np.uint16]
    """The quantiles of all papers in the sweeps that are kept; of none where there are many papers."""
    weights: Float32Array
    """The weights of the types in the sweeps that are kept; where quality is tied to place, their means along it."""
    grader_types: Float32Array
    """The probabilities of every grader's types, summed over the sweeps that are kept."""
    assortativity: NDArray[np.int64]
    """One number: the sweeps in which papers on one ballot were more similar than by chance."""


class Tables(NamedTuple):
    """Tables of the grid in the form that draws of types read."""

    powers: FloatArray
    """phi to the number of wrong pairs, by that number and Mallows type."""
    norms: FloatArray
    """One over Mallows' normalising constant, by size of ballot and type."""
    best: Float32Array
    """Those of the grid, with as many columns as there are lanes."""
    worst: Float32Array


@kernel
def run(layout, grid, state, tally, sweeps, adapting, tallying, tied_to_place, rng):  # type: ignore[no-untyped-def]
    """Run ``sweeps`` sweeps; if ``tallying``, tally all, and keep as many draws as the tally has room for."""
    draws = len(tally.places) if tallying else 0
    order = np.empty((2, len(state.x)), np.int32)
    tables = make_tables(grid)
    draw_grader_types(layout, grid, tables, state, tally, -1, tied_to_place, rng)
    for turn in range(sweeps):
        kept = turn * draws // sweeps
        if (turn + 1) * draws // sweeps == kept:
            kept = -1
        half = 1 if 2 * turn >= sweeps else 0
        freedom = draw_assortativity(layout, grid, state, rng)
        surplus = tally.surplus[half, : len(state.x) if tallying else 0]
        move_papers(layout, grid, state, freedom, surplus, turn < adapting, tied_to_place, rng)
        draw_ties(layout, grid, state, rng)
        draw_grader_types(layout, grid, tables, state, tally, kept, tied_to_place, rng)
        if tallying:
            tally_places(state.x, order, tally, half, kept)
            tally.assortativity[0] += state.assortativity[0] > 0


# What a ballot says.


@subroutine
def log_chance_of(best, worst, seen, begin, end, column):  # type: ignore[no-untyped-def]
    """Give log Pr[ballot] when papers are picked one by one: the best first, or from the columns behind, the worst."""
    best_first = column < best.shape[1]
    left = np.float32(0)
    chance, log_chance = 1.0, 0.0
    for c in range(end - begin):
        if best_first:
            strength = best[seen[end - 1 - c] >> SHIFT, column]
        else:
            strength = worst[seen[begin + c] >> SHIFT, column - best.shape[1]]
        left += strength
        chance *= strength / left
        if chance < 1e-200:
            log_chance += math.log(max(chance, TINY))
            chance = 1.0
    return log_chance + math.log(chance)


@subroutine
def pick(chance, total, rng):  # type: ignore[no-untyped-def]
    """An index with probability in proportion to ``chance``."""
    u = rng.random() * total
    t = 0
    while t < len(chance) - 1 and u >= chance[t]:
        u -= chance[t]
        t += 1
    # Where rounding leads behind the last that can be.
    while chance[t] <= 0 and t > 0:
        t -= 1
    return t


# Types of graders.


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
    draw_weights(grid.populations, grid.backwards, grid.most_backwards, state.weights, counts, rng)


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
def draw_weights(populations, is_backwards, most_backwards, weights, counts, rng):  # type: ignore[no-untyped-def]
    """Draw the weights given how many graders are of each type, with a bound on those who rank backwards.

    First the population, with the weights integrated out: that of a Dirichlet prior gives counts n_t a probability in
    proportion to the product of Gamma(p_t + n_t) / Gamma(p_t).

    The weights within the two groups do not depend on the groups' shares, so only the share is drawn again
    where it is beyond the bound; if that does not help, the old one stays, which is legal too.
    """
    chance = np.empty(len(populations))
    for p in range(len(populations)):
        chance[p] = log_chance_of_counts(populations[p], counts)
    top = chance.max()
    total = 0.0
    for p in range(len(populations)):
        chance[p] = math.exp(chance[p] - top)
        total += chance[p]
    prior = populations[pick(chance, total, rng)]
    for row in range(len(weights)):
        old, forwards, backwards, worth_forwards, worth_backwards = 0.0, 0.0, 0.0, 0.0, 0.0
        for t in range(weights.shape[1]):
            prior_weight = prior[t] + counts[row, t]
            drawn = max(rng.standard_gamma(prior_weight), 1e-30)
            if is_backwards[t]:
                old += weights[row, t]
                backwards += drawn
                worth_backwards += prior_weight
            else:
                forwards += drawn
                worth_forwards += prior_weight
            weights[row, t] = drawn
        share = backwards / (forwards + backwards)
        tries = 0
        while share > most_backwards:
            one, other = rng.standard_gamma(worth_backwards), rng.standard_gamma(worth_forwards)
            share = one / (one + other) if tries < TRIES else old
            tries += 1
            if tries > TRIES:
                break
        for t in range(weights.shape[1]):
            if is_backwards[t]:
                weights[row, t] *= share / backwards
            else:
                weights[row, t] *= (1 - share) / forwards


@subroutine
def log_chance_of_counts(prior, counts):  # type: ignore[no-untyped-def]
    """Give log Pr[counts] when the weights of every row are drawn from the same Dirichlet prior."""
    log_chance, whole = 0.0, prior.sum()
    for row in range(len(counts)):
        for t in range(len(prior)):
            if counts[row, t] > 0:
                log_chance += math.lgamma(prior[t] + counts[row, t]) - math.lgamma(prior[t])
        log_chance -= math.lgamma(whole + counts[row].sum()) - math.lgamma(whole)
    return log_chance


# Assortativity of the papers on one ballot.


@subroutine
def draw_assortativity(layout, grid, state, rng):  # type: ignore[no-untyped-def]
    """Draw the assortativity of the papers on one ballot; return the freedom of every type's ballots."""
    freedom = np.zeros(len(grid.squares))
    state.assortativity[0] = grid.assortativity[0]
    if len(grid.assortativity) < 2 and grid.assortativity[0] == 0:
        return freedom
    scatter = np.zeros(len(grid.squares))
    for ballot in range(len(layout.start) - 1):
        begin, end = layout.start[ballot], layout.start[ballot + 1]
        if end - begin > 1 and grid.squares[state.grader_type[ballot]] > 0:
            scatter[state.grader_type[ballot]] += scatter_of(grid.utility, state.seen, begin, end)
            freedom[state.grader_type[ballot]] += end - begin - 1
    sum_, squares = sums_of(layout.first, grid.utility, state.x)
    variance = variance_of(sum_, squares, layout.ranked)
    chance = np.empty(len(grid.assortativity))
    for c in range(len(grid.assortativity)):
        chance[c] = grid.log_assortativity[c]
        for t in range(len(freedom)):
            near = grid.assortativity[c] * grid.squares[t]
            chance[c] += freedom[t] / 2 * math.log(1 + 2 * near * variance) - near * scatter[t]
    top, total = chance[0], 0.0
    for c in range(len(grid.assortativity)):
        top = max(top, chance[c])
    for c in range(len(grid.assortativity)):
        chance[c] = math.exp(chance[c] - top)
        total += chance[c]
    state.assortativity[0] = grid.assortativity[pick(chance, total, rng)]
    return freedom


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
def gain_by_assortativity(layout, grid, state, freedom, i, there, sum_, squares):  # type: ignore[no-untyped-def]
    """What a move adds to the log probability of the bundles, and the sums of utilities after it."""
    assortativity = state.assortativity[0]
    old, new = grid.utility[state.x[i] >> SHIFT], grid.utility[there >> SHIFT]
    new_sum, new_squares = sum_ + new - old, squares + new * new - old * old
    before_variance = variance_of(sum_, squares, layout.ranked)
    after_variance = variance_of(new_sum, new_squares, layout.ranked)
    gain = 0.0
    for t in range(len(freedom)):
        if freedom[t] > 0:
            near = 2 * assortativity * grid.squares[t]
            gain += freedom[t] / 2 * math.log((1 + near * after_variance) / (1 + near * before_variance))
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


# Ties.


@subroutine
def draw_ties(layout, grid, state, rng):  # type: ignore[no-untyped-def]
    """Draw the orders that graders of Mallows types did not tell, and offer swaps to those of other types."""
    seen = state.seen
    longest = 0
    for c in range(len(layout.ties)):
        longest = max(longest, layout.ties[c, 1] - layout.ties[c, 0])
    slots, values = np.empty(longest, np.int32), np.empty(longest, np.uint16)
    for c in range(len(layout.ties)):
        begin, end = layout.ties[c, 0], layout.ties[c, 1]
        ballot = layout.ballot[state.slot[begin]]
        grader_type = state.grader_type[ballot]
        if grader_type < len(grid.log_phi):
            insert_ties(seen, state.entry, state.slot, begin, end, grid.log_phi[grader_type], slots, values, rng)
            continue
        first, last, column = layout.start[ballot], layout.start[ballot + 1], grader_type - len(grid.log_phi)
        old = log_chance_of(grid.best, grid.worst, seen, first, last, column)
        for t in range(begin, end - 1):
            seen[t], seen[t + 1] = seen[t + 1], seen[t]
            new = log_chance_of(grid.best, grid.worst, seen, first, last, column)
            # Halfway between always and never where nothing changes, so that swaps do not go round in a circle.
            if rng.random() < 1 / (1 + math.exp(min(old - new, 500.0))):
                state.slot[t], state.slot[t + 1] = state.slot[t + 1], state.slot[t]
                state.entry[state.slot[t]], state.entry[state.slot[t + 1]] = t, t + 1
                old = new
            else:
                seen[t], seen[t + 1] = seen[t + 1], seen[t]


@subroutine
def insert_ties(seen, entry, slot_of, begin, end, log_phi, slots, values, rng):  # type: ignore[no-untyped-def]
    """Draw the order of one tie from Mallows' law by repeated insertion: the best first, each next one from the end."""
    size = end - begin
    for t in range(size):
        slots[t] = slot_of[begin + t]
    # By falling quantile; ties are short.
    for t in range(1, size):
        slot, j = slots[t], t
        while j > 0 and seen[entry[slots[j - 1]]] < seen[entry[slot]]:
            slots[j] = slots[j - 1]
            j -= 1
        slots[j] = slot
    ratio = math.exp(-abs(log_phi))
    total, power = 0.0, 1.0
    for t in range(size):
        total += power
        power *= ratio
        u = rng.random() * total
        far, term = 0, 1.0
        while far < t and u >= term:
            u -= term
            term *= ratio
            far += 1
        # Graders who rank backwards insert from the front.
        at = t - far if log_phi <= 0 else far
        slot = slots[t]
        for j in range(t, at, -1):
            slots[j] = slots[j - 1]
        slots[at] = slot
    # The quantiles move with the papers; they are read from the old entries before these are overwritten.
    for t in range(size):
        values[t] = seen[entry[slots[t]]]
    for t in range(size):
        seen[begin + t] = values[t]
        slot_of[begin + t] = slots[t]
        entry[slots[t]] = begin + t


# Places of papers.


@subroutine
def move_papers(layout, grid, state, freedom, surplus, adapting, tied_to_place, rng):  # type: ignore[no-untyped-def]
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
    new_sum, new_squares = sum_, squares
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
        ratio = 1.0
        if assortativity > 0 and begin < end:
            gain, new_sum, new_squares = gain_by_assortativity(layout, grid, state, freedom, i, there, sum_, squares)
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


# What is noted.


@subroutine
def tally_places(x, order, tally, half, kept):  # type: ignore[no-untyped-def]
    """Note the place of every paper, from 0; papers at one quantile share the mean of theirs."""
    sort_by_quantile(x, order)
    n = len(x)
    begin = 0
    while begin < n:
        end = begin + 1
        while end < n and x[order[0, end]] == x[order[0, begin]]:
            end += 1
        # The order rises and places fall.
        place = n - 0.5 * (begin + end + 1)
        for t in range(begin, end):
            i = order[0, t]
            tally.sums[half, i] += place
            tally.squares[half, i] += place * place
            if kept >= 0:
                tally.places[kept, i] = np.int64(place)
        begin = end
    if kept >= 0 and tally.quantiles.shape[1] == n:
        for i in range(n):
            tally.quantiles[kept, i] = x[i]


@subroutine
def sort_by_quantile(x, order):  # type: ignore[no-untyped-def]
    """Put the papers by rising quantile into ``order[0]``: by the low byte, then by the high one."""
    counts = np.empty(257, np.int64)
    for turn in range(2):
        for byte in range(257):
            counts[byte] = 0
        for i in range(len(x)):
            counts[((x[i] >> (8 * turn)) & 255) + 1] += 1
        for byte in range(256):
            counts[byte + 1] += counts[byte]
        for t in range(len(x)):
            i = t if turn == 0 else order[1, t]
            byte = (x[i] >> (8 * turn)) & 255
            order[1 - turn, counts[byte]] = i
            counts[byte] += 1
