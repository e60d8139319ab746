"""``Guarantees``: what every hand-out promises, checked once more row by row, while it is read back."""

import numpy as np

from peerorder.core.arrays import AnyIntArray, Int32Array
from peerorder.core.graph import number_components, unite
from peerorder.schemes.allocation import Allocation

__all__ = ["Guarantees"]


class Guarantees:
    """Checks the rows of a first hand-out in blocks: all that it keeps are a few numbers per grader and paper.

    Every grader has all their papers in adjacent rows, and none has their own; graders have equally many, or nothing;
    papers have equally many graders, or one more; and ballots link all papers, except where the allocation says why
    not.
    """

    def __init__(self, own: AnyIntArray, n_papers: int) -> None:
        self._own = own
        self._sizes: Int32Array = np.zeros(len(own), np.int32)
        self._degrees: Int32Array = np.zeros(n_papers, np.int32)
        self._parent: Int32Array = np.arange(len(own) + n_papers, dtype=np.int32)
        self._last = 0

    def add(self, grader: AnyIntArray, paper: AnyIntArray) -> None:
        """Check more rows, of graders that are not before those so far."""
        if not len(grader):
            return
        if grader[0] < self._last or (grader[1:] < grader[:-1]).any():
            raise RuntimeError("the rows of a grader are not adjacent")
        self._last = int(grader[-1])
        if (self._own[grader] == paper).any():
            raise RuntimeError("a grader has their own paper")
        np.add.at(self._sizes, grader, np.int32(1))
        np.add.at(self._degrees, paper, np.int32(1))
        unite(self._parent, grader, paper + np.int32(len(self._sizes)))

    def finish(self, allocation: Allocation, k: int) -> None:
        """Check what only all rows together show; a broken promise is a bug."""
        asked = self._sizes > 0
        if not np.array_equal(self._sizes, np.where(asked, k, 0)) or asked.sum() * k != len(allocation.bundles.papers):
            raise RuntimeError(f"a grader does not have {k} papers")
        if np.ptp(self._degrees) > (asked.sum() * k % len(self._degrees) > 0):
            raise RuntimeError("a paper has more or fewer graders than others")
        groups = number_components(self._parent)[0] - int((~asked).sum())
        if groups > 1 and allocation.apart is None:
            raise RuntimeError(f"the papers are in {groups} groups that no ballot compares")
