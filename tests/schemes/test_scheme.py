import numpy as np
import pytest
from hypothesis import given, strategies as st

from peerorder.core import Bundles, Option, SchemeError, child
from peerorder.schemes import SCHEMES, Scheme
from peerorder.schemes.girth6 import smallest_n
from peerorder.schemes.planes import plane, prime_power

from .graphs import assert_grading_scheme, common_bundles, rows_of

NAMES = ["random", "planes", "complete", "order-revealing", "girth6"]

# Each fits its scheme; girth6 once from a random and once from a cyclic start.
SIZES = [
    ("random", 15, 3),
    ("random", 9, 7),
    ("planes", 14, 3),
    ("complete", 14, 4),
    ("order-revealing", 13, 4),
    ("girth6", 20, 3),
    ("girth6", 15, 4),
]


def a_scheme(rows, n, **promises):
    return Scheme(
        name="test",
        summary="always the same bundles",
        citation="nobody",
        construct=lambda *_: Bundles.from_rows(rows, n),
        **promises,
    )


def test_registry_has_our_schemes_first():
    assert SCHEMES.names[:5] == NAMES


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("n", "k", "message"),
    [
        (10, 0, "k is 0; every student must rank at least 1 paper"),
        (10, -3, "k is -3; it cannot be negative"),
        (10, 10, "k is 10, but with n=10 papers there are only 9 by others; choose a smaller k or a larger n"),
        (10, 99, "k is 99, but with n=10 papers there are only 9 by others"),
        (1, 1, "with n=1 papers there are only 0 by others"),
        (0, 1, "with n=0 papers there are only 0 by others"),
        (-5, 1, "n is -5; it cannot be negative"),
        (7.0, 3, r"n is 7\.0; it must be a whole number"),
        (7, "3", "k is '3'; it must be a whole number"),
        (2**31, 3, "n is 2147483648; it can be at most"),
    ],
)
def test_bad_n_and_k(name, n, k, message, rng):
    with pytest.raises(SchemeError, match=message):
        SCHEMES[name].build(n, k, rng)


@given(st.sampled_from(NAMES), st.integers(0, 40), st.integers(0, 12), st.integers(0, 3))
def test_a_grading_scheme_where_there_is_one_and_else_an_error_of_one_line(name, n, k, seed):
    q = k - 1
    copies = 1 <= k < n and (q == 1 or prime_power(q) is not None) and n % (q * q + q + 1) == 0
    exists = {
        "random": 1 <= k < n,
        "complete": 1 <= k < n,
        "planes": copies,
        "order-revealing": copies and n == q * q + q + 1,
        "girth6": 2 <= k < n and n >= smallest_n(k),
    }
    if exists[name]:
        assert_grading_scheme(rows_of(SCHEMES[name].build(n, k, child(seed))), n, k)
    else:
        with pytest.raises(SchemeError, match=r"^.+\Z"):
            SCHEMES[name].build(n, k, child(seed))


@pytest.mark.parametrize(("name", "n", "k"), SIZES)
def test_same_seed_same_bundles(name, n, k):
    one, again, other = (SCHEMES[name].build(n, k, child(seed)) for seed in (5, 5, 6))
    assert rows_of(one) == rows_of(again)
    assert {*map(frozenset, rows_of(one))} != {*map(frozenset, rows_of(other))}


@pytest.mark.parametrize(("name", "n", "k"), SIZES)
def test_numbers_of_any_integer_type_give_the_same(name, n, k):
    plain = rows_of(SCHEMES[name].build(n, k, child(1)))
    assert rows_of(SCHEMES[name].build(np.int16(n), np.uint8(k), child(1))) == plain


