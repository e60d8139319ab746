from collections import Counter
from functools import cache

import numpy as np
import pytest

from peerorder.core import child
from peerorder.schemes import SCHEMES, random_regular
from peerorder.schemes.random_regular import draw_matchings, random_rows

from .graphs import assert_grading_scheme, p_value, rows_of


def papers_alike(rows):
    """The graph up to renaming papers: which sets of bundles hold a paper."""
    n = len(rows)
    return tuple(sorted(tuple(b for b in range(n) if p in rows[b]) for p in range(n)))


def restarted(n, k, rng):
    """The paper's procedure, word by word: k random_regular, bundle by bundle, all over again when one is stuck."""
    while True:
        held = [set() for _ in range(n)]
        stuck = False
        for _ in range(k):
            left = set(range(n))
            for b in range(n):
                fits = sorted(left - held[b])
                if not fits:
                    stuck = True
                    break
                paper = fits[rng.integers(len(fits))]
                held[b].add(paper)
                left.remove(paper)
            if stuck:
                break
        if not stuck:
            return held


@cache
def exact_law(n, k):
    """The same, all choices at once: how likely every graph is in one go, and how likely a go is not stuck."""
    law = {(frozenset(),) * n: 1.0}
    for _ in range(k):
        states = {(held, frozenset(range(n))): chance for held, chance in law.items()}
        for b in range(n):
            after = Counter()
            for (held, left), chance in states.items():
                fits = left - held[b]
                for paper in fits:
                    now = (*held[:b], held[b] | {paper}, *held[b + 1 :])
                    after[now, left - {paper}] += chance / len(fits)
            states = after
        law = {held: chance for (held, _), chance in states.items()}
    done = sum(law.values())
    classes = Counter()
    for held, chance in law.items():
        classes[papers_alike(held)] += chance / done
    return classes, done


@pytest.mark.parametrize("n", range(3, 13))
def test_every_k_of_a_small_class(n):
    for k in range(1, n):
        for run in range(5):
            assert_grading_scheme(random_rows(n, k, child(run, n, k)).tolist(), n, k)


@pytest.mark.parametrize(
    ("n", "k"),
    [(100_000, 2), (20_000, 5), (1000, 8), (300, 25), (200, 100), (200, 101), (101, 50), (60, 55), (150, 149), (2, 1)],
)
def test_large_sparse_and_dense(n, k, rng):
    rows = random_rows(n, k, rng)
    assert (rows.shape, rows.dtype) == ((n, k), np.int32)
    in_order = np.sort(rows, axis=1)
    assert (in_order[:, 1:] > in_order[:, :-1]).all()
    assert (np.bincount(rows.reshape(-1), minlength=n) == k).all()


@pytest.mark.parametrize(("n", "k"), [(4, 2), (5, 2), (5, 3)])
@pytest.mark.parametrize("draw", [random_rows, restarted])
def test_law_is_that_of_the_paper_s_procedure(n, k, draw, rng):
    """Starting all over again is conditioning on a go that does not get stuck."""
    law, _ = exact_law(n, k)
    counts = Counter(papers_alike([*map(set, draw(n, k, rng))]) for _ in range(3000))
    assert p_value(counts, law) > 0.001


