"""From rows to ballots: the rows of a grader are adjacent, so that one pass over a batch finds all ballots in it."""

import numpy as np

from peerorder.core.jit import kernel

__all__ = ["GRADER", "HEARD", "OWN_PAPER", "PAPER", "REPEATED_PAPER", "SPLIT_BALLOT", "SPLIT_GRADER", "make_ballots"]

# What a row is wrong about.
OWN_PAPER, REPEATED_PAPER, SPLIT_GRADER, SPLIT_BALLOT = 1, 2, 3, 4
# What an id stands for: a grader, a paper that was listed and not judged, a grader who ranks something.
GRADER, PAPER, HEARD = 1, 2, 4
# Up to this many papers are compared pair by pair, and their ranks fit into a word; more are sorted.
FEW = 32


@kernel
def make_ballots(grader, ballot, paper, rank, seen, papers, levels, start, owner, doubts):  # type: ignore[no-untyped-def]
    """Find the ballots of a batch of rows, each sorted by rank.

    ``ballot`` is empty where no grader has several. A rank of 0 says that the paper was not judged. ``seen`` has what
    every id stands for so far. ``papers``, ``levels``, ``start`` and ``owner`` are filled in. ``doubts`` counts
    ballots with several papers, those among these without rank 1 or with a rank beyond their number of papers, and has
    the highest rank.

    Returns the number of ballots, whether any has ties, what is wrong with the first bad row, and that row.
    """
    rows = len(grader)
    ballots = 0
    out = 0
    ties = False
    several = len(ballot) > 0
    # The last grader with a ballot of each name; names are numbered from -1.
    last_of = np.full(ballot.max() + 2 if several else 0, -1)
    order = np.empty(0, np.int64)
    start[0] = 0
    begin = 0
    while begin < rows:
        who = grader[begin]
        if begin == 0 or grader[begin - 1] != who:
            if seen[who] & GRADER:
                return ballots, ties, SPLIT_GRADER, begin
            seen[who] |= GRADER
        if several:
            if last_of[ballot[begin] + 1] == who:
                return ballots, ties, SPLIT_BALLOT, begin
            last_of[ballot[begin] + 1] = who
        end = begin + 1
        while end < rows and grader[end] == who and (not several or ballot[end] == ballot[begin]):
            end += 1
        size = end - begin
        mask = 0
        highest = 0
        for t in range(begin, end):
            if paper[t] == who:
                return ballots, ties, OWN_PAPER, t
            highest = max(highest, rank[t])
            if rank[t] <= size and size <= FEW:
                mask |= 1 << rank[t]
        if size <= FEW and mask == ((1 << size) - 1) << 1:
            # Ranks 1, 2, 3 and so on: every rank is a position.
            for t in range(begin, end):
                position = out + rank[t] - 1
                papers[position] = paper[t]
                levels[position] = rank[t] - 1
            judged = size
        else:
            if len(order) < size:
                order = np.empty(2 * size, np.int64)
            judged = 0
            for t in range(begin, end):
                if rank[t] > 0:
                    order[judged] = t
                    judged += 1
                else:
                    seen[paper[t]] |= PAPER
            if judged > FEW:
                some = order[:judged].copy()
                by_rank = np.argsort(rank[some], kind="mergesort")
                for j in range(judged):
                    order[j] = some[by_rank[j]]
            else:
                for j in range(1, judged):
                    t = order[j]
                    i = j
                    while i > 0 and rank[order[i - 1]] > rank[t]:
                        order[i] = order[i - 1]
                        i -= 1
                    order[i] = t
            level = -1
            for j in range(judged):
                t = order[j]
                if j == 0 or rank[t] != rank[order[j - 1]]:
                    level += 1
                else:
                    ties = True
                papers[out + j] = paper[t]
                levels[out + j] = level
            if judged > 1 and (highest > size or rank[order[0]] != 1):
                doubts[1] += 1
        if judged > 1:
            doubts[0] += 1
            doubts[2] = max(doubts[2], highest)
        if judged > FEW:
            ids = np.sort(papers[out : out + judged])
            for j in range(1, judged):
                if ids[j] == ids[j - 1]:
                    for t in range(begin, end):
                        if paper[t] == ids[j]:
                            bad = t
                    return ballots, ties, REPEATED_PAPER, bad
        else:
            for j in range(1, judged):
                for i in range(j):
                    if papers[out + i] == papers[out + j]:
                        bad = begin
                        for t in range(begin, end):
                            if paper[t] == papers[out + j]:
                                bad = t
                        return ballots, ties, REPEATED_PAPER, bad
        out += judged
        if judged > 0:
            seen[who] |= HEARD
            owner[ballots] = who
            ballots += 1
            start[ballots] = out
        begin = end
    return ballots, ties, 0, -1
