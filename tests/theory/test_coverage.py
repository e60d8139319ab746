import numpy as np
import pytest

from peerorder.core import Profile, child
from peerorder.noise import NOISES
from peerorder.rules import RULES
from peerorder.schemes import SCHEMES, hand_out
from peerorder.theory import accuracy_so_far, borda_law, effective_k


@pytest.mark.parametrize("k", [2, 5, 8])
@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_a_full_round_is_the_law_itself(k, noise):
    full = np.full(50, k * (k - 1))
    assert effective_k(full) == pytest.approx(k)
    assert accuracy_so_far(full, noise) == pytest.approx(borda_law(k, noise=noise))


def test_between_two_sizes_it_lies_between_and_rises():
    values = [accuracy_so_far(np.full(9, c)) for c in range(2, 60)]
    assert all(low < high for low, high in zip(values, values[1:], strict=False))
    assert borda_law(4, noise=0.3) < accuracy_so_far(np.full(9, 16)) < borda_law(5, noise=0.3)


def test_papers_that_were_never_compared_are_coin_tosses():
    some = np.array([20] * 8 + [0] * 2)
    assert effective_k(some) == 5
    assert accuracy_so_far(some) == pytest.approx(0.64 * borda_law(5, noise=0.3) + 0.36 / 2)
    assert accuracy_so_far(np.zeros(4, int)) == 0.5
    assert accuracy_so_far(np.zeros(0, int)) == 0.5
    assert accuracy_so_far(np.full(3, 10**6)) > 0.98


@pytest.mark.parametrize("missing", [0.0, 0.3, 0.6])
def test_it_foretells_rounds_with_missing_ballots(missing, rng):
    """Beside simulated rounds; the mean hides that some papers have more rankings than others, so by a point or two."""
    n, k, runs = 600, 8, 8
    said, found = [], []
    for _ in range(runs):
        bundles = SCHEMES["random"].build(n, k, rng)
        truth = rng.permutation(n)
        noise = NOISES.parse("condorcet:level=30")
        whole = noise.draw(bundles, truth, rng, bundle_of=hand_out(bundles, np.arange(n), rng))
        kept = np.flatnonzero(rng.random(n) >= missing).tolist()
        profile = Profile.from_ballots(
            [whole[b].tolist() for b in kept], n, grader=whole.grader[kept], authored=whole.authored
        )
        said.append(accuracy_so_far(profile.rankings * (k - 1)))
        found.append(RULES["borda"].aggregate(profile, child(0)).pairwise_accuracy(truth))
    assert np.mean(said) == pytest.approx(np.mean(found), abs=0.02)
