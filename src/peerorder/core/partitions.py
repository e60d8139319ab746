"""``Partitions``: ballots in parts that need not be in memory together, and sums over them.

A rule that merges ballots by sums can take these sums from one profile or from many parts of one, which may lie on
disk and be added up by other processes. ``Reduction`` is such a sum; ``engines`` adds up over a fixed tree, so that
the bits of a result depend on the parts alone and never on who added them.
"""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from peerorder.core.arrays import AnyIntArray, FloatArray, IntArray

__all__ = ["Arrays", "Partitions", "Reduction", "Shared"]

Arrays = tuple[NDArray[Any], ...]
"""The state of a reduction: what is written to disk and added up."""


class Reduction(Protocol):
    """A sum over batches, of ballots where rules add up; it is sent to other processes, so it holds little itself."""

    def start(self) -> Arrays:
        """Return the sum over nothing."""
        ...

    def add(self, state: Any, batch: Any) -> Arrays:
        """Return the state with one more batch; the old one may be changed in place."""
        ...

    def merge(self, state: Any, other: Any) -> Arrays:
        """Return the sum of two states; the first may be changed in place."""
        ...

    def finish(self, state: Any) -> Any:
        """Return the result from the sum over everything."""
        ...


class Shared(Protocol):
    """An array that every process can load."""

    def load(self) -> NDArray[np.float64]:
        """Return the array, read-only."""
        ...


class Partitions(Protocol):
    """Ballots in parts."""

    @property
    def n_papers(self) -> int:
        """The number of papers."""
        ...

    @property
    def n_graders(self) -> int:
        """The number of graders who rank something."""
        ...

    @property
    def rankings(self) -> AnyIntArray:
        """The number of ballots that rank each paper."""
        ...

    @property
    def borda_sums(self) -> IntArray:
        """For every paper 2 wins + ties, and the number of comparisons."""
        ...

    def reduce(self, reduction: Reduction) -> Any:
        """Add up over all ballots."""
        ...

    def share(self, name: str, array: FloatArray) -> Shared:
        """Make an array available to reductions; it replaces the one of that name."""
        ...