def test_law_is_not_uniform_over_graphs_and_a_sample_shows_it(rng):
    """The test above has teeth: it would reject a sampler that makes every labelled graph equally likely."""
    law, _ = exact_law(5, 2)
    # A pair of equal papers halves the number of ways to name the five.
    ways = {alike: 120 // (2 if len({*alike}) < 5 else 1) for alike in law}
    assert sum(ways.values()) == 2040
    counts = Counter(papers_alike([*map(set, random_rows(5, 2, rng))]) for _ in range(3000))
    assert p_value(counts, {alike: many / 2040 for alike, many in ways.items()}) < 1e-6


@pytest.mark.parametrize(("n", "k"), [(4, 2), (5, 2), (5, 3)])
def test_one_go_is_stuck_as_often_as_the_paper_s(n, k, rng):
    _, done = exact_law(n, k)
    rows = np.empty((n, k), np.int32)
    goes = Counter(draw_matchings(rows, rng, False) for _ in range(3000))
    assert p_value(goes, {True: done, False: 1 - done}) > 0.001


@pytest.mark.parametrize(("n", "k"), [(6, 2), (7, 5), (12, 3)])
def test_every_paper_is_equally_likely_in_every_bundle(n, k, rng):
    runs = 4000
    counts = np.zeros((n, n))
    for _ in range(runs):
        np.add.at(counts, (np.arange(n)[:, None], random_rows(n, k, rng)), 1)
    share = k / n
    z = (counts - runs * share) / np.sqrt(runs * share * (1 - share))
    assert abs(z).max() < 4.5


@pytest.mark.parametrize("repair", [False, True])
def test_compiled_loop_draws_what_the_plain_one_draws(repair):
    for seed in range(40):
        compiled, plain = np.empty((9, 4), np.int32), np.empty((9, 4), np.int32)
        done = draw_matchings(compiled, child(seed), repair)
        assert done == draw_matchings.py_func(plain, child(seed), repair)
        if done:
            assert compiled.tolist() == plain.tolist()


class Unlucky:
    """A generator that gives zeros for a while."""

    def __init__(self, zeros, rng):
        self.zeros, self.rng = zeros, rng

    def random(self):
        self.zeros -= 1
        return 0.0 if self.zeros >= 0 else self.rng.random()


def test_after_64_misses_all_that_fits_is_equally_likely(rng):
    """Zeros give paper b to bundle b, then hit bundle 0's own paper 64 times; papers 1 to 4 are left to it."""
    counts = Counter()
    for _ in range(2000):
        rows = np.zeros((5, 2), np.int32)
        draw_matchings.py_func(rows, Unlucky(5 + 64, rng), False)
        counts[int(rows[0, 1])] += 1
    assert p_value(counts, dict.fromkeys(range(1, 5), 1 / 4)) > 0.001


@pytest.mark.parametrize(("n", "k"), [(4, 2), (8, 4), (9, 4), (40, 20)])
def test_repair_gets_out_where_a_go_is_stuck(n, k):
    rows = np.empty((n, k), np.int32)
    stuck = [seed for seed in range(200) if not draw_matchings(rows, child(seed), False)]
    assert len(stuck) > 20
    for seed in stuck:
        assert draw_matchings(rows, child(seed), True)
        assert_grading_scheme(rows.tolist(), n, k)


@pytest.mark.parametrize("n", range(3, 13))
def test_without_fresh_starts_every_k_is_still_right(n, monkeypatch):
    monkeypatch.setattr(random_regular, "FRESH_STARTS", 0)
    for k in range(1, n):
        for run in range(5):
            rows = random_rows(n, k, child(run, n, k)).tolist()
            assert_grading_scheme(rows, n, k)
            if 2 * k > n:
                others = random_rows(n, n - k, child(run, n, k)).tolist()
                assert all(sorted(row + other) == list(range(n)) for row, other in zip(rows, others, strict=True))


def test_dense_graph_is_a_complement_after_fresh_starts(rng, monkeypatch):
    goes = []

    def recorded(rows, rng, repair):
        goes.append((rows.shape[1], repair))
        return draw_matchings(rows, rng, repair)

    monkeypatch.setattr(random_regular, "draw_matchings", recorded)
    assert_grading_scheme(random_rows(60, 55, rng).tolist(), 60, 55)
    assert goes[: random_regular.FRESH_STARTS] == [(55, False)] * random_regular.FRESH_STARTS
    assert goes[random_regular.FRESH_STARTS][0] == 5


def test_half_dense_graph_is_repaired_after_fresh_starts(rng, monkeypatch):
    goes = []

    def recorded(rows, rng, repair):
        goes.append((rows.shape[1], repair))
        return draw_matchings(rows, rng, repair)

    monkeypatch.setattr(random_regular, "draw_matchings", recorded)
    assert_grading_scheme(random_rows(60, 30, rng).tolist(), 60, 30)
    assert goes == [(30, False)] * random_regular.FRESH_STARTS + [(30, True)]


def test_scheme_gives_the_rows(rng):
    bundles = SCHEMES["random"].build(50, 4, child(3))
    assert rows_of(bundles) == random_rows(50, 4, child(3)).tolist()
