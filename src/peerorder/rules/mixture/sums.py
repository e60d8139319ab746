"""One pass over ballots: what they say about the utilities, the weights of grader types and the spread of utilities.

A type of grader picks papers one after another, best first or worst first, with probabilities proportional to
e^(c x), x the utility of a paper and c the slope of the type. At every stage the papers that are left, besides the one
that is picked, count ``handicap`` times (see ``fit``). Tied papers are picked at one stage (as in ``plackett_luce``).

All sums are additive over graders: those of two parts of the ballots add up to those of both. Sums for papers and for
types are whole numbers of ``UNIT``, so that they are the same to the last bit in any order of graders and for any
parts. Of rounded sums, the steps of ``fit`` would amplify the difference.

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

__all__ = ["BEST", "DOUBLINGS", "SMALLEST", "UNIT", "WIDTH", "Lanes", "accumulate"]

SMALLEST = 1.0
DOUBLINGS = 5
# Utilities count as at most this far from the middle of their ballot: the square of e^(20 * 16) is still a float.
FARTHEST = 20.0
# A power of two: far below every error that matters, and 2^63 of it are far above every sum.
UNIT = 2.0**-32
# A product of this many chances is far from underflow for every type that matters.
LONG = 32
# How many entries ahead papers are sent for: beyond some 100,000 papers they are in no near cache.
AHEAD = 64
# How many types there are with those that only fill up a four, and how many of these pick the best paper first. As
# constants they give loops of a length that the compiler knows.
WIDTH = 16
BEST = 8
FOUR = 4
ZERO, ONE, TWO, THREE = (np.uint64(number) for number in range(4))
MIDDLE, ALL = np.uint64(BEST), np.uint64(WIDTH)
# For every paper and type: its weight e^(c x), but for a factor common to the ballot; one over the sum of weights at
# its stage; and the type's parts in the derivative, the curvature and the mean square of derivatives.
WEIGHT, INVERSE, SLOPE, BEND, SQUARE = (np.uint64(slot * WIDTH) for slot in range(5))
ROW = 5 * WIDTH
# For every type.
HANDICAP, OWN_SLOPE, OWN_WEIGHT, REST, SQUARED, NOW, CHANCE, LOG_CHANCE, MISSED, SHARE, SHARE_SLOPE, SHARE_BEND = (
    np.uint64(slot * WIDTH) for slot in range(12)
)
SLOTS = 12


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
def accumulate(papers, start, levels, owner, begin, end, utility, lanes, by_paper, by_type, by_grader):  # type: ignore[no-untyped-def]
    """Add up what the ballots from ``begin`` to ``end`` say, in place; return -log of their probability.

    ``levels`` is empty where no ballot has ties. Ballots of one grader are adjacent, and ``owner`` tells graders
    apart. For every paper, ``by_paper`` has the derivative of the value by its utility, the curvature as it would be if
    the types of all graders were known, and what it loses because they are not: the variance of the derivative over the
    types of a grader (Louis 1982). For every type, ``by_type`` has how many graders are of it, how often these
    are expected to pick otherwise than they did, and the sum of squares of responsibilities. ``by_grader`` is empty, or
    gets the responsibilities of every grader: how probable each type is, given the grader's ballots.
    """
    size = 0
    for ballot in range(begin, end):
        size = max(size, start[ballot + 1] - start[ballot])
    entries, state, room = np.zeros(size * ROW), state_of(lanes), np.ones(size + 2 * DOUBLINGS + 1)
    found = np.empty((size, 3))
    power = lanes.power
    strict = len(levels) == 0
    value = 0.0
    row = begin
    while row < end:
        last = row + 1
        while last < end and owner[last] == owner[row]:
            last += 1
        for t in range(start[row] + AHEAD, min(start[last] + AHEAD, start[end])):
            prefetch(utility, papers[t])
            prefetch(by_paper, 3 * papers[t])
        in_logs = start[last] - start[row] > LONG
        begin_grader(state)
        for ballot in range(row, last):
            first, size = start[ballot], start[ballot + 1] - start[ballot]
            weigh(papers, first, size, utility, power, entries, room)
            begin_ballot(state)
            if not strict:
                pick_by_level(levels, first, size, entries, state, in_logs)
            elif not in_logs:
                pick(0, size, entries, state)
            else:
                for above in range((size - 1) // LONG * LONG, -1, -LONG):
                    pick(above, min(above + LONG, size), entries, state)
                    take_logs(ZERO, ALL, state)
        value -= conclude(state, in_logs)
        for t in range(ALL):
            share = state[SHARE + t]
            by_type[t, 0] += whole(share)
            by_type[t, 1] += whole(share * state[MISSED + t])
            by_type[t, 2] += whole(share * share)
        if len(by_grader):
            for t in range(ALL):
                by_grader[owner[row], t] = state[SHARE + t]
        for ballot in range(row, last):
            first, size = start[ballot], start[ballot + 1] - start[ballot]
            if last - row > 1:
                # What was found for this ballot has been overwritten by the next ones.
                weigh(papers, first, size, utility, power, entries, room)
                begin_ballot(state)
                if strict:
                    pick(0, size, entries, state)
                else:
                    pick_by_level(levels, first, size, entries, state, False)
            begin_ballot(state)
            if strict:
                derive(size, entries, state)
            else:
                derive_by_level(levels, first, size, entries, state)
            for i in range(size):
                add_up(np.uint64(i * ROW), np.uint64((size - 1 - i) * ROW), entries, found, i)
            # One after another, so that the processor can wait for several at once.
            for i in range(size):
                paper = np.uint32(papers[first + i])
                by_paper[paper, 0] += whole(found[i, 0])
                by_paper[paper, 1] += whole(found[i, 1])
                by_paper[paper, 2] += whole(found[i, 2])
        row = last
    return value


@subroutine
def whole(number):  # type: ignore[no-untyped-def]
    """The number in units."""
    return np.int64(number * (1 / UNIT))


@subroutine
def state_of(lanes):  # type: ignore[no-untyped-def]
    """The state, with what is known of every type.

    Reading that from arrays of their own would count references to them, for every ballot and between threads.
    """
    state = np.zeros(SLOTS * WIDTH)
    for t in range(ALL):
        state[HANDICAP + t] = lanes.handicap[t]
        state[OWN_SLOPE + t] = lanes.slope[t]
        state[OWN_WEIGHT + t] = lanes.weight[t]
    return state


@subroutine
def begin_grader(state):  # type: ignore[no-untyped-def]
    """Nothing is known of the grader yet."""
    for t in range(ALL):
        state[CHANCE + t] = 1.0
        state[LOG_CHANCE + t] = 0.0
        state[MISSED + t] = 0.0


@subroutine
def begin_ballot(state):  # type: ignore[no-untyped-def]
    """Nothing is picked yet, from either end."""
    for t in range(ALL):
        state[REST + t] = 0.0
        state[SQUARED + t] = 0.0


@subroutine
def conclude(state, in_logs):  # type: ignore[no-untyped-def]
    """Find the responsibilities from the chances of all ballots of a grader; return the log of their probability."""
    top = 0.0
    if in_logs:
        take_logs(ZERO, ALL, state)
        top = -np.inf
        for t in range(ALL):
            if state[OWN_WEIGHT + t] > 0:
                top = max(top, state[LOG_CHANCE + t])
        for t in range(ALL):
            state[CHANCE + t] = math.exp(state[LOG_CHANCE + t] - top)
    sum_ = 0.0
    for t in range(ALL):
        sum_ += state[CHANCE + t] * state[OWN_WEIGHT + t]
    scale = 1 / sum_
    for t in range(ALL):
        share = state[CHANCE + t] * state[OWN_WEIGHT + t] * scale
        state[SHARE + t] = share
        state[SHARE_SLOPE + t] = share * state[OWN_SLOPE + t]
        state[SHARE_BEND + t] = share * state[OWN_SLOPE + t] * state[OWN_SLOPE + t]
    return top + math.log(sum_)


@subroutine
def weigh(papers, first, size, utility, power, entries, room):  # type: ignore[no-untyped-def]
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
        for doubling in range(1, DOUBLINGS + 1):
            room[doubling] = rising
            room[DOUBLINGS + doubling] = falling
            rising *= rising
            falling *= falling
        base = np.uint64(i * ROW)
        for t in range(MIDDLE):
            entries[base + t] = room[np.uint64(power[t])]
        base = np.uint64((size - 1 - i) * ROW)
        for t in range(MIDDLE, ALL):
            entries[base + t] = room[np.uint64(power[t])]


@subroutine
def pick(above, below, entries, state):  # type: ignore[no-untyped-def]
    """Go through stages of a ballot, up from the one above ``below``, and multiply the chances."""
    for i in range(below - 1, above - 1, -1):
        pick_one(np.uint64(i * ROW), ZERO, ALL, entries, state)


@subroutine
def pick_by_level(levels, first, size, entries, state, in_logs):  # type: ignore[no-untyped-def]
    """The same for all stages where papers may be tied, so that stages differ between the families."""
    for begin, end in ((ZERO, MIDDLE), (MIDDLE, ALL)):
        last = size
        while last > 0:
            i = last - 1
            while i > 0 and level_of(levels, first, size, i - 1, begin) == level_of(levels, first, size, i, begin):
                i -= 1
            if last - i == 1:
                pick_one(np.uint64(i * ROW), begin, end, entries, state)
            else:
                pick_several(i, last - i, begin, end, entries, state, in_logs)
            if in_logs:
                take_logs(begin, end, state)
            last = i


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
def level_of(levels, first, size, i, begin):  # type: ignore[no-untyped-def]
    """The level of the i-th paper that types of this family pick."""
    return levels[first + i] if begin == ZERO else levels[first + size - 1 - i]


@subroutine
def derive(size, entries, state):  # type: ignore[no-untyped-def]
    """Find the part of each type in the derivative and the curvature of each paper of a ballot."""
    for i in range(size):
        derive_one(np.uint64(i * ROW), ZERO, ALL, entries, state)


@subroutine
def derive_by_level(levels, first, size, entries, state):  # type: ignore[no-untyped-def]
    """The same where papers may be tied, so that stages differ between the families."""
    for begin, end in ((ZERO, MIDDLE), (MIDDLE, ALL)):
        i = 0
        while i < size:
            last = i + 1
            while last < size and level_of(levels, first, size, last, begin) == level_of(levels, first, size, i, begin):
                last += 1
            if last - i == 1:
                derive_one(np.uint64(i * ROW), begin, end, entries, state)
            else:
                derive_several(i, last - i, begin, end, entries, state)
            i = last


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
