"""The diagnostics beside those of ArviZ."""

import math

import numpy as np
import pytest
from arviz_stats.base import array_stats

from peerorder.core import InputError, child, diagnostics
from peerorder.core.diagnostics import diagnose, ess_bulk, ess_tail, split_r_hat

PAPERS = 40
SHAPES = [(4, 64), (2, 64), (2, 33), (8, 16), (3, 7), (2, 5), (4, 4)]


def autocorrelated(rng, shape, factor):
    draws = rng.normal(size=(*shape, PAPERS))
    for draw in range(1, shape[1]):
        draws[:, draw] += factor * draws[:, draw - 1]
    return draws


def two_values(rng, shape):
    draws = (rng.random((*shape, PAPERS)) < 0.3).astype(np.uint16)
    # No chain stands still, where ArviZ has no R-hat and ours is defined.
    draws[:, 0], draws[:, -1] = 0, 1
    draws[:, 1 : shape[1] // 2], draws[:, -(shape[1] // 2) : -1] = 1, 0
    return draws


DRAWS = {
    "independent": lambda rng, shape: rng.normal(size=(*shape, PAPERS)),
    "autocorrelated": lambda rng, shape: autocorrelated(rng, shape, 0.6),
    "sticky": lambda rng, shape: autocorrelated(rng, shape, 0.98),
    "alternating": lambda rng, shape: autocorrelated(rng, shape, -0.8),
    "places": lambda rng, shape: np.argsort(rng.normal(size=(*shape, PAPERS))).astype(np.uint16),
    "few places": lambda rng, shape: np.floor(2 * autocorrelated(rng, shape, 0.6)),
    "two places": two_values,
    "one draw elsewhere": lambda rng, shape: (
        np.eye(shape[1])[rng.integers(shape[1], size=PAPERS)].T + np.zeros((shape[0], 1, 1))
    ),
    "chains apart": lambda rng, shape: rng.normal(size=(*shape, PAPERS)) + np.arange(shape[0])[:, None, None],
    "chains of different spread": lambda rng, shape: (
        rng.normal(size=(*shape, PAPERS)) * np.arange(1, shape[0] + 1)[:, None, None]
    ),
}


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("kind", DRAWS)
def test_they_are_those_of_arviz(kind, shape):
    draws = DRAWS[kind](child(0, "diagnostics"), shape)
    axes = {"chain_axis": 0, "draw_axis": 1}
    with np.errstate(invalid="ignore", divide="ignore"):
        r_hat = array_stats.rhat(draws, method="rank", **axes)
    known = np.isfinite(r_hat)
    assert known.any()
    assert split_r_hat(draws)[known] == pytest.approx(r_hat[known], rel=1e-12)
    assert ess_bulk(draws) == pytest.approx(array_stats.ess(draws, method="bulk", **axes), rel=1e-12)
    tail = array_stats.ess(draws, method="tail", prob=(0.05, 0.95), **axes)
    assert ess_tail(draws) == pytest.approx(tail, rel=1e-12)


def test_one_chain_is_compared_by_its_halves():
    draws = child(0, "chain").normal(size=(1, 64, 3))
    draws[0, 32:, 0] += 5
    assert (split_r_hat(draws) > 1.2).tolist() == [True, False, False]


def test_what_does_not_vary():
    draws = np.zeros((4, 64, 4))
    draws[..., 1] = np.arange(4)[:, None]  # chains stand still in different places
    draws[:, 32:, 2] = 1  # all move together, once
    draws[..., 3] = 0.1  # the mean of these is not exactly 0.1
    assert split_r_hat(draws).tolist() == [1, math.inf, math.inf, 1]
    for ess in (ess_bulk(draws), ess_tail(draws)):
        assert ess[[0, 3]].tolist() == [256, 256]
        assert (ess[[1, 2]] < 10).all()


def test_spread_that_never_varies_within_chains_is_a_disagreement():
    draws = np.empty((2, 8, 1))
    draws[0, :, 0] = [4, 6] * 4
    draws[1, :, 0] = [3, 7] * 4
    assert split_r_hat(draws).tolist() == [math.inf]


def test_blocks_give_what_the_whole_gives(monkeypatch):
    draws = autocorrelated(child(0, "blocks"), (4, 64), 0.5)
    whole = [compute(draws) for compute in (split_r_hat, ess_bulk, ess_tail)]
    monkeypatch.setattr(diagnostics, "BLOCK", 3 * 256)
    for compute, expected in zip((split_r_hat, ess_bulk, ess_tail), whole, strict=True):
        assert np.array_equal(compute(draws), expected)
    monkeypatch.setattr(diagnostics, "BLOCK", 1)
    assert np.array_equal(ess_bulk(draws), whole[1])


@pytest.mark.parametrize("compute", [split_r_hat, ess_bulk, ess_tail])
def test_too_few_draws_are_refused(compute):
    with pytest.raises(InputError, match=r"^12 draws of 4 chains are too few"):
        compute(np.zeros((4, 3, 2)))


def test_the_summary_has_the_worst_and_the_median():
    draws = autocorrelated(child(0, "summary"), (4, 64), 0.5)
    found = diagnose(draws, 70.5)
    bulk, tail = ess_bulk(draws), ess_tail(draws)
    assert (found.draws, found.chains, found.effective_sample_size, found.papers) == (256, 4, 70.5, PAPERS)
    assert found.r_hat == split_r_hat(draws).max()
    assert (found.ess_bulk, found.ess_bulk_median) == (bulk.min(), np.median(bulk))
    assert (found.ess_tail, found.ess_tail_median) == (tail.min(), np.median(tail))


def test_the_summary_of_many_papers_is_one_of_evenly_spaced_ones(monkeypatch):
    draws = autocorrelated(child(0, "many"), (4, 64), 0.5)
    monkeypatch.setattr(diagnostics, "MOST_PAPERS", 16)
    spaced = [0, 2, 5, 7, 10, 12, 15, 17, 20, 22, 25, 27, 30, 32, 35, 37]
    assert diagnose(draws, 1.0) == diagnose(draws[..., spaced], 1.0)
    assert diagnose(draws, 1.0).papers == 16
