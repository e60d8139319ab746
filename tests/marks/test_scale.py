import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import norm

from peerorder.core.errors import InputError, OptionError, UnknownNameError
from peerorder.core.randomness import child
from peerorder.marks import SCALES, shared_places

from .outcomes import blurred, in_places, outcome

SCORES = st.lists(st.integers(0, 6), min_size=1, max_size=40)


def letters_one_by_one(scores, bands):
    """Count who is above and who is level; the letter is the first whose share reaches that far."""
    found = []
    for score in scores:
        above = sum(other > score for other in scores)
        level = sum(other == score for other in scores)
        percent = 100 * (above + level / 2) / len(scores)
        reached = 0
        for letter, share in bands.items():
            reached += share
            if share and percent <= reached + 1e-9:
                found.append(letter)
                break
    return found


@given(SCORES)
def test_a_percentile_is_the_share_below_counted_one_by_one(scores):
    marks = SCALES["percentile"].marks(outcome(scores, rng=child(0)))
    for score, mark in zip(scores, marks, strict=True):
        below = sum(other < score for other in scores)
        level = sum(other == score for other in scores)
        assert mark == pytest.approx(100 * (below + level / 2) / len(scores))


@given(SCORES)
def test_a_curve_is_the_quantile_of_the_percentile(scores):
    made = outcome(scores, rng=child(0))
    share = SCALES["percentile"].marks(made) / 100
    marks = SCALES.parse("curve:mean=60,sd=20,low=30,high=80").marks(made)
    assert marks == pytest.approx(np.clip(norm.ppf(share, 60, 20), 30, 80))


@given(SCORES)
def test_bands_are_those_counted_one_by_one(scores):
    bands = {"A": 10, "B": 0, "C": 52.5, "D": 37.5}
    scale = SCALES.parse("bands:A=10,B=0,C=52.5,D=37.5")
    assert scale.marks(outcome(scores, rng=child(0))) == letters_one_by_one(scores, bands)


def test_the_usual_bands_of_a_class_of_twenty(rng):
    marks = SCALES["bands"].marks(in_places(range(1, 21), rng=rng))
    assert "".join(marks) == "AABBBBBCCCCCCCCDDDDD"


def test_the_curve_has_the_mean_in_the_middle_and_the_spread_asked_for(rng):
    marks = SCALES.parse("curve:mean=70,sd=10").marks(in_places(range(1, 1002), rng=rng))
    assert marks[500] == pytest.approx(70)
    assert marks.std() == pytest.approx(10, rel=0.01)
    assert (np.diff(marks) < 0).all()


@pytest.mark.parametrize("spec", ["percentile", "curve", "bands"])
@given(scores=SCORES)
def test_equal_scores_get_equal_marks_and_better_ones_never_worse(spec, scores):
    scale = SCALES[spec]
    marks = scale.marks(outcome(scores, rng=child(0)))
    value = {letter: -at for at, letter in enumerate("ABCD")} if scale.letters else None
    worth = [value[mark] if value else mark for mark in marks]
    for one, its in zip(scores, worth, strict=True):
        for other, others in zip(scores, worth, strict=True):
            assert (one != other) or (its == others)
            assert (one <= other) or (its >= others)


@given(SCORES)
def test_shared_places_are_the_mean_of_those_in_the_order(scores):
    made = outcome(scores, rng=child(1))
    places = shared_places(made)
    for score in set(scores):
        tied = [at for at, other in enumerate(scores) if other == score]
        assert places[tied] == pytest.approx(np.full(len(tied), (made.places[tied] + 1).mean()))


@pytest.mark.parametrize("spec", ["percentile", "curve:mean=60,sd=15"])
def test_ends_are_the_marks_of_the_intervals_ends(spec, rng):
    made = blurred(30, 3, rng)
    scale = SCALES.parse(spec)
    low, high = scale.ends(made)
    marks = scale.marks(made)
    assert (low <= marks).all()
    assert (marks <= high).all()
    assert low == pytest.approx(scale.of_places(made.result.intervals[:, 1], 30))
    assert high == pytest.approx(scale.of_places(made.result.intervals[:, 0], 30))


def test_letters_have_ends_too_and_rules_without_intervals_have_none(rng):
    low, high = SCALES["bands"].ends(blurred(30, 3, rng))
    assert all(a >= b for a, b in zip(low, high, strict=True))
    assert low != high
    assert SCALES["bands"].ends(in_places([1, 2, 3], rng=rng)) is None


def test_one_paper_is_in_the_middle(rng):
    alone = in_places([1], rng=rng)
    assert SCALES["percentile"].marks(alone).tolist() == [50]
    assert SCALES["curve"].marks(alone).tolist() == [70]
    assert SCALES["bands"].marks(alone) == ["C"]


def test_no_papers_no_marks(rng):
    none = in_places([], rng=rng)
    assert len(SCALES["curve"].marks(none)) == 0
    assert SCALES["bands"].marks(none) == []


def test_places_beyond_the_class_are_refused():
    with pytest.raises(InputError, match="places are from 1 to 3; these are from 0 to 4"):
        SCALES["percentile"].of_places([0, 4], 3)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (
            "bands:A=10,B=25",
            "bands: the shares sum to 35 percent, 65 too few; they must sum to 100",
        ),
        ("bands:A=ten,B=90", "bands: option A takes a number, not 'ten'"),
        ("bands:A=-10,B=110", "bands: option A is -10; it must be from 0 to 100"),
        ("bands:A=50,A=50", "option A is given twice"),
        ("bands:=100", "the share 100 has no letter"),
        ("curve:sd=-1", "curve: option sd is -1; it must be from 0 to 1000"),
        ("curve:average=3", "curve has no option 'average'"),
        ("percentile:x=1", "percentile has no option 'x'; it has no options"),
    ],
)
def test_wrong_options_are_named(spec, message):
    with pytest.raises(OptionError, match=message):
        SCALES.parse(spec)


def test_a_curve_upside_down_is_refused(rng):
    with pytest.raises(OptionError, match="low is 90 and high is 80"):
        SCALES.parse("curve:low=90,high=80").marks(in_places([1, 2], rng=rng))


def test_an_unknown_scale_is_answered_with_the_nearest():
    with pytest.raises(UnknownNameError, match=r"there is no scale of marks called 'bandz'; did you mean bands\?$"):
        SCALES.parse("bandz")


@pytest.mark.parametrize("spec", ["percentile", "curve:sd=12.5", "bands", "bands:1=33.3,2=33.3,fail=33.4"])
def test_the_spec_gives_the_scale_again(spec):
    assert SCALES.parse(spec).spec == spec
    assert SCALES.parse(SCALES.parse(spec).spec).values == SCALES.parse(spec).values


def test_usual_letters_in_another_order_are_another_scale():
    assert SCALES.parse("bands:D=25,C=40,B=25,A=10").spec == "bands:D=25,C=40,B=25,A=10"
    assert SCALES.parse("bands:A=10,B=25,C=40,D=25").spec == "bands"
