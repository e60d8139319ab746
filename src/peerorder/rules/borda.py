"""``borda``: the share of comparisons that a paper wins; the paper's main rule.

A ballot compares each of its papers with all others on it. The score is (2 wins + ties) over
(2 comparisons), summed over all ballots as integers until the last division: exact, the same in any
order of the ballots, and mergeable over parts of them. Where every ballot has k papers and every paper
k ballots it orders as the paper's points do (k for first, k-1 for second, ...). Incomplete and unequal
ballots count by what they compare; a tie is half a win; a paper that nobody compared scores 1/2, which
is what is known about it.

Both sums of a paper are kept in one 64-bit word, 2 wins + ties in the lower half and comparisons in the
upper one. The pass over the ballots jumps about in memory and waits for its stores, so one store a ranked
paper instead of two is worth a factor of two to four. Neither half can overflow: a paper is compared less
often than there are entries in the profile, which are fewer than 2^31.
"""

import numpy as np

from peerorder.core.arrays import FloatArray, IntArray
from peerorder.core.jit import kernel
from peerorder.core.outcome import RuleResult
from peerorder.core.profile import Profile
from peerorder.core.randomness import Generator
from peerorder.rules.rounding import levelled
from peerorder.rules.rule import Rule

__all__ = ["RULE", "borda_sums"]

LOWER_HALF = 2**32 - 1


def compute(profile: Profile, rng: Generator) -> RuleResult:  # noqa: ARG001 -- nothing random but ties
    """Borda's score of every paper."""
    if profile.weights is None:
        return RuleResult(shares(_words(profile)))
    won, compared = borda_sums(profile).T
    return RuleResult(levelled(np.where(compared > 0, won / np.where(compared > 0, 2 * compared, 1), 0.5)))


def borda_sums(profile: Profile) -> IntArray | FloatArray:
    """For every paper 2 wins + ties, and the number of comparisons, as integers that can be added up.

    Where ballots have weights, their comparisons count by these, and the sums are floats.
    """
    if profile.weights is not None:
        return _weighted_sums(profile, profile.weights)
    words = _words(profile)
    return np.stack([words & LOWER_HALF, words >> 32], axis=1)


def _weighted_sums(profile: Profile, weights: FloatArray) -> FloatArray:
    ballot = np.repeat(np.arange(len(profile)), profile.sizes)
    new_level = np.diff(profile.tie_levels, prepend=-1) != 0
    new_level[profile.start[:-1][profile.sizes > 0]] = True
    level = np.cumsum(new_level) - 1
    size = np.bincount(level)
    tied, below = size[level] - 1, profile.start[1:][ballot] - np.cumsum(size)[level]
    sums = (2 * below + tied, profile.sizes[ballot] - 1)
    return np.stack([np.bincount(profile.papers, weights[ballot] * part, profile.n_papers) for part in sums], axis=1)


def _words(profile: Profile) -> IntArray:
    words = np.zeros(profile.n_papers, np.int64)
    if profile.levels is None:
        add_strict(profile.papers, profile.start, words)
    else:
        add_tied(profile.papers, profile.start, profile.levels, words)
    return words


@kernel
def add_strict(papers, start, words):  # type: ignore[no-untyped-def]
    """Add what ballots without ties say to the words.

    One loop over all entries, not one a ballot inside another: short loops cost a quarter more.
    """
    row = 0
    end = start[0]
    word = 0
    for at in range(len(papers)):
        while at == end:
            row += 1
            others = start[row] - end - 1
            end = start[row]
            word = (others << 32) + 2 * others
        # Unsigned, so that numba makes no code for indices from the end: a third of the time.
        words[np.uint32(papers[at])] += word
        word -= 2


@kernel
def add_tied(papers, start, levels, words):  # type: ignore[no-untyped-def]
    """Add what ballots with ties say: papers on the same level share what they win."""
    for row in range(len(start) - 1):
        first, last = start[row], start[row + 1]
        others = last - first - 1
        at = first
        while at < last:
            end = at
            while end < last and levels[end] == levels[at]:
                end += 1
            word = (others << 32) + 2 * (last - end) + (end - at - 1)
            for t in range(at, end):
                words[np.uint32(papers[t])] += word
            at = end


@kernel
def shares(words):  # type: ignore[no-untyped-def]
    """(2 wins + ties) / (2 comparisons), 1/2 where nothing was compared."""
    scores = np.empty(len(words))
    for paper in range(len(words)):
        compared = words[paper] >> 32
        scores[paper] = (words[paper] & LOWER_HALF) / (2 * compared) if compared else 0.5
    return scores


RULE = Rule(
    name="borda",
    summary="the share of comparisons won",
    citation="Borda (1781); Caragiannis, Krimpas, Voudouris (AAMAS 2015), section 2",
    compute=compute,
    needs="nothing; one pass over the ballots",
    weighted=True,
)
