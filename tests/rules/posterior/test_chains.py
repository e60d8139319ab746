import numpy as np
import pytest

from peerorder.core import child
from peerorder.rules.posterior import chains
from peerorder.rules.posterior.chains import draw, effective_sample_size, empty_tally
from peerorder.rules.posterior.grid import grid

from ..profiles import noisy

PROFILE, TRUTH = noisy(60, 5, 30)
START = -TRUTH.astype(float)


def drawn(seed=0, start=START, enough=None):
    return draw(PROFILE, grid(5), start, False, child(seed, "chains"), enough)


@pytest.mark.parametrize("cores", [1, 3])
def test_the_number_of_cores_does_not_matter(monkeypatch, cores):
    expected = drawn()
    monkeypatch.setattr(chains, "cores", lambda: cores)
    found = drawn()
    for name in ("mean", "places", "evidence", "grader_types"):
        assert np.array_equal(getattr(found, name), getattr(expected, name))


def test_where_the_chains_begin_does_not_matter():
    one, other = drawn(0), drawn(1, START + child(0, "off").normal(0, 15, 60))
    spread = one.places.std(axis=0)
    assert one.converged
    assert other.converged
    assert (np.abs(one.mean - other.mean) / spread).mean() < 0.3


def test_mean_places_are_the_mean_of_what_is_kept():
    found = drawn()
    assert found.places.mean(axis=0) == pytest.approx(found.mean, abs=2)
    assert found.mean.sum() == pytest.approx(60 * 59 / 2)
    assert found.grader_types.sum(axis=1) == pytest.approx(np.ones(60), rel=1e-3)


def test_more_draws_depend_less_on_the_seed():
    few, many = ([drawn(seed, enough=enough) for seed in (0, 1)] for enough in (None, 2048))
    assert all(found.converged and found.effective_size >= 2048 for found in many)
    apart = [np.abs(one.mean - other.mean).mean() for one, other in (few, many)]
    assert apart[1] < 0.7 * apart[0]


def test_chains_that_cannot_agree_say_so(monkeypatch):
    monkeypatch.setattr(chains, "ENOUGH", 1e9)
    monkeypatch.setattr(chains, "DOUBLINGS", 1)
    found = drawn()
    assert not found.converged
    assert np.isfinite(found.effective_size)
    assert found.mean.sum() == pytest.approx(60 * 59 / 2)


@pytest.mark.parametrize(("many", "runs", "converged"), [(60, 4, False), (59, 2, True)])
def test_two_chains_of_many_papers_are_held_to_less(monkeypatch, many, runs, converged):
    monkeypatch.setattr(chains, "MANY", many)
    monkeypatch.setattr(chains, "DOUBLINGS", 0)
    monkeypatch.setattr(chains, "effective_sample_size", lambda tallies, sweeps: 50.0)
    found = drawn()
    assert len(found.places) == runs * chains.KEPT
    assert found.converged == converged


def test_independent_draws_count_as_what_they_are():
    rng = child(0, "worth")
    tallies = [empty_tally(PROFILE, grid(5), 1) for _ in range(4)]
    for tally in tallies:
        places = rng.normal(30, 5, size=(2, 100, 60))
        tally.sums[:] = places.sum(axis=1)
        tally.squares[:] = (places**2).sum(axis=1)
    assert effective_sample_size(tallies, 100) == pytest.approx(800, rel=0.25)


def test_where_nothing_is_open_there_is_nothing_to_sample():
    tallies = [empty_tally(PROFILE, grid(5), 1) for _ in range(2)]
    for tally in tallies:
        tally.sums[:] = 100 * np.arange(60)
        tally.squares[:] = 100 * np.arange(60) ** 2
    assert effective_sample_size(tallies, 100) == np.inf
