"""``rsd``: random serial dictatorship, on bitsets.

Serial phase: ballots in random order; each pairwise relation, pairs from the top ((1,2), (1,3), ...),
is copied unless it closes a cycle with those copied before, from earlier ballots or the same one.
Completion phase: a random pair that is still undecided is decided by a fair coin, with all that
follows from it, until every pair is decided.

The relation is kept transitively closed all along: for every paper the set of papers below it and the
set above it, as bits. A new relation a > b changes the rows above a that are not above b already, and
the rows below b that are not below a. Drawing undecided pairs one after another is the same as going
through all in one random order; while they are many, random pairs are tried until one is
undecided, and once they are few they are listed and shuffled. So there is never a list of all pairs:
memory is two bits a pair of papers.

Incomplete and unequal ballots say what they say; tied papers are not related by the tie, and
have their turns in random order; papers that no chain of ballots connects are ordered by the coin.
"""

import numpy as np

from peerorder.core.jit import kernel
from peerorder.core.outcome import RuleResult
from peerorder.core.profile import Profile
from peerorder.core.randomness import Generator
from peerorder.rules.rule import Rule

__all__ = ["RULE"]


def compute(profile: Profile, rng: Generator) -> RuleResult:
    """Score a paper by the share of the others that it ends above."""
    turn = rng.permutation(len(profile))
    papers = profile.papers
    if not profile.strict:
        # Which of two tied papers goes first with the papers below it can decide what closes a cycle.
        ballot = np.repeat(np.arange(len(profile)), profile.sizes)
        papers = papers[np.lexsort((rng.random(len(papers)), profile.tie_levels, ballot))]
    below = serial_dictatorship(papers, profile.start, profile.tie_levels, turn, profile.n_papers, rng)
    return RuleResult(below / max(profile.n_papers - 1, 1))


@kernel
def popcount(word):  # type: ignore[no-untyped-def]
    """Count the ones in 64 bits (Warren, Hacker's Delight, section 5-1)."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@kernel
def has(row, item):  # type: ignore[no-untyped-def]
    """Whether a row of bits holds an item."""
    return (row[item >> 6] >> np.uint64(item & 63)) & np.uint64(1) != 0


@kernel
def join_rows(members, rows, extra, item):  # type: ignore[no-untyped-def]
    """Add the set ``extra`` and one more item to the row of every member."""
    words = len(extra)
    one = np.uint64(1)
    bit = one << np.uint64(item & 63)
    for w in range(words):
        bits = members[w]
        while bits:
            lowest = bits & (~bits + one)
            row = rows[w * 64 + popcount(lowest - one)]
            for v in range(words):
                row[v] |= extra[v]
            row[item >> 6] |= bit
            bits ^= lowest


@kernel
def relate(below, above, a, b, upper, lower):  # type: ignore[no-untyped-def]
    """Put a above b, with all that follows; b must not be above a. ``upper`` and ``lower`` are scratch."""
    words = below.shape[1]
    one = np.uint64(1)
    for w in range(words):
        upper[w] = above[a, w]
        lower[w] = below[b, w]
    upper[a >> 6] |= one << np.uint64(a & 63)
    lower[b >> 6] |= one << np.uint64(b & 63)
    for w in range(words):
        upper[w] &= ~above[b, w]
        lower[w] &= ~below[a, w]
    join_rows(upper, below, below[b], b)
    join_rows(lower, above, above[a], a)


@kernel
def undecided_pairs(below):  # type: ignore[no-untyped-def]
    """How many pairs are not related yet."""
    n = below.shape[0]
    decided = 0
    for i in range(n):
        for w in range(below.shape[1]):
            decided += popcount(below[i, w])
    return n * (n - 1) // 2 - decided


@kernel
def serial_dictatorship(papers, start, levels, turn, n, rng):  # type: ignore[no-untyped-def]
    """Both phases; the number of papers below each."""
    words = (n + 63) // 64
    below = np.zeros((n, words), np.uint64)
    above = np.zeros((n, words), np.uint64)
    upper = np.empty(words, np.uint64)
    lower = np.empty(words, np.uint64)
    for t in range(len(turn)):
        first, last = start[turn[t]], start[turn[t] + 1]
        for i in range(first, last):
            for j in range(i + 1, last):
                a, b = papers[i], papers[j]
                if levels[i] < levels[j] and not has(below[a], b) and not has(above[a], b):
                    relate(below, above, a, b, upper, lower)
    # Many undecided pairs: try random ones. 64 misses since the last count are reason to count again, and the
    # loop ends once fewer than one pair in 32 is left.
    missed = 0
    while n > 1:
        i, j = int(rng.random() * n), int(rng.random() * n)
        if i != j and not has(below[i], j) and not has(above[i], j):
            relate(below, above, i, j, upper, lower)
            missed = 0
            continue
        missed += 1
        if missed == 64:
            missed = 0
            if undecided_pairs(below) * 32 <= n * (n - 1) // 2:
                break
    # Few: list them, shuffle, and decide those that are still open when their turn comes.
    left = undecided_pairs(below)
    pairs = np.empty((left, 2), np.int32)
    at = 0
    for i in range(n):
        for j in range(i + 1, n):
            if at < left and not has(below[i], j) and not has(above[i], j):
                pairs[at, 0], pairs[at, 1] = i, j
                at += 1
    for t in range(left):
        other = t + int(rng.random() * (left - t))
        i, j = pairs[other, 0], pairs[other, 1]
        pairs[other, 0], pairs[other, 1] = pairs[t, 0], pairs[t, 1]
        if not has(below[i], j) and not has(above[i], j):
            if rng.random() < 0.5:
                i, j = j, i
            relate(below, above, i, j, upper, lower)
    size = np.empty(n, np.int64)
    for i in range(n):
        size[i] = 0
        for w in range(words):
            size[i] += popcount(below[i, w])
    return size


RULE = Rule(
    name="rsd",
    summary="relations copied ballot by ballot in random order, the rest decided at random",
    citation="Caragiannis, Krimpas, Voudouris (AAMAS 2015), section 2",
    compute=compute,
    needs="bundles that are linked by comparisons; memory: two bits per pair of papers",
    most_papers=20_000,
)
