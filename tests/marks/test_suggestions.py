import numpy as np
import pytest
from scipy.special import ndtri

from peerorder.core.errors import InputError
from peerorder.core.randomness import child
from peerorder.marks import next_anchors, suggestions
from peerorder.marks.suggestions import BEND, MIDDLE, REACH, SLOPE, STAFF, WIDTH

from .outcomes import blurred, in_places, outcome


def doubt_left(made, anchors):
    """The sum over all papers of the variance of their marks, by one inversion: slow, and obviously right."""
    n = len(made.order)
    z = -ndtri((made.places + 0.5) / n)
    far = np.sqrt(3) * np.abs(z[:, None] - z[None]) / REACH
    prior = MIDDLE**2 + SLOPE**2 * np.outer(z, z) + BEND**2 * (1 + far) * np.exp(-far)
    if not len(anchors):
        return np.trace(prior)
    low, high = made.result.intervals.T
    doubt = (-ndtri((low - 0.5) / n) + ndtri((high - 0.5) / n)) / WIDTH
    noise = np.diag(STAFF**2 + (SLOPE * doubt[anchors]) ** 2)
    across = prior[:, anchors]
    return np.trace(prior - across @ np.linalg.inv(prior[np.ix_(anchors, anchors)] + noise) @ across.T)


def test_every_choice_leaves_the_least_doubt(rng):
    made = blurred(25, 2, rng)
    anchors = [3]
    for suggestion in next_anchors(made, 6, already=anchors):
        left = {p: doubt_left(made, [*anchors, p]) for p in range(25) if p not in anchors}
        assert left[suggestion.paper] == pytest.approx(min(left.values()))
        anchors.append(suggestion.paper)


def test_choices_are_spread_over_the_order(rng):
    made = in_places(range(1, 101), rng=rng)
    places = sorted(each.place for each in next_anchors(made, 5))
    assert places[0] < 20
    assert places[-1] > 80
    assert max(np.diff(places)) < 40


def test_of_neighbours_the_one_with_the_surer_place_is_chosen(rng):
    n = 60
    intervals = [[max(1, p - 20), min(n, p + 20)] for p in range(1, n + 1)]
    for sure in (12, 30, 47):
        intervals[sure - 1] = [sure - 1, sure + 1]
    made = in_places(range(1, n + 1), rng=rng, intervals=intervals)
    assert {12, 30, 47} <= {each.place for each in next_anchors(made, 4)}


def test_what_is_marked_is_not_asked_for_again_and_its_neighbours_are_late(rng):
    made = in_places(range(1, 101), rng=rng)
    marked = list(range(50))
    found = next_anchors(made, 3, already=marked)
    assert all(each.place > 55 for each in found)
    assert len(next_anchors(made, 200, already=marked)) == 50
    assert next_anchors(made, 3, already=range(100)) == []
    assert next_anchors(made, 0) == []


def test_ids_do_not_matter(rng):
    made = in_places(range(1, 41), rng=rng)
    moved = child(1).permutation(40)
    other = in_places(moved + 1, rng=rng)
    assert [each.place for each in next_anchors(made, 8)] == [each.place for each in next_anchors(other, 8)]


def test_reasons_say_where_the_gap_is(rng):
    made = in_places(range(1, 101), rng=rng)
    first, *rest = next_anchors(made, 8)
    assert first.reason == "no paper is marked yet; this one is the most informative about all others"
    assert (first.low, first.high) == (None, None)
    reasons = " / ".join(each.reason for each in rest)
    assert f"no marked paper is worse than place {first.place:.0f}" in reasons
    assert f"no marked paper is better than place {first.place:.0f}" in reasons
    assert "papers between places" in reasons
    assert len({each.reason for each in rest}) == 7


def test_reasons_praise_places_that_are_well_known(rng):
    made = blurred(40, 3, rng)
    width = np.diff(made.result.intervals, axis=1)[:, 0]
    for each in next_anchors(made, 10):
        narrow = width[each.paper] <= np.median(width)
        assert ("known" in each.reason) == narrow
        assert (each.low, each.high) == tuple(made.result.intervals[each.paper])


def test_ties_one_paper_and_a_class_too_large_for_every_place(rng, monkeypatch):
    (alone,) = next_anchors(in_places([1], rng=rng), 5)
    assert alone.paper == 0
    tied = next_anchors(outcome([1] * 6, rng=rng), 3)
    assert len({each.paper for each in tied}) == 3
    assert "a second mark at place 4" in tied[1].reason
    made = in_places(range(1, 301), rng=rng)
    fine = [each.place for each in next_anchors(made, 6)]
    monkeypatch.setattr(suggestions, "PARTS", 60)
    coarse = [each.place for each in next_anchors(made, 6)]
    assert np.abs(np.sort(fine) - np.sort(coarse)).max() < 25


def test_bad_input_is_refused(rng):
    made = in_places([1, 2, 3], rng=rng)
    with pytest.raises(InputError, match="number of papers to mark is -1"):
        next_anchors(made, -1)
    with pytest.raises(InputError, match="numbers of the anchors"):
        next_anchors(made, 1, already=[3])
    with pytest.raises(InputError, match="no papers to mark"):
        next_anchors(in_places([], rng=rng), 1)
