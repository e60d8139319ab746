from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import kendalltau

from peerorder.core import InputError, pairwise_accuracy
from peerorder.core.recovery import kendall_tau

# Around the runs of 32 that the kernel sorts by insertion, and the merges of them.
SIZES = [2, 3, 5, 31, 32, 33, 47, 63, 64, 65, 95, 96, 97, 127, 128, 129, 200, 257]


def by_definition(truth, output):
    """Pair by pair; a fraction, because the kernel promises to be exact."""
    points = pairs = 0
    for i, j in combinations(range(len(truth)), 2):
        if truth[i] == truth[j]:
            continue
        pairs += 1
        if output[i] == output[j]:
            points += Fraction(1, 2)
        elif (truth[i] < truth[j]) == (output[i] < output[j]):
            points += 1
    return None if pairs == 0 else Fraction(points, pairs)


def assert_matches_definition(truth, output):
    expected = by_definition(truth, output)
    if expected is None:
        with pytest.raises(InputError, match="is not defined"):
            pairwise_accuracy(truth, output)
    else:
        assert pairwise_accuracy(truth, output) == float(expected)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=40))
def test_few_values_many_ties_on_either_side(pairs):
    assert_matches_definition([a for a, _ in pairs], [b for _, b in pairs])


@given(st.lists(st.tuples(st.integers(-3, 3), st.floats(allow_nan=False)), max_size=40))
def test_any_numbers(pairs):
    assert_matches_definition([a for a, _ in pairs], [b for _, b in pairs])


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("values", [2, 7, 100, 1000])
def test_ties_across_the_widths_of_the_merge(n, values, rng):
    truth, output = rng.integers(0, values, (2, n))
    assert_matches_definition(truth.tolist(), output.tolist())


@pytest.mark.parametrize("n", [*SIZES, 1000, 4097])
def test_kendall_where_nothing_is_tied(n, rng):
    truth, output = rng.permutation(n), rng.permutation(n)
    assert pairwise_accuracy(truth, output) == pytest.approx((kendalltau(truth, output).statistic + 1) / 2, abs=1e-12)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=70), st.data())
def test_reversing_the_output_gives_the_rest(pairs, data):
    truth, output = (np.array(side) for side in zip(*pairs, strict=True))
    truth[:2] = 0, 1
    assert pairwise_accuracy(truth, -output) == pytest.approx(1 - pairwise_accuracy(truth, output), abs=1e-15)
    order = np.array(data.draw(st.permutations(range(len(pairs)))))
    assert pairwise_accuracy(truth[order], output[order]) == pairwise_accuracy(truth, output)


def test_numbers_beyond_32_bits_of_pairs():
    n = 100_000
    places = np.arange(n)
    assert pairwise_accuracy(places, places) == 1
    assert pairwise_accuracy(places, -places) == 0
    assert pairwise_accuracy(places, np.zeros(n)) == 0.5
    # The last paper alone is moved to the front: n - 1 wrong pairs.
    assert pairwise_accuracy(places, np.roll(places, 1)) == float(1 - Fraction(2, n))


@pytest.mark.parametrize(
    "dtype", [np.int8, np.uint8, np.uint64, np.int32, np.float16, np.float32, np.longdouble, ">i4"]
)
def test_every_kind_of_number_says_the_same(dtype, rng):
    truth = rng.permutation(50)
    output = rng.integers(0, 20, 50)
    expected = float(by_definition(truth.tolist(), output.tolist()))
    assert pairwise_accuracy(truth.astype(dtype), output.astype(dtype)) == expected
    assert pairwise_accuracy(truth.astype(dtype) + 1, output.astype(dtype)) == expected
    assert pairwise_accuracy(truth.tolist(), output.astype(dtype)[::-1][::-1]) == expected


def test_yes_and_no_and_infinities_are_numbers():
    assert pairwise_accuracy([True, False, True], [3, 1, 2]) == 1
    assert pairwise_accuracy([0, 1, 2], [-np.inf, 5.0, np.inf]) == 1
    assert pairwise_accuracy([0, 1], [0.0, -0.0]) == 0.5


def test_input_is_left_as_it_was():
    truth, output = np.array([2, 0, 1]), np.array([0.5, 0.5, 0.1])
    pairwise_accuracy(truth, output)
    assert truth.tolist() == [2, 0, 1]
    assert output.tolist() == [0.5, 0.5, 0.1]


@pytest.mark.parametrize(
    ("truth", "output", "message"),
    [
        ([0, 1, 2], [0, 1], "`truth` has 3 papers, `output` has 2"),
        ([], [], "is not defined"),
        ([4], [4], "is not defined"),
        ([1, 1, 1], [0, 1, 2], "is not defined"),
        ([0.0, np.nan], [0, 1], r"the truth has a value that is not a number \(at 1\)"),
        ([0, 1], [np.nan, 1.0], r"the output has a value that is not a number \(at 0\)"),
        ([[0, 1], [1, 0]], [0, 1], "the truth must be one number for every paper"),
        ([0, 1], 1, "the output must be one number for every paper"),
        ([0, 1], ["a", "b"], "the output must be one number for every paper"),
        ([0, 1], None, "the output must be one number for every paper"),
        ([0, 1], [2**70, 1], "the output must be one number for every paper"),
        ([[0], [1, 2]], [0, 1], "the truth must be an array"),
    ],
)
def test_what_cannot_be_compared(truth, output, message):
    with pytest.raises(InputError, match=message):
        pairwise_accuracy(truth, output)


@given(st.data())
def test_junk_is_a_number_or_an_error_of_ours(junk, data):
    truth, output = data.draw(junk), data.draw(junk)
    try:
        value = pairwise_accuracy(truth, output)
    except InputError:
        return
    assert 0 <= value <= 1


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=30))
def test_tau_is_that_of_scipy(pairs):
    truth, output = zip(*pairs, strict=True)
    if len(set(truth)) < 2 or len(set(output)) < 2:
        with pytest.raises(InputError, match="all of one side are tied"):
            kendall_tau(truth, output)
    else:
        assert kendall_tau(truth, output) == pytest.approx(kendalltau(truth, output).statistic)
