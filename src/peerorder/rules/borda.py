"""``borda``: the share of comparisons that a paper wins; the main rule of Caragiannis et al. (2015).

A ballot compares each of its papers with all others on it. The score is (2 wins + ties) over
(2 comparisons), summed over all ballots as integers until the last division: exact, the same in any
order of the ballots, and mergeable over parts. Where every ballot has k papers and every paper
k ballots it orders as the article's points do (k for first, k-1 for second, ...). Incomplete and unequal
ballots count by what they compare; a tie is half a win; a paper that nobody compared scores 1/2, which
is what is known about it.

NumPy adds up where numba is not loaded yet: loading it takes longer, even for a million papers. Kernels keep both
sums of a paper in one 64-bit word, 2 wins + ties in the lower half and comparisons in the
upper one. The pass over the ballots jumps about in memory and waits for its stores, so one store a ranked
paper instead of two is worth a factor of two to four. Neither half can overflow: a paper is compared less
often than there are entries in the profile, which are fewer than 2^31.
"""

import numpy as np

from peerorder.core.arrays import FloatArray, Int32Array, IntArray
from peerorder.core.graph import rows_by_size
from peerorder.core.jit import is_loaded, kernel
from peerorder.core.outcome import RuleResult
from peerorder.core.partitions import Partitions
from peerorder.core.profile import Profile
from peerorder.core.randomness import Generator
from peerorder.rules.rounding import level_scores
from peerorder.rules.rule import Rule

__all__ = ["RULE", "add_ballots", "borda_sums", "unpack"]

LOWER_HALF = 2**32 - 1


def compute(profile: Profile, rng: Generator) -> RuleResult:  # noqa: ARG001 -- nothing random but ties
    """Borda's score of every paper."""
    scores = _scores(borda_sums(profile))
    return RuleResult(scores if profile.weights is None else level_scores(scores))


def merge_partitions(partitions: Partitions, rng: Generator) -> RuleResult:  # noqa: ARG001
    """Borda's score of every paper, by the sums over all partitions."""
    return RuleResult(_scores(partitions.borda_sums))


def _scores(sums: IntArray | FloatArray) -> FloatArray:
    won, compared = sums.T
    scores: FloatArray = np.divide(won, 2 * compared, out=np.full(len(sums), 0.5), where=compared > 0)
    return scores


def borda_sums(profile: Profile) -> IntArray | FloatArray:
    """For every paper 2 wins + ties, and the number of comparisons, as integers that can be added up.

    Where ballots have weights, their comparisons count by these, and the sums are floats.
    """
    if profile.weights is None:
        return unpack(_words(profile))
    parts = np.repeat(profile.weights, profile.sizes) * _parts(profile)
    return np.stack([np.bincount(profile.papers, part, profile.n_papers) for part in parts], axis=1)


def unpack(words: IntArray) -> IntArray:
    """Return 2 wins + ties, and comparisons, from one word for each paper."""
    return np.stack([words & LOWER_HALF, words >> 32], axis=1)


def add_ballots(
    papers: Int32Array, start: IntArray, levels: Int32Array, ties: bool, words: IntArray, rankings: Int32Array
) -> None:
    """Add what some ballots say to the word of every paper, and to the number of ballots that rank it."""
    if ties:
        add_tied(papers, start, levels, words)
    else:
        add_strict(papers, start, words)
    add_counts(papers, rankings)


def _parts(profile: Profile) -> IntArray:
    """2 wins + ties of every entry, and its comparisons; papers on the same level share what they win."""
    end = np.repeat(profile.start[1:], profile.sizes)
    compared = np.repeat(profile.sizes - 1, profile.sizes)
    if profile.levels is None:
        return np.stack([2 * (end - 1 - np.arange(len(end))), compared])
    new_level = np.diff(profile.levels, prepend=-1) != 0
    new_level[profile.start[:-1][profile.sizes > 0]] = True
    level = np.cumsum(new_level) - 1
    size = np.bincount(level)
    return np.stack([2 * (end - np.cumsum(size)[level]) + size[level] - 1, compared])


def _words(profile: Profile) -> IntArray:
    """The sums of every paper in one word each."""
    words = np.zeros(profile.n_papers, np.int64)
    if not is_loaded() and profile.levels is None:
        for _, ballots in rows_by_size(profile.papers, profile.start):
            others = ballots.shape[1] - 1
            said = (others << 32) + 2 * np.arange(others, -1, -1)
            np.add.at(words, ballots.reshape(-1), np.tile(said, len(ballots)))
    elif not is_loaded():
        won, compared = _parts(profile)
        np.add.at(words, profile.papers, won + (compared << 32))
    elif profile.levels is None:
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
def add_counts(papers, counts):  # type: ignore[no-untyped-def]
    """Add 1 to the count of every paper."""
    for paper in papers:
        counts[np.uint32(paper)] += 1


RULE = Rule(
    name="borda",
    summary="the share of comparisons won",
    citation="Borda (1781); Caragiannis, Krimpas, Voudouris (AAMAS 2015), section 2",
    compute=compute,
    needs="nothing; one pass over the ballots",
    weighted=True,
    merge_partitions=merge_partitions,
)
