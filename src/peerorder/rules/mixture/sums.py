"""One pass over ballots: what they say about the utilities, the weights of grader types and the spread of utilities.

A type of grader picks papers one after another, best first or worst first, with probabilities proportional to
e^(c x), x the utility of a paper and c the slope of the type. At every stage the papers that are left, besides the one
that is picked, count ``handicap`` times (see ``fit``). Tied papers are picked at one stage (as in ``plackett_luce``).

All sums are additive over graders: those of two parts of the ballots add up to those of both.

The speed. Slopes are 0 or powers of two times ``SMALLEST``, so one exponential per ranked paper and its squares
give the paper's weights under all types. The chance of a ballot is a product over stages and needs no logarithm: where
it underflows, the type has no share in the grader anyway, because ranking at random has a chance that does not. Beyond
``LONG`` papers per grader there are logarithms. Types are the innermost loops, which compile to vectors: all that a
loop needs is in two arrays, ``entries`` and ``state``, at distances that the compiler knows, so that it need not fear
that they overlap, and all indices are unsigned, so that none counts from the end. Both stay in the nearest cache.
"""

import math
from typing import NamedTuple

import numpy as np

from peerorder.core.arrays import FloatArray, IntArray
from peerorder.core.jit import kernel, prefetch, subroutine

__all__ = ["BEST", "DOUBLINGS", "SMALLEST", "WIDTH", "Lanes", "accumulate", "responsibilities"]

SMALLEST = 0.5
DOUBLINGS = 6
# Utilities count as at most this far from the middle of their ballot: the square of e^(20 * 16) is still a float.
FARTHEST = 20.0
# A product of this many chances is far from underflow for every type that matters.
LONG = 32
# How many entries ahead papers are sent for: beyond some 100,000 papers they are in no near cache.
AHEAD = 64
# How many types there are with those that only fill up a four, and how many of them pick the best paper first. As
# constants they give loops of a length that the compiler knows.
WIDTH = 20
BEST = 12
FOUR = 4
ZERO, ONE, TWO, THREE = (np.uint64(number) for number in range(4))
MIDDLE, ALL = np.uint64(BEST), np.uint64(WIDTH)
# For every paper and type: its weight e^(c x), but for a factor common to the ballot; one over the sum of weights at
# its stage; and the type's parts in the derivative, the curvature and the mean square of derivatives.
WEIGHT, INVERSE, SLOPE, BEND, SQUARE = (np.uint64(slot * WIDTH) for slot in range(5))
ROW = 5 * WIDTH
# For every type.
HANDICAP, REST, SQUARED, NOW, CHANCE, LOG_CHANCE, MISSED, SHARE, SHARE_SLOPE, SHARE_BEND = (
    np.uint64(slot * WIDTH) for slot in range(10)
)


class Lanes(NamedTuple):
    """Types of graders side by side: first those that pick the best paper first, then the others."""

    slope: FloatArray
    """c; 0 for graders who rank at random."""
    power: IntArray
    """Which power of the smallest weight a type takes: 0 for none, then the rising and the falling ones."""
    handicap: FloatArray
    weight: FloatArray
    """The share of each type in the class; 0 for those that only fill up a four."""


