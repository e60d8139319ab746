"""Moves of tied papers: the order that their grader did not tell.

For Mallows types, moves of papers leave pairs within a tie out (the sum over all orders of a tie does not depend on the
quantiles), and the order is then drawn by repeated insertion; for the others it is drawn by offering neighbours to
change places.
"""

import math

import numpy as np

from peerorder.core.jit import subroutine
from peerorder.rules.posterior.chances import log_chance_of

__all__ = ["draw_ties"]


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
