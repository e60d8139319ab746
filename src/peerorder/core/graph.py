"""Questions about bundle graphs in compressed rows: repeats, components, 4-cycles and the shortest cycle."""

from collections.abc import Iterator

import numpy as np

from peerorder.core.arrays import Int32Array, IntArray
from peerorder.core.jit import kernel

__all__ = [
    "count_four_cycles",
    "first_row_with_repeat",
    "number_components",
    "root_of",
    "rows_by_size",
    "shortest_cycle",
    "transpose",
    "unite",
]

# Rows that are looked at together; what is made for them stays in the cache, and is small beside the graph.
BLOCK = 2**16


def first_row_with_repeat(papers: Int32Array, start: IntArray) -> int:
    """Return the first row that holds a value twice, -1 where there is none."""
    first = len(start)
    for rows, matrix in rows_by_size(papers, start):
        for begin in range(0, len(rows), BLOCK):
            cells = np.sort(matrix[begin : begin + BLOCK], axis=1)
            repeated = (cells[:, 1:] == cells[:, :-1]).any(axis=1)
            if repeated.any():
                first = min(first, int(rows[begin + np.argmax(repeated)]))
                break
    return first if first < len(start) else -1


def rows_by_size(papers: Int32Array, start: IntArray) -> Iterator[tuple[IntArray, Int32Array]]:
    """Yield the numbers of all rows of one size, and these rows as a matrix, for every size but 0."""
    sizes = np.diff(start)
    for size in np.flatnonzero(np.bincount(sizes)).tolist():
        rows = np.flatnonzero(sizes == size)
        if size:
            whole = len(rows) == len(sizes)
            yield rows, papers.reshape(-1, size) if whole else papers[start[rows][:, None] + np.arange(size)]


@kernel
def transpose(papers, start, n_papers):  # type: ignore[no-untyped-def]
    """Return the same graph in compressed rows from the other side, by counting."""
    paper_start = np.zeros(n_papers + 1, np.int64)
    for paper in papers:
        paper_start[paper + 1] += 1
    for p in range(n_papers):
        paper_start[p + 1] += paper_start[p]
    end = paper_start[:-1].copy()
    bundles = np.empty(len(papers), np.int32)
    for b in range(len(start) - 1):
        for index in range(start[b], start[b + 1]):
            p = papers[index]
            bundles[end[p]] = b
            end[p] += 1
    return paper_start, bundles


@kernel
def root_of(parent, v):  # type: ignore[no-untyped-def]
    """Return the representative of a node, shortening its path on the way."""
    while parent[v] != v:
        parent[v] = parent[parent[v]]
        v = parent[v]
    return v


@kernel
def unite(parent, left, right):  # type: ignore[no-untyped-def]
    """Add the edges between these nodes to a forest in which every root is the smallest node of its component."""
    for index in range(len(left)):
        a, b = root_of(parent, left[index]), root_of(parent, right[index])
        if a < b:
            parent[b] = a
        else:
            parent[a] = b


@kernel
def number_components(parent):  # type: ignore[no-untyped-def]
    """Return the number of components of a forest made by ``unite``, and that of every node, in order of the nodes."""
    labels = np.empty(len(parent), np.int32)
    number = 0
    for v in range(len(parent)):
        root = root_of(parent, v)
        if root == v:
            labels[v] = number
            number += 1
        else:
            labels[v] = labels[root]
    return number, labels


@kernel
def count_four_cycles(papers, start, paper_start, bundles):  # type: ignore[no-untyped-def]
    """Count 4-cycles: a pair of papers with l common bundles makes l(l-1)/2 cycles, and is seen from both ends."""
    n_papers = len(paper_start) - 1
    # The last paper that was compared with this one, in the upper half, and how many bundles they had in common so far.
    common = np.zeros(n_papers, np.int64)
    total = 0
    for u in range(n_papers):
        none = u << 32
        for x in range(paper_start[u], paper_start[u + 1]):
            b = bundles[x]
            for y in range(start[b], start[b + 1]):
                v = papers[y]
                if v > u:
                    before = max(common[v], none)
                    total += before - none
                    common[v] = before + 1
    return total