@kernel
def accumulate(papers, start, levels, owner, begin, end, utility, lanes, by_paper, by_type):  # type: ignore[no-untyped-def]
    """Add up what the ballots from ``begin`` to ``end`` say, in place; return -log of their probability.

    ``levels`` is empty where no ballot has ties. Ballots of one grader are adjacent, and ``owner`` tells graders
    apart. For every paper, ``by_paper`` has the derivative of the value by its utility, the curvature as it would be if
    the types of all graders were known, and what it loses because they are not: the variance of the derivative over the
    types of a grader (Louis 1982). For every type, ``by_type`` has how many graders are of it, how often these
    are expected to pick otherwise than they did, and the sum of squares of responsibilities.
    """
    size = largest(start, begin, end)
    entries, state, room = np.zeros(size * ROW), np.zeros(10 * WIDTH), np.ones(size + 2 * DOUBLINGS + 1)
    found = np.empty((size, 3))
    value = 0.0
    row = begin
    while row < end:
        last = next_grader(owner, row, end)
        for t in range(start[row] + AHEAD, min(start[last] + AHEAD, start[end])):
            prefetch(utility, papers[t])
            prefetch(by_paper, 3 * papers[t])
        value -= judge(papers, start, levels, row, last, utility, lanes, entries, state, room)
        for t in range(ALL):
            share = state[SHARE + t]
            by_type[t, 0] += share
            by_type[t, 1] += share * state[MISSED + t]
            by_type[t, 2] += share * share
        for ballot in range(row, last):
            first, size = start[ballot], start[ballot + 1] - start[ballot]
            if last - row > 1:
                weigh(papers, first, size, utility, lanes, entries, room)
                pick(levels, first, size, entries, state, False)
            derive(levels, first, size, entries, state)
            for i in range(size):
                add_up(np.uint64(i * ROW), np.uint64((size - 1 - i) * ROW), entries, found, i)
            # One after another, so that the processor can wait for several at once.
            for i in range(size):
                paper = np.uint32(papers[first + i])
                by_paper[paper, 0] += found[i, 0]
                by_paper[paper, 1] += found[i, 1]
                by_paper[paper, 2] += found[i, 2]
        row = last
    return value


@kernel
def responsibilities(papers, start, levels, owner, begin, end, utility, lanes, by_grader):  # type: ignore[no-untyped-def]
    """Put the probability of every type, given a grader's ballots, into the grader's row of ``by_grader``."""
    size = largest(start, begin, end)
    entries, state, room = np.zeros(size * ROW), np.zeros(10 * WIDTH), np.ones(size + 2 * DOUBLINGS + 1)
    row = begin
    while row < end:
        last = next_grader(owner, row, end)
        judge(papers, start, levels, row, last, utility, lanes, entries, state, room)
        for t in range(ALL):
            by_grader[owner[row], t] = state[SHARE + t]
        row = last


@subroutine
def largest(start, begin, end):  # type: ignore[no-untyped-def]
    """The size of the largest ballot."""
    size = 0
    for row in range(begin, end):
        size = max(size, start[row + 1] - start[row])
    return size


@subroutine
def next_grader(owner, row, end):  # type: ignore[no-untyped-def]
    """The first ballot behind those of the grader of this one."""
    last = row + 1
    while last < end and owner[last] == owner[row]:
        last += 1
    return last


@subroutine
def judge(papers, start, levels, row, last, utility, lanes, entries, state, room):  # type: ignore[no-untyped-def]
    """Find the responsibilities for the grader of these ballots; return the log probability of the ballots."""
    for t in range(ALL):
        state[HANDICAP + t] = lanes.handicap[t]
        state[CHANCE + t] = 1.0
        state[LOG_CHANCE + t] = 0.0
        state[MISSED + t] = 0.0
    in_logs = start[last] - start[row] > LONG
    for ballot in range(row, last):
        first, size = start[ballot], start[ballot + 1] - start[ballot]
        weigh(papers, first, size, utility, lanes, entries, room)
        pick(levels, first, size, entries, state, in_logs)
    top = 0.0
    if in_logs:
        take_logs(ZERO, ALL, state)
        top = -np.inf
        for t in range(ALL):
            if lanes.weight[t] > 0:
                top = max(top, state[LOG_CHANCE + t])
        for t in range(ALL):
            state[CHANCE + t] = math.exp(state[LOG_CHANCE + t] - top)
    sum_ = 0.0
    for t in range(ALL):
        sum_ += state[CHANCE + t] * lanes.weight[t]
    scale = 1 / sum_
    for t in range(ALL):
        share = state[CHANCE + t] * lanes.weight[t] * scale
        state[SHARE + t] = share
        state[SHARE_SLOPE + t] = share * lanes.slope[t]
        state[SHARE_BEND + t] = share * lanes.slope[t] * lanes.slope[t]
    return top + math.log(sum_)


