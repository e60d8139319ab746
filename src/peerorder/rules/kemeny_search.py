"""The loops behind ``kemeny``: best order of a few papers, best move of one, and an order that follows a relation.

Contests come as the three arrays of a sparse matrix: row paper against column paper, positive where the row leads.
"""

import heapq

import numpy as np

from peerorder.core.jit import kernel

__all__ = ["follow", "improve", "solve"]


@kernel
def solve(indptr, indices, data, papers):  # type: ignore[no-untyped-def]
    """The best order of these papers (rising numbers) among themselves, as positions in ``papers``.

    Held and Karp's recursion over subsets: the fewest disagreements of a set put down last are those of its first
    paper with the rest, plus the fewest of the rest. Of equally good first papers the lowest number is taken.
    """
    size = len(papers)
    against = np.zeros((size, size), np.int64)
    for i in range(size):
        for at in range(indptr[papers[i]], indptr[papers[i] + 1]):
            j = np.searchsorted(papers, indices[at])
            if j < size and papers[j] == indices[at] and data[at] > 0:
                # What it costs to put j above i.
                against[j, i] = data[at]
    fewest = np.zeros(1 << size, np.int64)
    for subset in range(1, 1 << size):
        best = np.int64(-1)
        for i in range(size):
            if subset >> i & 1:
                cost = fewest[subset ^ (1 << i)]
                for j in range(size):
                    if subset >> j & 1:
                        cost += against[i, j]
                if best < 0 or cost < best:
                    best = cost
        fewest[subset] = best
    order = np.empty(size, np.int64)
    subset = (1 << size) - 1
    for t in range(size):
        for i in range(size):
            if subset >> i & 1:
                cost = fewest[subset ^ (1 << i)]
                for j in range(size):
                    if subset >> j & 1:
                        cost += against[i, j]
                if cost == fewest[subset]:
                    order[t] = i
                    subset ^= 1 << i
                    break
    return order


@kernel
def improve(indptr, indices, data, awake, key):  # type: ignore[no-untyped-def]
    """One sweep: put each paper where it has the fewest disagreements, if that is fewer than now; whether any moved.

    A lower key is a better place. Only opponents matter to where a paper stands, so a move changes one key (no order
    of all papers is kept up to date) and wakes the opponents alone: papers that sleep have nowhere better to go. A
    paper for which no number is left between two opponents stays awake for a sweep with keys made whole again, and
    counts as moved.
    """
    moved = False
    for paper in range(len(awake)):
        if not awake[paper]:
            continue
        awake[paper] = False
        first, last = indptr[paper], indptr[paper + 1]
        degree = last - first
        keys = np.empty(degree)
        for t in range(degree):
            keys[t] = key[indices[first + t]]
        by_key = np.argsort(keys)
        # The additional disagreements of a paper below its best t opponents, compared with the top.
        here = 0
        cost = 0
        now = 0
        for t in range(degree):
            cost += data[first + by_key[t]]
            if keys[by_key[t]] < key[paper]:
                here = t + 1
                now = cost
        best = now
        there = here
        cost = 0
        for t in range(degree + 1):
            if cost < best or (cost == best and best < now and abs(t - here) < abs(there - here)):
                best = cost
                there = t
            if t < degree:
                cost += data[first + by_key[t]]
        if best < now:
            moved = True
            if there == 0:
                key[paper] = keys[by_key[0]] - 0.5
            elif there == degree:
                key[paper] = keys[by_key[degree - 1]] + 0.5
            else:
                low, high = keys[by_key[there - 1]], keys[by_key[there]]
                middle = low + (high - low) / 2
                if not low < middle < high:
                    awake[paper] = True
                    continue
                key[paper] = middle
            for at in range(first, last):
                awake[indices[at]] = True
    return moved


@kernel
def follow(indptr, indices, rank):  # type: ignore[no-untyped-def]
    """The place of every paper when, of those with nobody left before them, the lowest rank always comes next.

    Row papers come before their columns; there must be no cycle.
    """
    n = len(rank)
    before = np.zeros(n, np.int64)
    for at in range(len(indices)):
        before[indices[at]] += 1
    by_rank = np.empty(n, np.int64)
    ready = [np.int64(-1)]
    ready.pop()
    for paper in range(n):
        by_rank[rank[paper]] = paper
        if before[paper] == 0:
            heapq.heappush(ready, np.int64(rank[paper]))
    place = np.full(n, -1, np.int64)
    done = 0
    while len(ready):
        paper = by_rank[heapq.heappop(ready)]
        place[paper] = done
        done += 1
        for at in range(indptr[paper], indptr[paper + 1]):
            below = indices[at]
            before[below] -= 1
            if before[below] == 0:
                heapq.heappush(ready, np.int64(rank[below]))
    return place
