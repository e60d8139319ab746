from itertools import combinations, pairwise
from math import gcd

import pytest

from peerorder.schemes.golomb import OPTIMAL, _cuts, _is_primitive, ruler

# OEIS A003022, from two marks on.
SHORTEST = [0, 1, 3, 6, 11, 17, 25, 34, 44, 55, 72, 85, 106, 127, 151, 177]


def differences(marks):
    return [high - low for low, high in combinations(marks, 2)]


def all_distinct(values):
    return len({*values}) == len(values)


@pytest.mark.parametrize("k", [*range(1, 31), 48, 100])
def test_differences_are_distinct(k):
    marks = ruler(k)
    assert len(marks) == k
    assert marks[0] == 0
    assert all(low < high for low, high in pairwise(marks))
    assert all_distinct(differences(marks))


@pytest.mark.parametrize("k", range(2, 31))
def test_cyclic_differences_are_distinct_from_twice_the_length_on(k):
    """What girth6 stands on: for n >= 2 L + 1 the differences are distinct mod n, in both directions."""
    marks = ruler(k)
    for n in range(2 * marks[-1] + 1, 2 * marks[-1] + 4):
        around = [step % n for d in differences(marks) for step in (d, -d)]
        assert all_distinct(around)


@pytest.mark.parametrize("k", [*range(2, 31), 48, 100])
def test_marks_have_no_common_divisor(k):
    """So the cyclic graph is connected, whatever n is."""
    assert gcd(*ruler(k)) == 1


def test_optimal_lengths_are_those_of_the_oeis():
    assert [marks[-1] for marks in OPTIMAL] == SHORTEST
    assert [ruler(k)[-1] for k in range(1, 17)] == SHORTEST


@pytest.mark.parametrize("k", range(3, 7))
def test_no_ruler_is_shorter(k):
    def rulers(length):
        tries = ((0, *inside, length) for inside in combinations(range(1, length), k - 2))
        return [marks for marks in tries if all_distinct(differences(marks))]

    assert ruler(k) in rulers(SHORTEST[k - 1])
    assert not any(rulers(length) for length in range(1, SHORTEST[k - 1]))


@pytest.mark.parametrize("k", range(17, 31))
def test_longer_rulers_are_shorter_than_k_squared(k):
    assert SHORTEST[-1] < ruler(k)[-1] < k * k


@pytest.mark.parametrize("p", [3, 5, 7, 11, 13, 17])
def test_ruzsa_s_whole_rulers_are_distinct_around_the_circle(p):
    modulus = p * (p - 1)
    turns = _cuts(p, p - 1)
    assert len(turns) == sum(gcd(f, modulus) == 1 for f in range(modulus))
    for marks in turns:
        assert len(marks) == p - 1
        assert all_distinct([step % modulus for d in differences(marks) for step in (d, -d)])


@pytest.mark.parametrize("p", [3, 5, 7, 11, 13, 31])
def test_primitive_roots_reach_everything(p):
    for g in range(1, p):
        assert _is_primitive(g, p) == ({pow(g, i, p) for i in range(1, p)} == {*range(1, p)})