@subroutine
def weigh(papers, first, size, utility, lanes, entries, room):  # type: ignore[no-untyped-def]
    """Find the weights of the papers of a ballot, in the order in which each type picks them.

    ``room`` holds the powers of one weight, and then the utilities.
    """
    begin = 2 * DOUBLINGS + 1
    low, high = np.inf, -np.inf
    for i in range(size):
        x = utility[np.uint32(papers[first + i])]
        room[begin + i] = x
        low, high = min(low, x), max(high, x)
    middle = (low + high) / 2
    for i in range(size):
        rising = math.exp(SMALLEST * min(max(room[begin + i] - middle, -FARTHEST), FARTHEST))
        falling = 1 / rising
        for power in range(1, DOUBLINGS + 1):
            room[power] = rising
            room[DOUBLINGS + power] = falling
            rising *= rising
            falling *= falling
        base = np.uint64(i * ROW)
        for t in range(MIDDLE):
            entries[base + t] = room[np.uint64(lanes.power[t])]
        base = np.uint64((size - 1 - i) * ROW)
        for t in range(MIDDLE, ALL):
            entries[base + t] = room[np.uint64(lanes.power[t])]


@subroutine
def pick(levels, first, size, entries, state, in_logs):  # type: ignore[no-untyped-def]
    """Go through the stages of a ballot from the last to the first, and multiply the chances."""
    for t in range(ALL):
        state[REST + t] = 0.0
    if len(levels) == 0:
        for i in range(size - 1, -1, -1):
            pick_one(np.uint64(i * ROW), ZERO, ALL, entries, state)
            if in_logs and i % LONG == 0:
                take_logs(ZERO, ALL, state)
        return
    for begin, end in ((ZERO, MIDDLE), (MIDDLE, ALL)):
        i = size - 1
        while i >= 0:
            tied = count_tied(levels, first, size, i, begin == ZERO)
            i -= tied
            if tied == 1:
                pick_one(np.uint64((i + 1) * ROW), begin, end, entries, state)
            else:
                pick_several(i + 1, tied, begin, end, entries, state, in_logs)
            if in_logs:
                take_logs(begin, end, state)


@subroutine
def pick_one(base, begin, end, entries, state):  # type: ignore[no-untyped-def]
    """Pick the paper of this row."""
    for t in range(begin, end):
        weight = entries[base + WEIGHT + t]
        now = 1 / (weight + state[HANDICAP + t] * state[REST + t])
        entries[base + INVERSE + t] = now
        state[REST + t] += weight
        state[CHANCE + t] *= weight * now
        state[MISSED + t] += 1 - weight * now


@subroutine
def pick_several(i, tied, begin, end, entries, state, in_logs):  # type: ignore[no-untyped-def]
    """Pick the tied papers of these rows at one stage."""
    for t in range(begin, end):
        level = 0.0
        for row in range(i, i + tied):
            level += entries[np.uint64(row * ROW) + WEIGHT + t]
        now = 1 / (level + state[HANDICAP + t] * state[REST + t])
        state[NOW + t] = now
        state[REST + t] += level
        state[MISSED + t] += tied * (1 - level * now)
    for row in range(i, i + tied):
        base = np.uint64(row * ROW)
        for t in range(begin, end):
            entries[base + INVERSE + t] = state[NOW + t]
            state[CHANCE + t] *= entries[base + WEIGHT + t] * state[NOW + t]
        if in_logs:
            take_logs(begin, end, state)


@subroutine
def take_logs(begin, end, state):  # type: ignore[no-untyped-def]
    """Move the chances into their logarithms."""
    for t in range(begin, end):
        state[LOG_CHANCE + t] += np.log(state[CHANCE + t])
        state[CHANCE + t] = 1.0


