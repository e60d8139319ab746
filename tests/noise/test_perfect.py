import numpy as np
import pytest

from peerorder.core import Bundles, child
from peerorder.core.randomness import state_of
from peerorder.noise import NOISES


@pytest.mark.parametrize("authored", [None, [4, 4, 4]])
def test_every_ballot_is_its_bundle_in_true_order(authored):
    bundles = Bundles.from_rows([[0, 1, 2, 3], [3, 1], []], 5)
    profile = NOISES["perfect"].draw(bundles, [2, 0, 3, 1, 4], child(0), authored=authored)
    assert [ballot.tolist() for ballot in profile] == [[1, 3, 0, 2], [1, 3], []]


def test_nothing_is_left_to_chance():
    rng = child(0)
    before = state_of(rng)
    NOISES["perfect"].draw(Bundles.from_matrix([[0, 1], [1, 2]], 3), np.arange(3), rng)
    assert state_of(rng) == before