@pytest.mark.parametrize(("name", "n", "k"), [size for size in SIZES if size[0] != "order-revealing"])
def test_numbers_of_papers_say_nothing(name, n, k, rng):
    """Every two papers share k(k-1)/(n-1) bundles on average, neighbouring numbers no more than others.

    In an order-revealing scheme they always share one; test_planes looks at three papers instead.
    """
    runs = 600
    shared = np.array([common_bundles(rows_of(SCHEMES[name].build(n, k, rng)), n) for _ in range(runs)])
    assert (shared[:, range(n), range(n)] == k).all()
    u, v = np.triu_indices(n, 1)
    error = shared[:, u, v].mean(axis=0) - k * (k - 1) / (n - 1)
    # All pairs vary alike, so they share one estimate of how much.
    spread = np.sqrt(shared[:, u, v].var(axis=0).mean() / runs)
    assert 0 < abs(error).max() < 4.5 * spread


def test_options_reach_the_construction(rng):
    given_options = {}

    def construct(n, k, rng, **options):
        given_options.update(options)
        return Bundles.from_matrix(plane(2), 7)

    scheme = Scheme(
        name="test",
        summary="",
        citation="",
        construct=construct,
        options=(Option("speed", 3, "how fast"), Option("loud", False, "whether")),
    )
    scheme.with_options(speed=7).build(7, 3, rng)
    assert given_options == {"speed": 7, "loud": False}


@pytest.mark.parametrize(
    ("rows", "n", "promises", "message"),
    [
        # Asked for n=4, k=2.
        ([[0, 1], [1, 2], [2, 3]], 4, {}, "is not 2-regular on 4 papers"),
        ([[0, 1], [1, 2], [2, 0]], 3, {}, "is not 2-regular on 4 papers"),
        ([[0, 1], [0, 1], [2, 3], [1, 3]], 4, {}, "is not 2-regular on 4 papers"),
        ([[0, 1, 2], [2, 3], [3, 0], [1]], 4, {}, "is not 2-regular on 4 papers"),
        ([[0, 1], [1, 2], [2, 3], [3, 0]], 5, {}, "is not 2-regular on 4 papers"),
        ([[0], [1], [2], [3]], 4, {}, "is not 2-regular on 4 papers"),
        ([[0, 1], [0, 1], [2, 3], [2, 3]], 4, {"no_four_cycles": True}, r"has 2 4-cycles \(n=4, k=2\)$"),
        ([[0, 1], [0, 1], [2, 3], [2, 3]], 4, {"connected": True}, r"has 2 components \(n=4, k=2\)$"),
        (
            [[0, 1], [0, 1], [2, 3], [2, 3]],
            4,
            {"connected": True, "no_four_cycles": True},
            r"scheme test made a graph that has 2 4-cycles and has 2 components \(n=4, k=2\)$",
        ),
    ],
)
def test_a_broken_promise_is_caught(rows, n, promises, message, rng):
    with pytest.raises(RuntimeError, match=message):
        a_scheme(rows, n, **promises).build(4, 2, rng)


@pytest.mark.parametrize("promises", [{}, {"connected": True, "no_four_cycles": True}])
def test_kept_promises_pass(promises, rng):
    rows = [[0, 1], [1, 2], [2, 3], [3, 0]]
    assert rows_of(a_scheme(rows, 4, **promises).build(4, 2, rng)) == rows


def test_what_is_not_promised_is_not_asked(rng):
    rows = [[0, 1], [0, 1], [2, 3], [2, 3]]
    assert rows_of(a_scheme(rows, 4).build(4, 2, rng)) == rows


@pytest.mark.parametrize(
    ("name", "connected", "no_four_cycles"),
    [
        ("random", False, False),
        ("planes", False, True),
        ("complete", False, False),
        ("order-revealing", True, True),
        ("girth6", True, True),
    ],
)
def test_promises_of_our_schemes(name, connected, no_four_cycles):
    assert (SCHEMES[name].connected, SCHEMES[name].no_four_cycles) == (connected, no_four_cycles)


@pytest.mark.parametrize(("name", "n", "k"), SIZES)
def test_bundles_are_read_only(name, n, k, rng):
    bundles = SCHEMES[name].build(n, k, rng)
    with pytest.raises(ValueError, match="read-only"):
        bundles.papers[0] = 0