@subroutine
def count_tied(levels, first, size, i, best_first):  # type: ignore[no-untyped-def]
    """How many papers, up to the i-th that is picked, are on its level."""
    tied = 1
    if best_first:
        while tied <= i and levels[first + i - tied] == levels[first + i]:
            tied += 1
    else:
        last = first + size - 1
        while tied <= i and levels[last - i + tied] == levels[last - i]:
            tied += 1
    return tied


@subroutine
def derive(levels, first, size, entries, state):  # type: ignore[no-untyped-def]
    """Find the part of each type in the derivative and the curvature of each paper of a ballot."""
    for t in range(ALL):
        state[REST + t] = 0.0
        state[SQUARED + t] = 0.0
    if len(levels) == 0:
        for i in range(size):
            derive_one(np.uint64(i * ROW), ZERO, ALL, entries, state)
        return
    for begin, end in ((ZERO, MIDDLE), (MIDDLE, ALL)):
        i = 0
        while i < size:
            tied = 1
            while i + tied < size and count_tied(levels, first, size, i + tied, begin == ZERO) > tied:
                tied += 1
            if tied == 1:
                derive_one(np.uint64(i * ROW), begin, end, entries, state)
            else:
                derive_several(i, tied, begin, end, entries, state)
            i += tied


@subroutine
def derive_one(base, begin, end, entries, state):  # type: ignore[no-untyped-def]
    """Find the parts in the paper of this row."""
    for t in range(begin, end):
        weight, now = entries[base + WEIGHT + t], entries[base + INVERSE + t]
        chance = weight * (state[REST + t] + now)
        squares = weight * weight * (state[SQUARED + t] + now * now)
        entries[base + SLOPE + t] = state[SHARE_SLOPE + t] * (chance - 1)
        entries[base + BEND + t] = state[SHARE_BEND + t] * (chance - squares)
        entries[base + SQUARE + t] = state[SHARE_BEND + t] * (chance - 1) * (chance - 1)
        now *= state[HANDICAP + t]
        state[REST + t] += now
        state[SQUARED + t] += now * now


@subroutine
def derive_several(i, tied, begin, end, entries, state):  # type: ignore[no-untyped-def]
    """Find the parts in the tied papers of these rows."""
    for row in range(i, i + tied):
        base = np.uint64(row * ROW)
        for t in range(begin, end):
            weight, now = entries[base + WEIGHT + t], entries[base + INVERSE + t]
            chance = weight * (state[REST + t] + tied * now)
            squares = weight * weight * (state[SQUARED + t] + tied * now * now)
            entries[base + SLOPE + t] = state[SHARE_SLOPE + t] * (chance - 1)
            entries[base + BEND + t] = state[SHARE_BEND + t] * (chance - squares)
            entries[base + SQUARE + t] = state[SHARE_BEND + t] * (chance - 1) * (chance - 1)
    base = np.uint64(i * ROW)
    for t in range(begin, end):
        now = entries[base + INVERSE + t] * state[HANDICAP + t]
        state[REST + t] += tied * now
        state[SQUARED + t] += tied * now * now


@subroutine
def add_up(base, mirrored, entries, found, i):  # type: ignore[no-untyped-def]
    """Add up the parts of all types in a paper, which is in one row for best first and in another for worst first.

    Four at a time, which compiles to vectors: the compiler would not change the order of a sum.
    """
    for column in range(3):
        slot = SLOPE + np.uint64(column * WIDTH)
        a, b, c, d = 0.0, 0.0, 0.0, 0.0
        for begin, end, row in ((ZERO, MIDDLE, base), (MIDDLE, ALL, mirrored)):
            for t in range(begin, end, np.uint64(FOUR)):
                at = row + slot + t
                a += entries[at]
                b += entries[at + ONE]
                c += entries[at + TWO]
                d += entries[at + THREE]
        found[i, column] = (a + b) + (c + d)
    found[i, 2] -= found[i, 0] * found[i, 0]
