from itertools import permutations

from hypothesis import given

from peerorder.core import Profile
from peerorder.rules.contests import contests

from .profiles import any_profiles, groups_of


def by_definition(profile):
    """For every ordered pair that shares a ballot, the ballots for it less those against it."""
    net = {}
    for ballot in groups_of(profile):
        level = {p: at for at, group in enumerate(ballot) for p in group}
        for a, b in permutations(level, 2):
            net[a, b] = net.get((a, b), 0) + (level[a] < level[b]) - (level[a] > level[b])
    return net


def entries(net):
    return {(a, int(b)): int(x) for a in range(net.shape[0]) for b, x in _row(net, a)}


def _row(net, a):
    at = slice(net.indptr[a], net.indptr[a + 1])
    return zip(net.indices[at], net.data[at], strict=True)


@given(any_profiles())
def test_contests_are_those_of_the_definition(profile):
    net = contests(profile)
    assert net.shape == (profile.n_papers, profile.n_papers)
    assert entries(net) == by_definition(profile)


def test_papers_that_are_even_have_met_and_strangers_have_not():
    net = contests(Profile.from_ballots([[0, 1], [1, 0], [(2, 3)], [0, 2]], 5))
    assert entries(net) == {(0, 1): 0, (1, 0): 0, (2, 3): 0, (3, 2): 0, (0, 2): 1, (2, 0): -1}
