from itertools import combinations

import numpy as np
import pytest

from peerorder.core import SchemeError, child
from peerorder.schemes import SCHEMES
from peerorder.schemes.planes import plane, prime_power

from .graphs import FIGURE_1, assert_grading_scheme, common_bundles, isomorphic, most_shared, rows_of

ORDERS = [1, 2, 3, 4, 5, 7, 8, 9]


def literal(p):
    """The paper's bundles F, R_i and C_is for a prime p, with its own names and indices."""
    every = range(p)
    first = {"u"} | {("v", i) for i in every}
    rows = [{"u"} | {("w", i, j) for j in every} for i in every]
    columns = [{("v", s)} | {("w", j, (i + j * s) % p) for j in every} for i in every for s in every]
    return [first, *rows, *columns]


def number(element, p):
    if element == "u":
        return 0
    kind, i, *j = element
    return 1 + i if kind == "v" else 1 + p + i * p + j[0]


@pytest.mark.parametrize("p", [1, 2, 3, 5, 7, 11, 13])
def test_plane_is_the_paper_s_formula_for_primes(p):
    assert [{*row} for row in plane(p).tolist()] == [{number(x, p) for x in bundle} for bundle in literal(p)]


@pytest.mark.slow
@pytest.mark.parametrize("q", ORDERS)
def test_lemma_1_every_two_papers_meet_exactly_once(q):
    n, k = q * q + q + 1, q + 1
    rows = plane(q).tolist()
    assert_grading_scheme(rows, n, k)
    shared = common_bundles(rows, n)
    assert (shared == np.ones((n, n)) + (k - 1) * np.eye(n)).all()
    assert all(len({*one} & {*other}) == 1 for one, other in combinations(rows, 2))


def test_figure_1_is_the_plane_of_order_2():
    assert isomorphic(plane(2).tolist(), [[int(paper) for paper in row] for row in FIGURE_1])
    # The oracle can say no: another 3-regular graph on 7 and 7.
    assert not isomorphic(plane(2).tolist(), [[i, (i + 1) % 7, (i + 2) % 7] for i in range(7)])


def test_plane_of_order_1_is_the_hexagon():
    assert sorted(map(sorted, plane(1).tolist())) == [[0, 1], [0, 2], [1, 2]]


@pytest.mark.parametrize("q", [-1, 0, 6, 10, 12, 14, 15])
def test_no_plane_without_a_field(q):
    with pytest.raises(SchemeError, match=f"k-1 is {q}, neither 1 nor a prime power"):
        plane(q)


def test_prime_power_is_what_multiplying_out_gives():
    primes = [p for p in range(2, 3000) if all(p % d for d in range(2, int(p**0.5) + 1))]
    powers = {p**e: (p, e) for p in primes for e in range(1, 12) if p**e < 3000}
    assert [prime_power(q) for q in range(-2, 3000)] == [powers.get(q) for q in range(-2, 3000)]


@pytest.mark.parametrize(("n", "k"), [(3, 2), (30, 2), (7, 3), (49, 3), (26, 4), (42, 5), (31, 6), (57, 8)])
def test_copies_are_planes(n, k, rng):
    rows = rows_of(SCHEMES["planes"].build(n, k, rng))
    assert_grading_scheme(rows, n, k)
    assert most_shared(rows) == 1
    shared = common_bundles(rows, n) > 0
    # Who meets one paper meets nobody else: the rows of papers in one plane are the same.
    planes = np.unique(shared, axis=0)
    assert len(planes) == n // (k * (k - 1) + 1)
    assert (planes.sum(axis=1) == k * (k - 1) + 1).all()
    assert (planes.sum(axis=0) == 1).all()


@pytest.mark.parametrize("k", [2, 3, 5, 9])
def test_order_revealing_is_one_plane(k, rng):
    n = k * (k - 1) + 1
    rows = rows_of(SCHEMES["order-revealing"].build(n, k, rng))
    assert_grading_scheme(rows, n, k)
    assert (common_bundles(rows, n) > 0).all()
    if k < 5:
        assert isomorphic(rows, plane(k - 1).tolist())


def test_numbers_of_papers_say_nothing_about_who_is_in_one_bundle(rng):
    """Any third paper is in the bundle of papers 0 and 1 with probability (k-2)/(n-2)."""
    n, k, runs = 13, 4, 600
    counts = np.zeros(n)
    for _ in range(runs):
        (both,) = [row for row in rows_of(SCHEMES["order-revealing"].build(n, k, rng)) if {0, 1} <= {*row}]
        counts[both] += 1
    share = (k - 2) / (n - 2)
    assert counts[:2].tolist() == [runs, runs]
    assert abs(counts[2:] - runs * share).max() < 4.5 * np.sqrt(runs * share * (1 - share))


def test_copies_stay_isomorphic_while_papers_move():
    one, other = (rows_of(SCHEMES["planes"].build(21, 3, child(seed))) for seed in (0, 1))
    assert {*map(frozenset, one)} != {*map(frozenset, other)}
    assert isomorphic(one, other)


@pytest.mark.parametrize(
    ("n", "k", "message"),
    [
        (8, 3, r"n=8 is not a multiple of 7, the size of a plane \(k=3\); the nearest that fit: n=7 and n=14$"),
        (20, 3, "the nearest that fit: n=14 and n=21$"),
        (5, 3, "the nearest that fit: n=7$"),
        (1000, 5, "a multiple of 21.* n=987 and n=1008$"),
        (4, 2, "n=3 and n=6$"),
        (50, 7, "k-1 is 6, neither 1 nor a prime power, so there is no plane; the nearest that fit: k=6 and k=8$"),
        (200, 11, "k=10 and k=12$"),
        (1000, 15, "k=14 and k=17$"),
        (1000, 16, "k=14 and k=17$"),
        (9, 1, "k-1 is 0, .* the nearest that fit: k=2$"),
    ],
)
def test_what_does_not_fit_names_the_nearest_that_does(n, k, message, rng):
    with pytest.raises(SchemeError, match=message):
        SCHEMES["planes"].build(n, k, rng)


@pytest.mark.parametrize("k", range(1, 40))
def test_the_nearest_k_that_an_error_names_do_fit(k, rng):
    fits = [c for c in range(2, 90) if c == 2 or prime_power(c - 1)]
    if k in fits:
        return
    below, above = [c for c in fits if c < k][-1:], [c for c in fits if c > k][:1]
    with pytest.raises(SchemeError, match=" and ".join(f"k={c}" for c in below + above) + "$"):
        SCHEMES["planes"].build(k + 1, k, rng)


def test_the_nearest_n_that_an_error_names_do_fit(rng):
    with pytest.raises(SchemeError) as caught:
        SCHEMES["planes"].build(100, 4, rng)
    named = [int(part.split("=")[1]) for part in str(caught.value).split(": ")[1].split(" and ")]
    assert named == [91, 104]
    for n in named:
        assert len(SCHEMES["planes"].build(n, 4, rng)) == n


@pytest.mark.parametrize(
    ("n", "k", "message"),
    [
        (14, 3, "an order-revealing scheme with k=3 has exactly n=7 papers, not 14"),
        (5, 3, "exactly n=7 papers, not 5"),
        (43, 7, "k-1 is 6, neither 1 nor a prime power"),
    ],
)
def test_order_revealing_has_one_n(n, k, message, rng):
    with pytest.raises(SchemeError, match=message):
        SCHEMES["order-revealing"].build(n, k, rng)
