"""Overlap of the bundles of two papers: lambda, theta and eta(G), on which the bounds of the article rest.

Write L for the matrix of lambda_uv, the number of bundles that hold both u and v, with a zero
diagonal. The definition theta_uv = 4 * sum over z other than u, v of (lambda_uz + lambda_vz)^2
multiplies out to

    theta_uv = 4 * (a_u + a_v - 2 lambda_uv^2 + 2 (L^2)_uv),    a_u = sum over z of lambda_uz^2,

so that a pair that neither shares a bundle nor has a neighbour in common needs only a_u and a_v.
"""

import math

import numpy as np
from scipy.sparse import csr_array, diags_array

from peerorder.core.arrays import FloatArray, Int32Array, IntArray
from peerorder.core.bundles import Bundles
from peerorder.core.errors import InputError
from peerorder.core.jit import kernel
from peerorder.core.translation import gettext as _

__all__ = ["eta", "eta_bound", "eta_bound_by_cycles", "overlap_matrix", "theta", "theta_matrix"]


def overlap_matrix(bundles: Bundles) -> csr_array:
    """Return the matrix L of lambda_uv, sparse, with a zero diagonal and sorted rows.

    In a k-regular graph every row sums to k(k-1).
    """
    n, n_bundles = bundles.n_papers, len(bundles)
    ones = np.ones(len(bundles.papers), np.int64)
    start, holders = bundles.by_paper
    by_paper = csr_array((ones, holders, start), shape=(n, n_bundles))
    by_bundle = csr_array((ones, bundles.papers, bundles.start), shape=(n_bundles, n))
    common = csr_array(by_paper @ by_bundle - diags_array(bundles.degrees, shape=(n, n), dtype=np.int64))
    common.eliminate_zeros()
    common.sort_indices()
    return common


def theta(bundles: Bundles, u: int, v: int) -> int:
    """Return theta_uv of one pair of papers, straight from the definition before Lemma 3."""
    n = bundles.n_papers
    if not (0 <= u < n and 0 <= v < n):
        raise InputError(_("`u` and `v` must be papers from 0 to {last}; got {u} and {v}").format(last=n - 1, u=u, v=v))
    if u == v:
        raise InputError(_("`u` and `v` must be two different papers; got {u} twice").format(u=u))
    start, holders = bundles.by_paper
    shared = np.zeros(n, np.int64)
    for paper in (u, v):
        for bundle in holders[start[paper] : start[paper + 1]]:
            shared[bundles[bundle]] += 1
    shared[[u, v]] = 0
    return 4 * int(shared @ shared)


def theta_matrix(bundles: Bundles) -> IntArray:
    """Return theta_uv of all pairs, dense, with a zero diagonal: for small graphs, since it takes n^2 numbers."""
    common = overlap_matrix(bundles).toarray()
    own = (common**2).sum(axis=1)
    matrix: IntArray = 4 * (own[:, None] + own[None, :] - 2 * common**2 + 2 * (common @ common))
    np.fill_diagonal(matrix, 0)
    return matrix


def eta(bundles: Bundles) -> float:
    """Return eta(G), the mean of sqrt(theta_uv) over the ordered pairs u != v.

    The smaller, the better Borda's guarantee. Memory is that of ``overlap_matrix``, n k^2 numbers; the time
    is that of the walks of length two in it, at most n k^4 steps.
    """
    n = bundles.n_papers
    if n < 2:
        raise InputError(_("eta is a mean over pairs of papers, so it needs at least 2; got {n}").format(n=n))
    common = overlap_matrix(bundles)
    own = common.power(2).sum(axis=1)
    levels, level = np.unique(own, return_inverse=True)
    rows = root_sums(common.indptr, common.indices, common.data, own, levels, level, np.bincount(level))
    # A root of theta is twice that of theta/4, and an unordered pair stands for two ordered ones.
    return 4 * math.fsum(rows) / (n * (n - 1))


def eta_bound(k: int, *, girth6: bool = False) -> float:
    """Return the bound of Lemma 3 on eta(G): sqrt(8 k (k-1) (4k-3)), or 4 sqrt(k (k-1)) at girth 6 or more."""
    if k < 1:
        raise InputError(_("the bundle size is {k}; it must be at least 1").format(k=k))
    return 4 * math.sqrt(k * (k - 1)) if girth6 else math.sqrt(8 * k * (k - 1) * (4 * k - 3))


def eta_bound_by_cycles(n: int, k: int, four_cycles: int) -> float:
    """Bound eta(G) by the number of 4-cycles of a k-regular graph on n papers: our addition to Lemma 3.

    The root of a mean is at least the mean of the roots, and the mean of theta has a closed form. With
    m = k(k-1) the rows of L sum to m, and a pair that shares l bundles lies on l(l-1)/2 of the c
    4-cycles, so the a_u sum to A = n m + 4c and the entries of L^2 off its diagonal to n m^2 - A:

        eta(G)^2 <= 8 ((n-3) A/n + m^2) / (n-1).

    For n >= 3m+2 that is below 32 m/3 + 32 c/n. A random graph has about (k-1)^4/4 4-cycles whatever
    n is, so its eta is O(k) once n is large, which the article believes but leaves open: random bundles
    have a guarantee of 1 - O(1/k) too.
    """
    if n < 3 or k < 1 or four_cycles < 0:
        raise InputError(
            _("n >= 3, k >= 1 and at least 0 4-cycles are needed; got n={n}, k={k}, {four_cycles} 4-cycles").format(
                n=n, k=k, four_cycles=four_cycles
            )
        )
    m = k * (k - 1)
    total = n * m + 4 * four_cycles
    return math.sqrt(8 * ((n - 3) * total / n + m * m) / (n - 1))


@kernel
def root_sums(
    indptr: Int32Array,
    indices: Int32Array,
    data: IntArray,
    own: IntArray,
    levels: IntArray,
    level: IntArray,
    ahead: IntArray,
) -> FloatArray:
    """Return for every u the sum of sqrt(theta_uv / 4) over v > u.

    Row u of L^2 is gathered by walking the rows of u's neighbours from their far end down to u. The
    papers it does not touch are counted by their own a_v: ``level`` is the place of a_v in ``levels``,
    and ``ahead`` counts the papers after u at each level.
    """
    n = len(indptr) - 1
    direct = np.zeros(n, np.int64)
    walks = np.zeros(n, np.int64)
    seen = np.zeros(n, np.bool_)
    touched = np.empty(n, np.int64)
    met = np.zeros(len(levels), np.int64)
    ahead = ahead.copy()
    rows = np.zeros(n)
    for u in range(n):
        ahead[level[u]] -= 1
        touched_count = 0
        for x in range(indptr[u], indptr[u + 1]):
            z, weight = indices[x], data[x]
            if z > u:
                direct[z] = weight
                if not seen[z]:
                    seen[z] = True
                    touched[touched_count] = z
                    touched_count += 1
            for y in range(indptr[z + 1] - 1, indptr[z] - 1, -1):
                v = indices[y]
                if v <= u:
                    break
                walks[v] += weight * data[y]
                if not seen[v]:
                    seen[v] = True
                    touched[touched_count] = v
                    touched_count += 1
        total = 0.0
        for t in range(touched_count):
            v = touched[t]
            total += math.sqrt(own[u] + own[v] - 2 * direct[v] * direct[v] + 2 * walks[v])
            met[level[v]] += 1
            direct[v] = 0
            walks[v] = 0
            seen[v] = False
        for j in range(len(levels)):
            total += (ahead[j] - met[j]) * math.sqrt(own[u] + levels[j])
            met[j] = 0
        rows[u] = total
    return rows
