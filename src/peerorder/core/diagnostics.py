"""Convergence diagnostics of a sampler: rank-normalised split R-hat, bulk and tail effective sample size.

As defined by Vehtari, Gelman, Simpson, Carpenter and Bürkner (2021), Rank-Normalization, Folding, and Localization: An
Improved R-hat for Assessing Convergence of MCMC, Bayesian Analysis 16(2). All functions take an array (chain, draw,
paper) and return one number per paper.

Papers are computed in blocks, whose axes are paper, chain and draw; ``halves`` is a block with every chain split.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from peerorder.core.arrays import FloatArray, freeze
from peerorder.core.errors import InputError
from peerorder.core.translation import ngettext

__all__ = ["Diagnostics", "diagnose", "ess_bulk", "ess_tail", "split_r_hat"]

Draws: TypeAlias = NDArray[Any]

# Numbers in a block: a million papers need no second copy of everything.
BLOCK = 2**20
# Draws of a chain.
FEWEST = 4
TAILS = (0.05, 0.95)
# A summary of more papers is one of this many, evenly spaced.
MOST_PAPERS = 2**14


@dataclass(frozen=True)
class Diagnostics:
    """A summary of the diagnostics of all papers."""

    draws: int
    chains: int
    effective_sample_size: float
    """That of the whole order, from all sweeps of the chains; the others are computed from the draws that were kept."""
    r_hat: float
    """The largest rank-normalised split R-hat of a paper."""
    ess_bulk: float
    """The smallest one of a paper."""
    ess_bulk_median: float
    ess_tail: float
    """The smallest one of a paper."""
    ess_tail_median: float
    papers: int
    """The number of papers that the summary is of: all, or ``MOST_PAPERS``, evenly spaced."""


def diagnose(draws: Draws, effective_sample_size: float) -> Diagnostics:
    """Summarise the diagnostics of all papers, or of evenly spaced ones where there are many."""
    chains, length, papers = draws.shape
    if papers > MOST_PAPERS:
        draws = draws[..., np.arange(MOST_PAPERS) * papers // MOST_PAPERS]
    bulk, tail = ess_bulk(draws), ess_tail(draws)
    return Diagnostics(
        draws=chains * length,
        chains=chains,
        effective_sample_size=effective_sample_size,
        r_hat=float(split_r_hat(draws).max()),
        ess_bulk=float(bulk.min()),
        ess_bulk_median=float(np.median(bulk)),
        ess_tail=float(tail.min()),
        ess_tail_median=float(np.median(tail)),
        papers=draws.shape[2],
    )


def split_r_hat(draws: Draws) -> FloatArray:
    """Return the rank-normalised split R-hat of every paper: 1 where the halves of all chains agree.

    It is the larger one of two: of the draws, and of their distances from the median, which shows chains of different
    spread. It is 1 where nothing varies, and infinite where the halves differ and nothing varies within them.
    """
    return _by_block(draws, _r_hat_of_block)


def ess_bulk(draws: Draws) -> FloatArray:
    """Return the effective sample size of every paper for the centre of its distribution.

    It is the number of draws where nothing varies.
    """
    return _by_block(draws, lambda block: _ess(_normal_scores(_split(block))))


def ess_tail(draws: Draws) -> FloatArray:
    """Return the effective sample size of every paper for the ends of its 90% interval: the smaller one of the two.

    It is the number of draws where nothing varies.
    """
    return _by_block(draws, _ess_tail_of_block)


def _by_block(draws: Draws, compute: Callable[[Draws], FloatArray]) -> FloatArray:
    chains, length, papers = draws.shape
    if length < FEWEST:
        raise InputError(
            ngettext(
                "{draws} draw of {chains} chains is too few for R-hat and effective sample sizes",
                "{draws} draws of {chains} chains are too few for R-hat and effective sample sizes",
                chains * length,
            ).format(draws=chains * length, chains=chains)
        )
    result: FloatArray = np.empty(papers)
    step = max(BLOCK // (chains * length), 1)
    for begin in range(0, papers, step):
        some = slice(begin, begin + step)
        result[some] = compute(np.ascontiguousarray(np.moveaxis(draws[..., some], -1, 0)))
    return freeze(result)


def _split(block: Draws) -> Draws:
    """Return the halves of all chains; of an odd number of draws, that in the middle is in neither."""
    half = block.shape[2] // 2
    return np.concatenate([block[..., :half], block[..., -half:]], axis=1)


def _normal_scores(halves: Draws) -> FloatArray:
    """Return the normal quantiles of the draws' ranks among all draws of a paper; ties share the mean of theirs."""
    pooled = halves.reshape(len(halves), -1)
    order = np.argsort(pooled, axis=1, kind="stable")
    ordered = np.take_along_axis(pooled, order, axis=1)
    size = pooled.shape[1]
    differs = ordered[:, 1:] != ordered[:, :-1]
    # The first and the last rank, from 0, of those that share a value; in the order of their values.
    first, last = np.zeros(pooled.shape, np.int64), np.full(pooled.shape, size - 1)
    first[:, 1:] = np.maximum.accumulate(np.where(differs, np.arange(1, size), 0), axis=1)
    last[:, :-1] = np.minimum.accumulate(np.where(differs, np.arange(size - 1), size - 1)[:, ::-1], axis=1)[:, ::-1]
    scores: FloatArray = np.empty(pooled.shape)
    np.put_along_axis(scores, order, _quantiles(size)[first + last], axis=1)
    return scores.reshape(halves.shape)


