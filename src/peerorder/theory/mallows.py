"""The law of the position that a Condorcet grader gives a paper, given its true rank in the bundle.

A grader of quality q who decides every pair correctly with probability q, all over again when the
result has a cycle, ranks by Mallows' model with phi = (1-q)/q: a ranking with d wrong pairs has a
probability in proportion to phi^d. Repeated insertion builds that ranking paper by paper, which
gives the law of one paper's position in O(k^2) steps.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from peerorder.core.arrays import FloatArray
from peerorder.core.errors import InputError
from peerorder.core.translation import gettext as _

__all__ = ["displacement", "mean_displacement", "uniform_qualities"]

NODES = 40
"""Quadrature nodes per interval of qualities: up to k=40 and beyond, only rounding errors remain."""


def displacement(k: int, quality: ArrayLike) -> FloatArray:
    """Return D[j, i]: the probability that the paper of true rank j in a bundle of k is at position i, both from 0.

    Quality 1 gives the identity, 0.5 the uniform law, 0 the reversed identity. An array of qualities
    gives a matrix for each, in the last two axes.
    """
    if k < 1:
        raise InputError(_("k, the bundle size, is {k}; it must be at least 1").format(k=k))
    q = np.asarray(quality, np.float64)
    if not ((q >= 0) & (q <= 1)).all():
        raise InputError(_("a quality is a probability, from 0 to 1; got {quality!r}").format(quality=quality))
    # A grader of quality below 1/2 is the mirror image of one of quality 1-q, whose phi is at most 1.
    better = np.maximum(q, 1 - q)
    power = ((1 - better) / better)[..., None] ** np.arange(k)
    law = np.zeros((*q.shape, k, k))
    for m in range(k):
        # Paper m goes in at position t <= m with probability phi^(m-t) / (1 + phi + ... + phi^m).
        into = power[..., m::-1] / power[..., : m + 1].sum(axis=-1, keepdims=True)
        pushed = law[..., :m, :m] * into.cumsum(axis=-1)[..., None, :m]
        law[..., :m, :m] -= pushed
        law[..., :m, 1 : m + 1] += pushed
        law[..., m, : m + 1] = into
    return np.where((q < 0.5)[..., None, None], law[..., ::-1], law)


def uniform_qualities(noise: float) -> tuple[FloatArray, FloatArray]:
    """Return qualities and weights that represent qualities uniform on [1-noise, 1], the article's noise level.

    Gauss-Legendre nodes. A stretch across 1/2 is cut there, because there the laws bend most: as functions
    of complex q their poles come close to 1/2 as k grows. Noise is a share from 0 to 1: the article's 30% is 0.3.
    """
    if not 0 <= noise <= 1:
        raise InputError(_("`noise` is {noise}; it must be a share from 0 to 1").format(noise=noise))
    if noise == 0:
        return np.ones(1), np.ones(1)
    ends = [1 - noise, 1.0] if noise <= 0.5 else [1 - noise, 0.5, 1.0]
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    lengths = np.diff(ends)[:, None]
    qualities = np.asarray(ends[:-1])[:, None] + lengths * (nodes + 1) / 2
    return qualities.ravel(), (lengths / noise * weights / 2).ravel()


def mean_displacement(k: int, qualities: ArrayLike, weights: ArrayLike | None = None) -> FloatArray:
    """Return the mean of ``displacement`` over graders of mixed quality; without weights, all count equally."""
    q = np.atleast_1d(np.asarray(qualities, np.float64))
    w = np.ones(len(q)) if weights is None else np.atleast_1d(np.asarray(weights, np.float64))
    if q.ndim != 1 or q.shape != w.shape or q.size == 0:
        raise InputError(
            _("`qualities` and `weights` must be two lists of the same length; got {shape} and {other}").format(
                shape=q.shape, other=w.shape
            )
        )
    if not ((w >= 0).all() and 0 < w.sum() < np.inf):
        raise InputError(_("`weights` must be numbers from 0 up, and not all 0"))
    return np.asarray(np.tensordot(w / w.sum(), displacement(k, q), axes=1))
