"""Pairwise contests between papers that share a ballot, in sparse rows: what majority rules start from."""

from typing import TYPE_CHECKING

import numpy as np
import scipy

from peerorder.core.jit import kernel
from peerorder.core.profile import Profile

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["contests", "list_pairs"]


def contests(profile: Profile) -> "csr_array":
    """For every two papers on one ballot, the ballots that put the row above the column less those that put it below.

    Papers that are even, by ties or by opposite ballots, have an explicit 0: they met, and nobody won. Papers that
    share no ballot have no entry.
    """
    n = profile.n_papers
    above, below, sign = list_pairs(profile.papers, profile.start, profile.tie_levels)
    rows, columns = np.concatenate([above, below]), np.concatenate([below, above])
    # Adding up repeated entries keeps those that come to 0; subtracting two sparse matrices would lose them.
    net = scipy.sparse.csr_array((np.concatenate([sign, -sign]), (rows, columns)), shape=(n, n))
    net.sort_indices()
    return net


@kernel
def list_pairs(papers, start, levels):  # type: ignore[no-untyped-def]
    """Every two papers of every ballot in the order written, with 1 where the first is above and 0 for a tie."""
    total = 0
    for row in range(len(start) - 1):
        size = start[row + 1] - start[row]
        total += size * (size - 1) // 2
    above = np.empty(total, np.int32)
    below = np.empty(total, np.int32)
    sign = np.empty(total, np.int32)
    t = 0
    for row in range(len(start) - 1):
        for at in range(start[row], start[row + 1]):
            for other in range(at + 1, start[row + 1]):
                above[t] = papers[at]
                below[t] = papers[other]
                sign[t] = levels[at] < levels[other]
                t += 1
    return above, below, sign
