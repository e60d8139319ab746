"""Classes as they are: teams, assistants, conflicts, people who are excused; and whether a hand-out is legal in one."""

from dataclasses import dataclass

import networkx as nx
import numpy as np
from hypothesis import strategies as st

from peerorder.core import child


@dataclass(frozen=True)
class Class:
    authored: np.ndarray
    papers: int
    conflicts: list
    excused: np.ndarray
    k: int

    @property
    def forbidden(self):
        own = {(g, p) for g, p in enumerate(self.authored.tolist()) if p >= 0}
        return own | {*self.conflicts}

    @property
    def demand(self):
        return np.where(self.excused, 0, self.k).tolist()


@st.composite
def classes(draw, most=400, most_k=10, excused=True):
    """3 to 400 students in teams of 1 to 5, up to 5% of pairs in conflict, and assistants who wrote nothing."""
    students = draw(st.sampled_from(range(3, 13)) | st.sampled_from(range(3, most + 1)))
    team = draw(st.integers(1, 5))
    k = draw(st.sampled_from(range(2, most_k + 1)))
    share = draw(st.sampled_from([0, 0, 0.01, 0.05]))
    assistants = draw(st.sampled_from([0, 0, 1, 5, 30]))
    rng = child(draw(st.integers(0, 2**32 - 1)), "class")
    sizes = []
    while sum(sizes) < students:
        sizes.append(int(rng.integers(1, team + 1)))
    sizes[-1] -= sum(sizes) - students
    authored = np.concatenate([np.repeat(np.arange(len(sizes)), sizes), np.full(assistants, -1)])
    authored = rng.permutation(authored)
    m, n = len(sizes), len(authored)
    conflicts = np.argwhere(rng.random((n, m)) < share)
    away = rng.random(n) < draw(st.sampled_from([0, 0, 0.1])) if excused else np.zeros(n, bool)
    return Class(authored, m, [tuple(pair) for pair in conflicts.tolist()], away, k)


def components(ballots, papers, m):
    """How many groups of papers hang together, by networkx."""
    graph = nx.Graph()
    graph.add_nodes_from(("paper", p) for p in range(m))
    graph.add_edges_from((("paper", int(p)), ("ballot", int(b))) for b, p in zip(ballots, papers, strict=True))
    return nx.number_connected_components(graph)
