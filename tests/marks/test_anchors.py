import numpy as np
import pytest
from hypothesis import given, strategies as st

from peerorder.core.errors import InputError
from peerorder.core.randomness import child
from peerorder.marks import AnchoredScale, shared_places

from .outcomes import blurred, in_places, outcome


def falling(marks):
    """Isotonic regression by its min-max formula: slow, and obviously right."""
    n = len(marks)
    return [min(max(np.mean(marks[i : j + 1]) for j in range(at, n)) for i in range(at + 1)) for at in range(n)]


@st.composite
def anchored(draw):
    n = draw(st.integers(2, 60))
    papers = draw(st.lists(st.integers(0, n - 1), min_size=2, max_size=12, unique=True))
    marks = draw(st.lists(st.integers(0, 100), min_size=len(papers), max_size=len(papers)))
    return n, papers, marks


def fitted(n, papers, marks):
    return AnchoredScale(papers, marks).fit(in_places(range(1, n + 1), rng=child(0)))


@given(anchored())
def test_in_a_known_order_the_curve_goes_through_the_anchors_made_to_fall(given_):
    n, papers, marks = given_
    by_place = np.argsort(papers)
    wanted = falling(np.array(marks, float)[by_place])
    if np.ptp(marks) and np.ptp(wanted) < 1e-7:
        with pytest.raises(InputError, match="contradict the order"):
            fitted(n, papers, marks)
        return
    curve = fitted(n, papers, marks)
    assert curve.of_places(np.array(papers)[by_place] + 1.0) == pytest.approx(wanted)
    assert curve.marks[np.array(papers)[by_place]] == pytest.approx(wanted)


@given(anchored())
def test_marks_never_rise_with_the_place_and_stay_within_bounds(given_):
    n, papers, marks = given_
    for make in (lambda: in_places(range(1, n + 1), rng=child(0)), lambda: blurred(n, 4, child(1), 24)):
        made = make()
        try:
            curve = AnchoredScale(papers, marks).fit(made)
        except InputError:
            # There is one test for each reason why not; here is one for both.
            assert np.ptp(marks) > 0
            continue
        for values in (curve.curve, curve.marks[made.order]):
            assert (np.diff(values) <= 1e-9).all()
            assert ((values >= 0) & (values <= 100)).all()
        if curve.low is not None:
            assert (curve.low <= curve.marks).all()
            assert (curve.marks <= curve.high).all()


def test_equal_scores_get_equal_marks(rng):
    made = outcome([5, 5, 4, 3, 3, 3, 1], rng=rng)
    marks = AnchoredScale([0, 6], [90, 40]).marks(made)
    assert marks[0] == marks[1]
    assert marks[3] == marks[4] == marks[5]
    assert marks[1] > marks[2] > marks[3] > marks[6]


def test_beyond_the_anchors_marks_go_on_as_a_bell_curve_does(rng):
    from scipy.stats import norm

    n = 101
    true = norm.ppf(1 - (np.arange(1, n + 1) - 0.5) / n, 60, 10)
    anchors = np.arange(20, 81, 5)
    marks = AnchoredScale(anchors, true[anchors]).marks(in_places(range(1, n + 1), rng=rng))
    assert marks == pytest.approx(true, abs=0.3)


def test_the_curve_of_many_orders_is_the_mean_of_their_curves(rng):
    n, papers, given_marks = 12, [1, 5, 10], [80, 60, 30]
    draws = np.array([rng.permutation(n) for _ in range(3)])
    mean = draws.mean(axis=0)
    made = outcome(1 - (mean + 0.5) / n, rng=rng, draws=draws)
    single = []
    for draw in draws:
        try:
            single.append(AnchoredScale(papers, given_marks).fit(in_places(draw + 1, rng=rng)).curve)
        except InputError:
            single.append(np.full(n, np.mean(given_marks)))
    curve = AnchoredScale(papers, given_marks).fit(made)
    assert curve.curve == pytest.approx(np.mean(single, axis=0))
    over_places = curve.curve[draws].mean(axis=0)
    order = np.argsort(shared_places(made), kind="stable")
    if len(np.unique(shared_places(made))) == n:
        assert curve.marks[order] == pytest.approx(falling(over_places[order]))


def test_what_is_less_known_has_wider_marks(rng):
    sharp, dim = (AnchoredScale([2, 20, 37], [90, 65, 40]).fit(blurred(40, width, child(3))) for width in (1, 6))
    assert (dim.high - dim.low).mean() > 1.2 * (sharp.high - sharp.low).mean()
    careful, careless = (AnchoredScale([2, 20, 37], [90, 65, 40], e).fit(blurred(40, 1, child(3))) for e in (1, 10))
    assert (careless.high - careless.low).mean() > 1.5 * (careful.high - careful.low).mean()
    few, many = (
        AnchoredScale(papers, 95 - 1.5 * np.array(papers)).fit(blurred(40, 1, child(3)))
        for papers in ([1, 38], [1, 10, 20, 29, 38])
    )
    between = slice(10, 29)
    assert few.spread[between].mean() > many.spread[between].mean()


