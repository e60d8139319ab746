"""The exact law of Borda on random bundles, as the class grows: the limit of simulations, in milliseconds.

In a large class the other papers in a bundle are independent random ones. A paper of true quantile r
(0 is the best) then has Binomial(k-1, r) better papers in each of its k bundles; a grader moves it
from that rank by the displacement law of ``mallows``; and its score, one point for every paper it is
put above, is the sum of k independent ballots. With perfect graders that is Binomial(k(k-1), 1-r).
Two papers' scores are independent in the limit, so the expected share of pairs in the right order is

    2 * integral over r < q of Pr[S_r > S_q] + Pr[S_r = S_q] / 2.

The article has no such law; its random column in Table 1 agrees with it.

The integrals cost no grid error. As functions of r the probabilities are polynomials of degree m =
k(k-1), and in the angle t of r = (1 - cos t)/2 they are as smooth as a bell of width 1/sqrt(m), so
Legendre polynomials up to a degree of a few sqrt(m) hold them to machine precision.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy import fft
from scipy.special import comb

from peerorder.core.arrays import FloatArray
from peerorder.core.errors import InputError
from peerorder.core.translation import gettext as _
from peerorder.theory.mallows import mean_displacement, uniform_qualities

__all__ = ["ballot_pmf", "borda_law", "grader_law", "quadrature", "score_pmf"]


def borda_law(
    k: int, *, noise: float = 0.0, qualities: ArrayLike | None = None, weights: ArrayLike | None = None
) -> float:
    """Return the share of pairs, 0 to 1, that Borda puts in the right order in a large class with random bundles.

    Parameters
    ----------
    k
        The number of papers that each student ranks.
    noise
        Condorcet graders with qualities uniform on [1-noise, 1]: a share, so the article's 30% is 0.3.
    qualities, weights
        Instead of ``noise``: the qualities of the graders, and how common each is.

    Examples
    --------
    >>> round(100 * borda_law(8), 2)
    94.12
    """
    table = grader_law(k, noise, qualities, weights)
    nodes, weight, integrate = quadrature(k * (k - 1))
    score = _score_pmf(nodes, table)
    # Pr[S_r > s] + Pr[S_r = s]/2, then its integral over r from 0 to each node q.
    above = score[:, ::-1].cumsum(axis=1)[:, ::-1] - score / 2
    share = ((integrate @ above) * score).sum(axis=1)
    return 2 * float(weight @ share)


def score_pmf(
    k: int,
    quantile: ArrayLike,
    *,
    noise: float = 0.0,
    qualities: ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> FloatArray:
    """Return the law of a paper's score, 0 to k(k-1), one point for every paper it is put above.

    Parameters
    ----------
    k, noise, qualities, weights
        As for ``borda_law``.
    quantile
        The paper's true place as a share of the class, 0 the best and 1 the worst. An array gives one
        row per place.
    """
    table = grader_law(k, noise, qualities, weights)
    r = np.asarray(quantile, np.float64)
    if not ((r >= 0) & (r <= 1)).all():
        raise InputError(
            _("a quantile is a share of the class, from 0 to 1; got {quantile!r}").format(quantile=quantile)
        )
    return _score_pmf(r.ravel(), table).reshape(*r.shape, k * (k - 1) + 1)


def grader_law(k: int, noise: float, qualities: ArrayLike | None, weights: ArrayLike | None) -> FloatArray:
    """Return the displacement law of a random grader."""
    if k < 1:
        raise InputError(_("k, the bundle size, is {k}; it must be at least 1").format(k=k))
    if qualities is None:
        if weights is not None:
            raise InputError(_("`weights` was given without `qualities`; give both, or `noise`"))
        return mean_displacement(k, *uniform_qualities(noise))
    if noise:
        raise InputError(_("both `noise` and `qualities` were given; give only one"))
    return mean_displacement(k, qualities, weights)


def ballot_pmf(quantiles: FloatArray, table: FloatArray) -> FloatArray:
    """Return the law of a paper's points on one ballot, 0 to k-1, for every quantile."""
    k = len(table)
    better, r = np.arange(k), quantiles[:, None]
    ranks = comb(k - 1, better) * r**better * (1 - r) ** (k - 1 - better)
    points: FloatArray = (ranks @ table)[:, ::-1]  # the last position earns 0 points
    return points


def _score_pmf(quantiles: FloatArray, table: FloatArray) -> FloatArray:
    k = len(table)
    ballot = ballot_pmf(quantiles, table)
    size = k * (k - 1) + 1
    padded = fft.next_fast_len(size, real=True)
    total = fft.irfft(fft.rfft(ballot, padded, axis=1) ** k, padded, axis=1)[:, :size]
    # The transform leaves errors of 1e-16 that may fall below 0.
    total = np.maximum(total, 0.0)
    law: FloatArray = total / total.sum(axis=1, keepdims=True)
    return law


def quadrature(degree: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return nodes and weights on [0, 1], and the matrix that integrates from 0 to each node.

    Exact for the polynomials of ``borda_law`` up to rounding: with as many nodes as the degree asks
    for, or, where that is fewer, as many as a bell of width 1/sqrt(degree) in the angle asks for. The
    n-th coefficient of such a bell falls like exp(-n^2 / (2 degree)). What N nodes miss is a product of
    two such tails, exp(-N^2 / degree), and that is below 1e-15 at N = 6 sqrt(degree).
    """
    number = min(degree + 1, 16 + math.ceil(6 * math.sqrt(degree)))
    x, w = np.polynomial.legendre.leggauss(number)
    legendre = np.polynomial.legendre.legvander(x, number).T
    # From -1 to x, P_n integrates to (P_(n+1)(x) - P_(n-1)(x)) / (2n+1), and P_0 to x + 1.
    rising = legendre[1:].copy()
    rising[0] += 1
    rising[1:] -= legendre[:-2]
    integrate = (rising.T / 2) @ (legendre[:-1] * w)
    return (x + 1) / 2, w / 2, integrate / 2
