"""What a chain is, and what it leaves behind, as arrays that kernels read and change."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from peerorder.core.arrays import FloatArray
from peerorder.rules.posterior.grid import Float32Array

__all__ = ["State", "Tally"]


class State(NamedTuple):
    """One chain, changed in place."""

    x: NDArray[np.uint16]
    """The quantile of every paper."""
    seen: NDArray[np.uint16]
    """The quantile of the paper at every entry."""
    entry: NDArray[np.int32]
    """The entry of every slot; changes where ties are drawn."""
    slot: NDArray[np.int32]
    """The slot of every entry."""
    grader_type: NDArray[np.int8]
    """The type of every ballot's grader."""
    width: Float32Array
    """The distance of lattice points, for every paper."""
    weights: FloatArray
    """The weights of the types: for those who wrote nothing or everybody, then at the anchors."""
    assortativity: FloatArray
    """One number: the present assortativity of the papers on one ballot."""


class Tally(NamedTuple):
    """What a chain leaves behind."""

    sums: FloatArray
    """The sum of every paper's places, in the first and second half."""
    squares: FloatArray
    """The sum of their squares."""
    surplus: Float32Array
    """The sum of how many places every paper was higher than its moves would put it on average."""
    places: NDArray[np.unsignedinteger]
    """The places of all papers in the sweeps that are kept."""
    evidence: Float32Array
    """log Pr[the ballots of every grader] in the sweeps that are kept, over all types."""
    quantiles: NDArray[np.uint16]
    """The quantiles of all papers in the sweeps that are kept; of none where there are many papers."""
    weights: Float32Array
    """The weights of the types in the sweeps that are kept; means over graders where quality is tied to place."""
    grader_types: Float32Array
    """The probabilities of every grader's types, summed over the sweeps that are kept."""
    assortativity: NDArray[np.int64]
    """One number: the sweeps in which papers on one ballot were more similar than by chance."""
