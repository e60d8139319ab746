"""Credible intervals of places, from normal laws of the utilities."""

from statistics import NormalDist

import numpy as np

from peerorder.core.arrays import AnyIntArray, FloatArray, IntArray, freeze
from peerorder.rules.grader_types import INSIDE, normal_scores

__all__ = ["place_intervals"]

# Every utility is stood for by this many points of its law, and all points are counted in this many bins.
POINTS = 9
BINS = 2**16


def place_intervals(utility: FloatArray, error: FloatArray, rankings: AnyIntArray) -> IntArray:
    """Return the lowest and highest place of every paper, from 1, that contain it with the probability ``INSIDE``.

    A utility is about normal, with this mean and standard error. The standard error comes from a few ballots itself, so
    quantiles are those of Student's t, whose degrees of freedom we take to be twice the number of ballots (their first
    term beyond the normal ones; with normal ones, intervals contain 85 to 90%). Each end of the interval has a place
    among the utilities of the others, on average over what those may be: true utilities lie further apart than their
    means.
    """
    n = len(utility)
    tail = (1 - INSIDE) / 2
    quantile = NormalDist().inv_cdf(1 - tail)
    reach = quantile * (1 + (quantile**2 + 1) / (8 * np.maximum(rankings, 1))) * error
    points = normal_scores(POINTS) / np.std(normal_scores(POINTS))
    low, high = float((utility - 4 * error).min(initial=0.0)), float((utility + 4 * error).max(initial=0.0))
    edges = np.linspace(low, max(high, low + 1), BINS + 1)
    below = np.zeros(BINS + 1)
    for point in points:
        below[1:] += np.histogram(utility + point * error, edges)[0]
    below = np.cumsum(below) / POINTS
    # The paper itself is above its upper end with the probability of a tail, and above its lower end but for one.
    first = 1 + n - np.interp(utility + reach, edges, below) - tail
    last = 1 + n - np.interp(utility - reach, edges, below) - (1 - tail)
    places = np.stack([np.floor(first + 0.5), np.ceil(last - 0.5)], axis=1)
    return freeze(np.clip(places, 1, max(n, 1)).astype(np.int64))
