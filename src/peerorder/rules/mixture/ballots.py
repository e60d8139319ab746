"""Passes over the ballots of a profile, in as many threads as there are cores.

The graders are cut into parts that depend on nothing but the profile, and the sums of the parts are added up in their
order, so the result does not depend on the number of cores.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from peerorder.core.arrays import FloatArray, Int32Array, IntArray, freeze
from peerorder.core.cores import cores
from peerorder.core.profile import Profile
from peerorder.rules.mixture.model import LANE_OF, Sums, lanes_of, no_sums
from peerorder.rules.mixture.sums import WIDTH, Lanes, accumulate

__all__ = ["Ballots", "ballots_of"]

# Ranked papers from which on threads are worth their while, and how many parts there are then.
MANY = 100_000
PARTS = 4
# For passes that need no grader's types.
NOBODY = np.empty((0, WIDTH), np.float32)


@dataclass(frozen=True, eq=False)
class Ballots:
    """Ballots by grader, as the kernels read them: those of one grader are adjacent."""

    papers: Int32Array
    start: IntArray
    levels: Int32Array
    """Empty where no ballot has ties."""
    owner: Int32Array
    n_papers: int

    @property
    def n_graders(self) -> int:
        """The number of graders who have a ballot."""
        return int(np.count_nonzero(np.diff(self.owner, prepend=-1)))

    def total(self, point: FloatArray) -> Sums:
        """Return the sums over all graders at a point."""
        return self.sums(point[: self.n_papers], lanes_of(point))

    def sums(self, utility: FloatArray, lanes: Lanes) -> Sums:
        """Return the sums over all graders, given the utilities and the types."""

        def part(begin: int, end: int) -> Sums:
            return self.add_to(no_sums(self.n_papers), utility, lanes, begin, end)

        cuts = self._cuts()
        if len(cuts) == 2:
            return part(*cuts)
        with ThreadPoolExecutor(min(PARTS, cores())) as pool:
            return reduce(Sums.plus, pool.map(part, cuts[:-1], cuts[1:]))

    def add_to(self, sums: Sums, utility: FloatArray, lanes: Lanes, begin: int = 0, end: int | None = None) -> Sums:
        """Add the sums over some graders, from ballot to ballot, to others; these are changed in place."""
        last = len(self.owner) if end is None else end
        sums.value[0] += accumulate(*self._arrays, begin, last, utility, lanes, sums.by_paper, sums.by_type, NOBODY)
        return sums

    def grader_types(self, utility: FloatArray, lanes: Lanes, n_graders: int) -> NDArray[np.float32]:
        """Return the probability of every type for every grader; the shares in the class where there is no ballot."""
        chances = np.empty((n_graders, WIDTH), np.float32)
        chances[:] = lanes.weight
        unused = np.zeros((self.n_papers, 3), np.int64), np.zeros((WIDTH, 3), np.int64)
        accumulate(*self._arrays, 0, len(self.owner), utility, lanes, *unused, chances)
        return chances[:, LANE_OF]

    @property
    def _arrays(self) -> tuple[Int32Array, IntArray, Int32Array, Int32Array]:
        return self.papers, self.start, self.levels, self.owner

    def _cuts(self) -> list[int]:
        """Where the parts begin and end, between graders."""
        ballots = len(self.owner)
        if len(self.papers) < MANY:
            return [0, ballots]
        wanted = [part * ballots // PARTS for part in range(1, PARTS)]
        begins = np.searchsorted(self.owner, self.owner[wanted])
        return [0, *begins.tolist(), ballots]


def ballots_of(profile: Profile) -> Ballots:
    """Return the ballots of a profile by grader."""
    if (np.diff(profile.grader) < 0).any():
        by_grader = np.argsort(profile.grader, kind="stable")
        sizes = profile.sizes[by_grader]
        start = np.concatenate([[0], np.cumsum(sizes)])
        index = np.arange(start[-1]) + np.repeat(profile.start[by_grader] - start[:-1], sizes)
        levels = None if profile.levels is None else profile.levels[index]
        papers, owner = profile.papers[index], profile.grader[by_grader]
    else:
        papers, start, levels, owner = profile.papers, profile.start, profile.levels, profile.grader
    levels = np.zeros(0, np.int32) if levels is None else levels
    # Kernels are compiled once for arrays that can be written to, and once for others: all are made read-only here.
    return Ballots(freeze(papers), freeze(start), freeze(levels), freeze(owner), profile.n_papers)