@kernel
def shortest_cycle(papers, start, paper_start, bundles, known=4):  # type: ignore[no-untyped-def]
    """Return the length of the shortest cycle, 0 where there is none; no cycle is shorter than ``known``.

    Trees are peeled off first. Every cycle that is not a whole component then has a node
    of degree 3 or more, so searching from these is enough: breadth first, until the search meets
    itself or can no longer close a cycle shorter than the best so far. Long chains of degree 2, which
    would make every search long, are never searched from.
    """
    n_bundles = len(start) - 1
    n_papers = len(paper_start) - 1
    nodes = n_bundles + n_papers
    degree = np.empty(nodes, np.int32)
    for b in range(n_bundles):
        degree[b] = start[b + 1] - start[b]
    for p in range(n_papers):
        degree[n_bundles + p] = paper_start[p + 1] - paper_start[p]
    # Peel leaves until only the 2-core is left.
    queue = np.empty(nodes, np.int32)
    alive = np.ones(nodes, np.bool_)
    tail = 0
    for v in range(nodes):
        if degree[v] <= 1:
            queue[tail] = v
            tail += 1
            alive[v] = False
    head = 0
    while head < tail:
        v = queue[head]
        head += 1
        if v < n_bundles:
            low, high = start[v], start[v + 1]
        else:
            low, high = paper_start[v - n_bundles], paper_start[v - n_bundles + 1]
        for index in range(low, high):
            w = papers[index] + n_bundles if v < n_bundles else bundles[index]
            if alive[w]:
                degree[w] -= 1
                if degree[w] <= 1:
                    alive[w] = False
                    queue[tail] = w
                    tail += 1
    # Cycles that are whole components have degree 2 throughout: each is walked once.
    best = 0
    distance = np.full(nodes, -1, np.int32)
    for root in range(n_bundles, nodes):
        if not alive[root] or degree[root] > 2 or distance[root] >= 0:
            continue
        plain = True
        head, tail = 0, 1
        queue[0] = root
        distance[root] = 0
        while head < tail:
            v = queue[head]
            head += 1
            plain = plain and degree[v] == 2
            if v < n_bundles:
                low, high = start[v], start[v + 1]
            else:
                low, high = paper_start[v - n_bundles], paper_start[v - n_bundles + 1]
            for index in range(low, high):
                w = papers[index] + n_bundles if v < n_bundles else bundles[index]
                if alive[w] and distance[w] < 0:
                    distance[w] = 0
                    queue[tail] = w
                    tail += 1
        if plain and (best == 0 or tail < best):
            best = tail
    distance[:] = -1
    parent = np.empty(nodes, np.int32)
    for root in range(nodes):
        if best == known:
            break
        if not alive[root] or degree[root] < 3:
            continue
        if root < n_bundles:
            # A cycle through a paper of degree 3 is found from there; others pass here by two of degree 2.
            exits = 0
            for index in range(start[root], start[root + 1]):
                w = papers[index] + n_bundles
                exits += alive[w] and degree[w] == 2
            if exits < 2:
                continue
        head, tail = 0, 1
        queue[0] = root
        distance[root] = 0
        parent[root] = -1
        result = False
        while head < tail and not result:
            v = queue[head]
            head += 1
            if best > 0 and 2 * (distance[v] + 1) >= best:
                break
            if v < n_bundles:
                low, high = start[v], start[v + 1]
            else:
                low, high = paper_start[v - n_bundles], paper_start[v - n_bundles + 1]
            for index in range(low, high):
                w = papers[index] + n_bundles if v < n_bundles else bundles[index]
                if not alive[w] or w == parent[v]:
                    continue
                if distance[w] < 0:
                    distance[w] = distance[v] + 1
                    parent[w] = v
                    queue[tail] = w
                    tail += 1
                else:
                    # Two sides of a bipartite graph: w is one further than v, never as far or nearer.
                    best = 2 * distance[w]
                    result = True
                    break
        for t in range(tail):
            distance[queue[t]] = -1
    return best
