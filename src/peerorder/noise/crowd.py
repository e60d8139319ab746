"""Graders who do not follow the model: they rank at random, backwards, for their team, or not at all.

Every noise model takes these options. They change the ballots of some graders after the model has
drawn them, in shares that are exact up to rounding; the groups do not overlap, except that anybody's
ballot may be missing.
"""

import numpy as np
from numpy.typing import NDArray

from peerorder.core.arrays import Int32Array, IntArray
from peerorder.core.errors import OptionError
from peerorder.core.jit import kernel
from peerorder.core.randomness import Generator
from peerorder.core.registry import Option
from peerorder.core.translation import gettext as _

__all__ = ["CROWD", "apply_roles"]

ROLES = ("random", "reversed", "team")

CROWD = (
    Option("random", 0.0, "share of the graders who rank at random", 0, 1),
    Option("reversed", 0.0, "share of the graders who rank backwards", 0, 1),
    Option("team", 0.0, "share of the graders who put each other's papers first and the rest backwards", 0, 1),
    Option("missing", 0.0, "share of the ballots that are never submitted", 0, 1),
)


def apply_roles(
    papers: Int32Array,
    start: IntArray,
    grader: Int32Array,
    authored: Int32Array,
    rng: Generator,
    shares: dict[str, float],
) -> tuple[Int32Array, NDArray[np.bool_], dict[str, IntArray]]:
    """Return the ballots with these roles applied, whether each ballot was submitted, and the rows of every role."""
    n = len(grader)
    came = np.ones(n, bool)
    if not any(shares.values()):
        return papers, came, {}
    groups = np.cumsum([shares[role] for role in ROLES])
    if groups[-1] > 1 + 1e-9:
        raise OptionError(
            _("random, reversed and team are shares of one class, but their sum is more than 1; choose smaller shares")
        )
    turn = rng.permutation(n)
    at_random, backwards, team = np.split(turn, np.round(groups * n).astype(int))[:3]
    out = papers.copy()
    if len(at_random):
        shuffle_rows(out, start, at_random, rng)
    turn_rows(out, start, backwards)
    mates = np.zeros(int(papers.max(initial=-1)) + 1, bool)
    written = authored[grader[team]]
    mates[written[(written >= 0) & (written < len(mates))]] = True
    favour_rows(out, start, team, mates)
    came[rng.permutation(n)[: round(shares["missing"] * n)]] = False
    return out, came, dict(zip(ROLES, (at_random, backwards, team), strict=True))


@kernel
def shuffle_rows(papers, start, rows, rng):  # type: ignore[no-untyped-def]
    """Put these rows into a random order each."""
    for row in rows:
        first, last = start[row], start[row + 1]
        for i in range(first, last - 1):
            j = i + int(rng.random() * (last - i))
            papers[i], papers[j] = papers[j], papers[i]


@kernel
def turn_rows(papers, start, rows):  # type: ignore[no-untyped-def]
    """Turn these rows upside down."""
    for row in rows:
        i, j = start[row], start[row + 1] - 1
        while i < j:
            papers[i], papers[j] = papers[j], papers[i]
            i += 1
            j -= 1


@kernel
def favour_rows(papers, start, rows, mates):  # type: ignore[no-untyped-def]
    """Put team-mates first in these rows, in the order they have, and everybody else backwards."""
    for row in rows:
        first, last = start[row], start[row + 1]
        honest = papers[first:last].copy()
        index = first
        for paper in honest:
            if mates[paper]:
                papers[index] = paper
                index += 1
        for paper in honest[::-1]:
            if not mates[paper]:
                papers[index] = paper
                index += 1