@lru_cache(maxsize=8)
def _quantiles(size: int) -> FloatArray:
    """Return the normal quantiles of ranks 1, 1.5, 2 and so on among this many, at Blom's plotting positions."""
    # The standard library has them, too, and SciPy's take longer to import than to compute everything here.
    inverse = NormalDist().inv_cdf
    return freeze(np.array([inverse((1 + twice / 2 - 3 / 8) / (size + 1 / 4)) for twice in range(2 * size - 1)]))


def _r_hat_of_block(block: Draws) -> FloatArray:
    halves = _split(block)
    folded = np.abs(halves - np.median(halves, axis=(1, 2), keepdims=True))
    larger = np.fmax(_r_hat(halves), _r_hat(folded))
    return np.where(np.isnan(larger), 1.0, larger)


def _r_hat(halves: Draws) -> FloatArray:
    """Return the R-hat of the draws' normal scores; NaN where nothing varies."""
    scores, length = _normal_scores(halves), halves.shape[2]
    between = scores.mean(axis=2).var(axis=1, ddof=1)
    within = scores.var(axis=2, ddof=1).mean(axis=1)
    # Rounding alone is no variance.
    within[(np.ptp(halves, axis=2) == 0).all(axis=1)] = 0
    between[np.ptp(halves, axis=(1, 2)) == 0] = 0
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio: FloatArray = np.sqrt((length - 1) / length + between / within)
    return ratio


def _ess_tail_of_block(block: Draws) -> FloatArray:
    low, high = (
        _ess(_split(block <= end[:, None, None]).astype(np.float64)) for end in np.quantile(block, TAILS, axis=(1, 2))
    )
    return np.minimum(low, high)


def _ess(halves: FloatArray) -> FloatArray:
    """Return the effective sample size of the mean, by Geyer's initial monotone sequence."""
    size, length = halves.shape[1] * halves.shape[2], halves.shape[2]
    constant = np.ptp(halves, axis=(1, 2)) == 0
    covariance = _autocovariance(halves)
    variance = covariance[:, 0] + halves.mean(axis=2).var(axis=1, ddof=1)
    within = covariance[:, :1] * length / (length - 1)
    rho = 1 - (within - covariance) / np.where(constant, 1, variance)[:, None]
    rho[:, 0] = 1
    # The sum of an even lag and the next one is positive and decreases with the lag; what does not is noise.
    pairs = max((length - 1) // 2, 1)
    sums = rho[:, 0 : 2 * pairs : 2] + rho[:, 1 : 2 * pairs : 2]
    positive = np.logical_and.accumulate(sums > 0, axis=1)
    whole = np.minimum(positive.sum(axis=1), pairs - 1)
    falling = np.where(np.arange(pairs) < whole[:, None], np.minimum.accumulate(sums, axis=1), 0)
    # One more even lag reduces the variance of the estimate.
    next_even = rho[np.arange(len(rho)), 2 * whole]
    last = np.where(positive[:, -1], next_even, np.maximum(next_even, 0))
    tau = np.maximum(2 * falling.sum(axis=1) - 1 + last, 1 / np.log10(size))
    effective: FloatArray = np.where(constant, size, size / tau)
    return effective


def _autocovariance(halves: FloatArray) -> FloatArray:
    """Return the autocovariance at every lag, as the mean over half chains."""
    length = halves.shape[2]
    power = np.abs(np.fft.rfft(halves - halves.mean(axis=2, keepdims=True), 2 * length, axis=2)) ** 2
    covariance: FloatArray = np.fft.irfft(power.mean(axis=1), 2 * length, axis=1)[:, :length] / length
    return covariance
