"""``Bundles``: the bundle graph, which says which papers are ranked together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from peerorder.core import graph
from peerorder.core.arrays import (
    FrozenArrays,
    Int32Array,
    IntArray,
    as_array,
    as_count,
    as_indices,
    as_offsets,
    freeze,
)
from peerorder.core.errors import BundlesError
from peerorder.core.text import number_range
from peerorder.core.translation import gettext as _, ngettext

__all__ = ["Bundles", "GraphReport"]


@dataclass(frozen=True)
class GraphReport:
    """The properties of a bundle graph that matter to a round."""

    bundles: int
    papers: int
    bundle_sizes: tuple[int, int]
    paper_degrees: tuple[int, int]
    components: int
    girth: int | None
    four_cycles: int

    @property
    def regular(self) -> bool:
        """Whether all bundles and all papers have one and the same degree."""
        return len({*self.bundle_sizes, *self.paper_degrees}) == 1

    def __str__(self) -> str:
        parts = (
            ngettext(
                "{count} component",
                "{count} components",
                self.components,
            ).format(count=self.components)
            if self.components != 1
            else _("connected")
        )
        girth = _("no cycles") if self.girth is None else _("girth {girth}").format(girth=self.girth)
        return _(
            "{bundles} bundles of {sizes} papers, every paper in {degrees}; {components}, {girth}, "
            "{four_cycles} 4-cycles"
        ).format(
            bundles=self.bundles,
            sizes=number_range(*self.bundle_sizes),
            degrees=number_range(*self.paper_degrees),
            components=parts,
            girth=girth,
            four_cycles=self.four_cycles,
        )


class Bundles(FrozenArrays):
    """Bundles of papers in compressed rows: bundle b holds ``papers[start[b]:start[b + 1]]``.

    A bipartite graph between bundles and papers. No bundle holds a paper twice; bundles may differ
    in size and may be empty. The arrays are read-only.
    """

    def __init__(self, papers: ArrayLike, start: ArrayLike, n_papers: int) -> None:
        self.n_papers = as_count(n_papers, _("the number of papers"), BundlesError)
        self.papers: Int32Array = as_indices(papers, "papers", 0, self.n_papers, BundlesError)
        self.start: IntArray = as_offsets(start, "start", len(self.papers), BundlesError)
        row = graph.first_row_with_repeat(self.papers, self.start)
        if row >= 0:
            raise BundlesError(
                _("bundle {row} holds a paper twice: {papers}").format(row=row, papers=self[row].tolist())
            )

    @classmethod
    def from_matrix(cls, matrix: ArrayLike, n_papers: int) -> Bundles:
        """Make bundles of equal size, one per row."""
        rows = as_array(matrix, _("the matrix of bundles"), BundlesError)
        if rows.ndim != 2:
            raise BundlesError(
                ngettext(
                    "a matrix of bundles has one row per bundle; this one has {dimensions} dimension",
                    "a matrix of bundles has one row per bundle; this one has {dimensions} dimensions",
                    rows.ndim,
                ).format(dimensions=rows.ndim)
            )
        return cls(rows.reshape(-1), np.arange(rows.shape[0] + 1) * rows.shape[1], n_papers)

    @classmethod
    def from_rows(cls, rows: Iterable[Sequence[int]], n_papers: int) -> Bundles:
        """Make bundles of any sizes, one per sequence."""
        lists: list[list[int]] = []
        for row in rows:
            try:
                lists.append(list(row))
            except TypeError:
                raise BundlesError(
                    _("bundle {bundle} is {value!r}; it must be a list of papers").format(bundle=len(lists), value=row)
                ) from None
        flat = [paper for row in lists for paper in row]
        return cls(flat, np.cumsum([0, *map(len, lists)]), n_papers)

    def __len__(self) -> int:
        return len(self.start) - 1

    def __getitem__(self, bundle: int) -> Int32Array:
        row = range(len(self))[bundle]
        return self.papers[self.start[row] : self.start[row + 1]]

    def __repr__(self) -> str:
        return f"<Bundles: {len(self)} of {self.n_papers} papers, {len(self.papers)} entries>"

    @cached_property
    def sizes(self) -> IntArray:
        """The number of papers in each bundle."""
        return freeze(np.diff(self.start))

    @cached_property
    def degrees(self) -> IntArray:
        """The number of bundles that contain each paper."""
        return freeze(np.bincount(self.papers, minlength=self.n_papers))

    @property
    def k(self) -> int | None:
        """The one degree of a regular bundle graph, None where it is not regular."""
        values = {*np.unique(self.sizes).tolist(), *np.unique(self.degrees).tolist()}
        return values.pop() if len(values) == 1 else None

    @property
    def matrix(self) -> Int32Array:
        """One row per bundle, where all have the same size."""
        sizes = np.unique(self.sizes)
        if len(sizes) > 1:
            raise BundlesError(
                _("bundles of {smallest} to {largest} papers do not form a matrix").format(
                    smallest=sizes[0], largest=sizes[-1]
                )
            )
        return self.papers.reshape(len(self), int(sizes[0]) if len(sizes) else 0)

    @cached_property
    def by_paper(self) -> tuple[IntArray, Int32Array]:
        """The graph from the other side: paper p is in ``bundles[start[p]:start[p + 1]]``."""
        start, bundles = graph.transpose(self.papers, self.start, self.n_papers)
        return freeze(start), freeze(bundles)

    @cached_property
    def component_labels(self) -> Int32Array:
        """The connected component of every paper; a paper in no bundle is a component of its own."""
        return freeze(self._components()[1][len(self) :])

    @cached_property
    def components(self) -> int:
        """The number of connected components, counting single papers and empty bundles."""
        return self._components()[0]

    def _components(self) -> tuple[int, Int32Array]:
        parent = np.arange(len(self) + self.n_papers, dtype=np.int32)
        for begin in range(0, len(self), graph.BLOCK):
            start = self.start[begin : begin + graph.BLOCK + 1]
            owner = np.repeat(np.arange(begin, begin + len(start) - 1, dtype=np.int32), np.diff(start))
            graph.unite(parent, owner, self.papers[start[0] : start[-1]] + np.int32(len(self)))
        count, labels = graph.number_components(parent)
        return int(count), labels

    @cached_property
    def four_cycles(self) -> int:
        """The number of 4-cycles: pairs of papers that are in the same two bundles."""
        return int(graph.count_four_cycles(self.papers, self.start, *self.by_paper))

    @cached_property
    def girth(self) -> int | None:
        """The length of the shortest cycle, None where there is none."""
        if self.four_cycles:
            return 4
        length = int(graph.shortest_cycle(self.papers, self.start, *self.by_paper, 6))
        return length or None

    @property
    def report(self) -> GraphReport:
        """Degrees, components, girth and 4-cycles."""
        sizes = self.sizes if len(self) else np.zeros(1, np.int64)
        degrees = self.degrees if self.n_papers else np.zeros(1, np.int64)
        return GraphReport(
            bundles=len(self),
            papers=self.n_papers,
            bundle_sizes=(int(sizes.min()), int(sizes.max())),
            paper_degrees=(int(degrees.min()), int(degrees.max())),
            components=self.components,
            girth=self.girth,
            four_cycles=self.four_cycles,
        )
