import numpy as np
from hypothesis import given, strategies as st

from peerorder.rules.rounding import level_scores


def test_scores_that_differ_by_rounding_alone_are_one():
    scores = level_scores(np.array([0.3, 0.1, 0.1 + 1e-14, 0.3 - 1e-13, 0.1 + 1e-7, 1e-13, 0.0]))
    assert scores[0] == scores[3] > scores[4] > scores[1] == scores[2] == 0.1
    assert scores[5] == scores[6] == 0


def test_what_rounding_is_depends_on_the_scale():
    scores = np.array([3e-12, 2e-12, 1e-12])
    assert np.array_equal(level_scores(scores), scores)
    assert len(set(level_scores(np.append(scores, 1.0)).tolist())) == 2


def test_nothing_and_equal_scores_stay_as_they_are():
    assert level_scores(np.empty(0)).shape == (0,)
    assert level_scores(np.zeros(3)).tolist() == [0, 0, 0]


@given(st.lists(st.integers(0, 1000), min_size=1))
def test_true_differences_stay(numbers):
    assert level_scores(np.array(numbers, float)).tolist() == numbers
