import numpy as np
import pytest

from peerorder import InputError, next_pairs, pairs, rank


def compare(rng, utilities, a, b):
    return (a, b) if rng.random() < 1 / (1 + np.exp(utilities[b] - utilities[a])) else (b, a)


def accuracy(adaptive, seed, n=24):
    """How good the order is after 60 comparisons more, which were chosen in five steps, or at random."""
    rng = np.random.default_rng(seed)
    utilities = rng.normal(0, 8, n)
    made = [compare(rng, utilities, a, (a + 1) % n) for a in range(n)]
    for _ in range(5):
        asked = [rng.choice(n, 2, replace=False).tolist() for _ in range(12)]
        if adaptive:
            asked = next_pairs(rank(pairs(made), "bradley-terry"), 12)
        made += [compare(rng, utilities, a, b) for a, b in asked]
    return rank(pairs(made), "bradley-terry").pairwise_accuracy(scores=dict(enumerate(utilities)))


def test_they_tell_more_than_random_pairs():
    gains = [accuracy(True, seed) - accuracy(False, seed) for seed in range(8)]
    # 0.053 on average, with a standard deviation of 0.03 each.
    assert np.mean(gains) > 0.025


@pytest.mark.parametrize("rule", ["posterior", "thurstone", "plackett-luce"])
def test_pairs_are_spread_over_items(rule):
    ranking = rank({g: [g % 6, (g + 1) % 6, (g + 3) % 6] for g in range(12)}, rule)
    chosen = next_pairs(ranking, 6)
    assert len({frozenset(pair) for pair in chosen}) == 6
    assert max(np.bincount(np.array(chosen).reshape(-1))) <= 3
    assert len(next_pairs(ranking, 15)) == 15


def test_items_that_are_far_apart_are_not_asked_for():
    ranking = rank([list("abcdef")] * 9, "bradley-terry")
    assert ("a", "f") not in next_pairs(ranking, 5)


def test_what_cannot_be_asked():
    with pytest.raises(InputError, match="`k` is 4; of 3 items, give a number of pairs from 1 to 3"):
        next_pairs(rank([["a", "b", "c"]], "bradley-terry"), 4)
    with pytest.raises(InputError, match="borda gives no standard errors"):
        next_pairs(rank([["a", "b", "c"]], "borda"), 1)
