"""Passes over partitions: the same sums as over a profile, and the types of all graders."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from peerorder.core.arrays import FloatArray
from peerorder.core.partitions import Arrays, Shared
from peerorder.core.profile import Profile
from peerorder.rules.grader_types import FLAGS, flag_codes, reliability_intervals
from peerorder.rules.mixture.ballots import ballots_of
from peerorder.rules.mixture.model import BACKWARDS, RANDOM_TYPE, RELIABILITY, Sums, lanes_of, no_sums

__all__ = ["GraderPass", "RatedGraders", "SumsPass"]


@dataclass(frozen=True)
class SumsPass:
    """One pass over all ballots; ``others`` are all parameters but the utilities."""

    utility: Shared
    others: FloatArray
    n_papers: int

    def start(self) -> Sums:
        """Return the sums over no graders."""
        return no_sums(self.n_papers)

    def add(self, state: Sums, batch: Profile) -> Sums:
        """Add the sums over the graders of a batch."""
        return ballots_of(batch).add_to(state, self.utility.load(), lanes_of(self.others))

    def merge(self, state: Arrays, other: Arrays) -> Sums:
        """Add two sums."""
        return Sums(*state).plus(Sums(*other))

    def finish(self, state: Arrays) -> Sums:
        """Return the sums by their names."""
        return Sums(*state)


class RatedGraders(NamedTuple):
    """What is known about graders, in the order of the partitions."""

    reliability: FloatArray
    intervals: FloatArray
    flags: NDArray[np.int8]


@dataclass(frozen=True)
class GraderPass:
    """The last pass: reliabilities and flags of all graders."""

    utility: Shared
    others: FloatArray

    def start(self) -> RatedGraders:
        """Return nobody."""
        return RatedGraders(np.zeros(0), np.zeros((0, 2)), np.zeros(0, np.int8))

    def add(self, state: Arrays, batch: Profile) -> RatedGraders:
        """Add the graders of a batch."""
        chances = ballots_of(batch).grader_types(self.utility.load(), lanes_of(self.others), batch.n_graders)
        reliability = np.einsum("gt,t->g", chances, RELIABILITY)
        intervals = np.array(reliability_intervals(chances, RELIABILITY))
        flags = flag_codes(batch, chances, RANDOM_TYPE, BACKWARDS)
        # Nothing is known of graders who put no paper above another.
        ordered, several = (
            np.bincount(batch.grader[some], minlength=batch.n_graders) > 0
            for some in (batch.informative, batch.sizes > 1)
        )
        reliability[~ordered], intervals[~ordered] = np.nan, np.nan
        flags[several & ~ordered] = FLAGS.index("tied")
        return self.merge(state, RatedGraders(reliability, intervals, flags))

    def merge(self, state: Arrays, other: Arrays) -> RatedGraders:
        """Put the graders of two parts one after the other."""
        return RatedGraders(*(np.concatenate(pair) for pair in zip(state, other, strict=True)))

    def finish(self, state: Arrays) -> RatedGraders:
        """Return all graders."""
        return RatedGraders(*state)