def test_anchors_that_disagree_show_how_far_staff_are_off(rng):
    made = in_places(range(1, 61), rng=rng)
    papers = np.arange(0, 60, 2)
    line = 90 - papers
    true = AnchoredScale(papers, line, 5).fit(made).staff_error
    off = AnchoredScale(papers, np.clip(line + child(5).normal(0, 15, 30), 0, 100), 5).fit(made).staff_error
    assert true == pytest.approx(5)
    assert 9 < off < 20


def test_rules_that_do_not_say_how_sure_they_are_give_no_ends(rng):
    scale = AnchoredScale([0, 2], [80, 50])
    made = in_places([1, 2, 3], rng=rng)
    assert scale.ends(made) is None
    low, high = scale.ends(in_places([1, 2, 3], rng=rng, intervals=[[1, 2], [1, 3], [2, 3]]))
    assert (low < scale.marks(made)).all()
    assert (high > scale.marks(made)).all()


def test_an_anchor_that_contradicts_the_others_is_named_with_what_they_say(rng):
    made = in_places(range(1, 31), rng=rng)
    scale = AnchoredScale([0, 10, 14, 20, 29], [95, 80, 20, 60, 40], names=["a", "b", "odd", "d", "e"])
    (note,) = scale.fit(made).notes
    assert "staff gave 20 to odd, which has place 15, where the other anchors suggest 72;" in note


def test_equal_anchors_give_everybody_that_mark_and_say_so(rng):
    curve = AnchoredScale([0, 3], [70, 70]).fit(in_places([1, 2, 3, 4], rng=rng))
    assert curve.marks.tolist() == [70] * 4
    assert curve.notes == ("all anchors have the mark 70, so every paper gets it",)


def test_an_anchor_far_from_the_others_is_named(rng):
    curve = AnchoredScale([0, 10, 20, 30], [90, 20, 70, 60]).fit(in_places(range(1, 41), rng=rng))
    assert "staff gave 20 to 10, which has place 11," in curve.notes[0]
    assert AnchoredScale([0, 10, 20, 30], [90, 68, 70, 60]).fit(in_places(range(1, 41), rng=rng)).notes == ()


@pytest.mark.parametrize(
    ("papers", "marks", "message"),
    [
        ([], [], "no anchors are not enough; mark at least two papers"),
        ([3], [70], "1 anchor is not enough"),
        ([1, 1], [70, 80], "a paper is an anchor twice"),
        ([1, 2], [70], "there are 2 anchors but 1 marks"),
        ([1, 2], [70, 101], "an anchor has the mark 101; marks are from 0 to 100"),
        ([1, 2], [70, float("nan")], "an anchor has the mark nan"),
        ([1, 2], ["good", "bad"], "must be numbers"),
        ([-1, 2], [70, 60], "numbers of the anchors"),
    ],
)
def test_anchors_that_are_none_are_refused(papers, marks, message):
    with pytest.raises(InputError, match=message):
        AnchoredScale(papers, marks)


def test_anchors_that_do_not_fit_the_outcome_are_refused(rng):
    made = in_places([1, 2, 3], rng=rng)
    with pytest.raises(InputError, match="paper 7 is an anchor, but papers are numbered 0 to 2"):
        AnchoredScale([0, 7], [50, 60]).marks(made)
    with pytest.raises(InputError, match="contradict the order"):
        AnchoredScale([0, 2], [50, 60]).marks(made)
    with pytest.raises(InputError, match="all anchors share one place"):
        AnchoredScale([0, 2], [60, 50]).marks(outcome([1, 1, 1], rng=rng))


def test_options_are_checked_and_shown():
    with pytest.raises(InputError, match="marks are from 5 to 5"):
        AnchoredScale([0, 1], [5, 5], lowest=5, highest=5)
    with pytest.raises(InputError, match="error of staff marks, is -1"):
        AnchoredScale([0, 1], [5, 5], error=-1)
    assert AnchoredScale([0, 1], [5, 5]).spec == "anchors"
    assert AnchoredScale([0, 1], [5, 5], error=3, highest=20).spec == "anchors:error=3,highest=20"


def test_a_large_class_has_a_curve_of_few_points_that_is_nearly_the_same(rng):
    n = 20_000
    papers = [10, 5_000, 12_000, 19_900]
    curve = AnchoredScale(papers, [95, 75, 60, 30]).fit(in_places(np.arange(1, n + 1), rng=rng))
    assert len(curve.places) == 2001
    assert curve.marks[papers] == pytest.approx([95, 75, 60, 30], abs=0.2)
