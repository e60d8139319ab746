"""The exact law of Borda with missing ballots, and the mean error of places, as the class grows.

A share of the ballots is missing at random, so a paper keeps a Binomial(k, 1-missing) number R of its k ballots. Given
R its points are the sum of R independent ballots, by the laws of ``limit_law``, and Borda's score is that sum over R:
comparisons won over comparisons made, up to the factor k-1 that all papers share. A paper without any ballot scores
1/2. The law of the score is the mixture over R, on the fractions that can occur; what follows from it follows as in
``limit_law``, because two papers' ballots go missing independently in the limit.

The place of a paper with score x, as a share of the class, is the share of papers that score more than x, plus, at
random, some of those that tie with it. So it is uniform between two numbers, and its mean distance from the true
place r has a closed form.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike
from scipy import fft
from scipy.special import comb

from peerorder.core.arrays import FloatArray
from peerorder.core.errors import InputError
from peerorder.core.translation import gettext as _
from peerorder.theory.limit_law import ballot_pmf, grader_law, quadrature

__all__ = ["Forecast", "borda_forecast", "share_pmf"]

# Different scores differ by at least 1/k^2; sums that should be equal differ in their last bits.
DIGITS = 9
# Numbers of ballots that are less probable than this are omitted.
NEVER = 1e-16
# Distances bend where the place may be the true one, so with few papers per ballot they need more nodes than
# polynomials do.
SMOOTH = 400


@dataclass(frozen=True)
class Forecast:
    """The expected accuracy of an order; both numbers are shares, from 0 to 1."""

    pairwise_accuracy: float
    """The share of pairs of papers in the right order."""
    off: float
    """The mean distance of a paper from its true place, as a share of the class."""


def borda_forecast(
    k: int,
    *,
    noise: float = 0.0,
    missing: float = 0.0,
    qualities: ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> Forecast:
    """Return the expected accuracy of Borda in a large class with random bundles and ballots missing at random.

    Parameters
    ----------
    k, noise, qualities, weights
        As for ``borda_law``.
    missing
        The share of the ballots that are missing, from 0 to 1, independently of quality.

    Examples
    --------
    >>> forecast = borda_forecast(8, missing=0.2)
    >>> round(100 * forecast.pairwise_accuracy, 2), round(100 * forecast.off, 2)
    (93.36, 4.68)
    """
    nodes, weight, integrate = _nodes(max(k * (k - 1), SMOOTH))
    _, score = _share_pmf(k, nodes, grader_law(k, noise, qualities, weights), missing)
    above = score[:, ::-1].cumsum(axis=1)[:, ::-1] - score / 2
    recovered = 2 * float(weight @ ((integrate @ above) * score).sum(axis=1))
    tied = weight @ score
    better = weight @ above - tied / 2  # the share of the class that scores more
    off = float(weight @ (score * _mean_distance(better, tied, nodes[:, None])).sum(axis=1))
    return Forecast(recovered, off)


def share_pmf(
    k: int,
    quantile: ArrayLike,
    *,
    noise: float = 0.0,
    missing: float = 0.0,
    qualities: ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Return the scores that can occur, from 0 to 1, and for every quantile how probable each is."""
    r = np.asarray(quantile, np.float64)
    if not ((r >= 0) & (r <= 1)).all():
        raise InputError(
            _("a quantile is a share of the class, from 0 to 1; got {quantile!r}").format(quantile=quantile)
        )
    scores, law = _share_pmf(k, r.ravel(), grader_law(k, noise, qualities, weights), missing)
    return scores / max(k - 1, 1), law.reshape(*r.shape, len(scores))


@cache
def _nodes(degree: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Keep the nodes: they are the same for all small k, and take longer than what is done with them."""
    return quadrature(degree)


def _share_pmf(k: int, quantiles: FloatArray, table: FloatArray, missing: float) -> tuple[FloatArray, FloatArray]:
    """Return the points per ballot that can occur, rising, and how probable each is at each quantile."""
    if not 0 <= missing <= 1:
        raise InputError(
            _("`missing`, the share of missing ballots, is {missing}; it must be from 0 to 1").format(missing=missing)
        )
    number = np.arange(k + 1)
    came = comb(k, number) * (1 - missing) ** number * missing ** (k - number)
    padded = fft.next_fast_len(k * (k - 1) + 1, real=True)
    transformed = fft.rfft(ballot_pmf(quantiles, table), padded, axis=1)
    points, laws = [np.array([(k - 1) / 2])], [np.full((len(quantiles), 1), came[0])]
    power = np.ones_like(transformed)
    for r in range(1, k + 1):
        power *= transformed
        if came[r] < NEVER:
            continue
        size = r * (k - 1) + 1
        total = np.maximum(fft.irfft(power, padded, axis=1)[:, :size], 0.0)
        points.append(np.arange(size) / r)
        laws.append(came[r] * total / total.sum(axis=1, keepdims=True))
    every = np.concatenate(points).round(DIGITS)
    order = np.argsort(every, kind="stable")
    scores, first = np.unique(every[order], return_index=True)
    mixed = np.add.reduceat(np.concatenate(laws, axis=1)[:, order], first, axis=1)
    return scores, mixed


def _mean_distance(low: FloatArray, width: FloatArray, r: FloatArray) -> FloatArray:
    """Return E|U - r| for U uniform on [low, low + width]."""
    before, after = np.clip(r - low, 0, width), np.clip(low + width - r, 0, width)
    inside = (before**2 + after**2) / np.where(width > 0, 2 * width, 1)
    outside = np.abs(low + width / 2 - r)
    return np.asarray(np.where((before > 0) & (after > 0) & (width > 0), inside, outside))
