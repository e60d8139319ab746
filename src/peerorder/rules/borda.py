"""``borda``: the share of comparisons that a paper wins; the paper's main rule.

A ballot compares each of its papers with all others on it. The score is (2 wins + ties) over
(2 comparisons), summed over all ballots as integers until the last division: exact, the same in any
order of the ballots, and mergeable over parts of them. Where every ballot has k papers and every paper
k ballots it orders as the paper's points do (k for first, k-1 for second, ...). Incomplete and unequal
ballots count by what they compare; a tie is half a win; a paper that nobody compared scores 1/2, which
is what is known about it.
"""

import numpy as np

from peerorder.core.arrays import IntArray
from peerorder.core.jit import kernel
from peerorder.core.outcome import Findings
from peerorder.core.profile import Profile
from peerorder.core.randomness import Generator
from peerorder.rules.rule import Rule

__all__ = ["RULE", "borda_sums"]


def compute(profile: Profile, rng: Generator) -> Findings:  # noqa: ARG001 -- nothing random but ties
    """Borda's score of every paper."""
    sums = borda_sums(profile)
    compared = sums[:, 1] > 0
    scores = np.full(profile.n_papers, 0.5)
    np.divide(sums[:, 0], 2 * sums[:, 1], out=scores, where=compared)
    return Findings(scores)


def borda_sums(profile: Profile) -> IntArray:
    """For every paper 2 wins + ties, and the number of comparisons, as integers that can be added up."""
    sums = np.zeros((profile.n_papers, 2), np.int64)
    if profile.levels is None:
        add_strict(profile.papers, profile.start, sums)
    else:
        add_tied(profile.papers, profile.start, profile.levels, sums)
    return sums


@kernel
def add_strict(papers, start, sums):  # type: ignore[no-untyped-def]
    """Add what ballots without ties say to the sums."""
    for row in range(len(start) - 1):
        others = start[row + 1] - start[row] - 1
        points = 2 * others
        for at in range(start[row], start[row + 1]):
            sums[papers[at], 0] += points
            sums[papers[at], 1] += others
            points -= 2


@kernel
def add_tied(papers, start, levels, sums):  # type: ignore[no-untyped-def]
    """Add what ballots with ties say: papers on the same level share what they win."""
    for row in range(len(start) - 1):
        first, last = start[row], start[row + 1]
        others = last - first - 1
        at = first
        while at < last:
            end = at
            while end < last and levels[end] == levels[at]:
                end += 1
            points = 2 * (last - end) + (end - at - 1)
            for t in range(at, end):
                sums[papers[t], 0] += points
                sums[papers[t], 1] += others
            at = end


RULE = Rule(
    name="borda",
    summary="the share of comparisons won",
    citation="Borda (1781); Caragiannis, Krimpas, Voudouris (AAMAS 2015), section 2",
    compute=compute,
    needs="nothing; one pass over the ballots",
)
