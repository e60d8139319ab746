import numpy as np
import pytest

from peerorder.core.errors import InputError, OptionError
from peerorder.core.profile import Profile
from peerorder.marks import Review, ReviewScheme, Work, compute_review, marks_table, work_of_handout

from .outcomes import outcome

# Five graders, who wrote papers 0, 1, 1, 2 and nothing; the fourth ranks nothing.
WROTE = [0, 1, 1, 2, -1]
PROFILE = Profile.from_ballots([[1, 2, 3], [0, 2], [3, 0], [0, 1], [2]], 4, grader=[0, 1, 2, 4, 4], authored=WROTE)
HANDOUT = [(0, 1), (0, 2), (0, 3), (1, 0), (1, 2), (1, 3), (2, 0), (2, 3), (3, 0), (3, 1)]


def made(rng, **more):
    return outcome([4, 3, 2, 1], rng=rng, profile=PROFILE, **more)


def work():
    return work_of_handout(PROFILE, *np.array(HANDOUT).T)


def test_what_became_of_a_hand_out_counted_one_by_one():
    said = {(int(g), int(p)) for ballot, g in zip(PROFILE, PROFILE.grader, strict=True) for p in ballot}
    found = work()
    for grader in range(5):
        asked = [pair for pair in HANDOUT if pair[0] == grader]
        assert found.asked[grader] == len(asked)
        assert found.judged[grader] == len([pair for pair in asked if pair in said])
    assert found.judged.tolist() == [3, 2, 2, 0, 0]


def test_a_hand_out_that_nobody_did_anything_about():
    empty = Profile.from_ballots([], 3, authored=[0, 1])
    found = work_of_handout(empty, [0, 0, 1, 1], [1, 2, 0, 0])
    assert (found.asked.tolist(), found.judged.tolist()) == ([2, 1], [0, 0])


def test_done_is_a_share_and_reliability_counts_for_what_was_done(rng):
    found = compute_review(made(rng, reliability=np.array([0.9, 0.7, 0.9, 0.9, 0.9])), ReviewScheme(60, 40), work())
    assert found.done == pytest.approx([1, 2 / 3, 1, 0, np.nan], nan_ok=True)
    # Chance is 0.5, the best tenth 0.9: 0.7 is half of the way.
    assert found.reliable == pytest.approx([1, 1 / 3, 1, 0, np.nan], nan_ok=True)
    assert found.marks == pytest.approx([100, 60 * 2 / 3 + 40 / 3, 100, 0, np.nan], nan_ok=True)


def test_only_the_ratio_of_the_weights_matters(rng):
    found = made(rng, reliability=np.array([0.9, 0.7, 0.8, 0.9, 0.9]))
    one, other = (compute_review(found, ReviewScheme(*weights), work()).marks for weights in ((7, 3), (70, 30)))
    assert one == pytest.approx(other, nan_ok=True)


@pytest.mark.parametrize("flag", ["random", "reversed"])
def test_a_flagged_grader_has_no_share_of_reliability(flag, rng):
    flags = (flag, "", "", "", "")
    found = compute_review(made(rng, reliability=np.full(5, 0.8), flags=flags), ReviewScheme(70, 30), work())
    assert found.marks[0] == pytest.approx(70)
    assert found.marks[2] == pytest.approx(100)


def test_in_a_class_of_chance_nobody_is_reliable(rng):
    found = compute_review(made(rng, reliability=np.full(5, 0.5)), ReviewScheme(70, 30), work())
    assert found.marks[0] == pytest.approx(70)


def test_a_rule_that_knows_no_graders_leaves_what_was_done(rng):
    found = compute_review(made(rng), ReviewScheme(70, 30), work())
    assert found.reliable is None
    assert found.marks[:4] == pytest.approx([100, 200 / 3, 100, 0])
    assert "does not estimate" in found.notes[0]
    assert compute_review(made(rng), ReviewScheme(1, 0), work()).notes == ()
    with pytest.raises(InputError, match="reliability alone, but by hand does not estimate it"):
        compute_review(made(rng), ReviewScheme(0, 1), work())


def test_without_a_hand_out_most_graders_say_what_was_asked(rng):
    found = compute_review(made(rng), ReviewScheme())
    # They ranked 3, 2, 2, none and (in two ballots) 3 papers: the median of those who did is 2.5, so 3 were asked.
    assert found.done == pytest.approx([1, 2 / 3, 2 / 3, 0, 1])
    assert "3 papers" in found.notes[0]


def test_nobody_ranked_anything(rng):
    empty = Profile.from_ballots([], 2, authored=[0, 1])
    found = compute_review(outcome([1, 0], rng=rng, profile=empty, reliability=np.array([0.7, 0.7])), ReviewScheme())
    assert found.marks.tolist() == [0, 0]


def table(rng, scheme, marks=(80.0, 60.0, 40.0, 20.0), **more):
    review = compute_review(made(rng), scheme, work())
    return marks_table(["ann", "bob", "cy", "di", "eve"], ["a", "b", "c", "d"], WROTE, marks, review, scheme, **more)


def test_team_mates_get_the_papers_mark_and_each_her_own_review_mark(rng):
    found = table(rng, ReviewScheme(), marks=np.array([80.0, 60.0, 40.0, 20.0]))
    assert list(found) == ["student", "paper", "mark", "review_mark"]
    assert found["paper"] == ["a", "b", "b", "c", ""]
    assert found["mark"] == [80, 60, 60, 40, None]
    assert found["review_mark"] == [100, 66.67, 100, 0, None]


def test_the_penalty_is_for_the_part_that_is_missing_and_never_below_nothing(rng):
    found = table(rng, ReviewScheme(penalty=50, absent=0.0), marks=np.array([80.0, 60.0, 40.0, 20.0]))
    assert found["mark"] == [80, pytest.approx(60 - 50 / 3, abs=0.01), 60, 0, 0]


def test_staff_are_left_out(rng):
    found = table(
        rng, ReviewScheme(), marks=np.array([80.0, 60.0, 40.0, 20.0]), staff=[False, True, False, False, True]
    )
    assert found["student"] == ["ann", "cy", "di"]


def test_letters_stay_letters(rng):
    assert table(rng, ReviewScheme(), marks=list("ABCD"))["mark"] == ["A", "B", "B", "C", None]
    assert table(rng, ReviewScheme(absent=0.0), marks=list("ABCD"))["mark"][-1] == "0"
    with pytest.raises(InputError, match="a penalty takes points off, but these marks are letters"):
        table(rng, ReviewScheme(penalty=5), marks=list("ABCD"))


def test_weights_are_read_from_text():
    assert ReviewScheme.parse(" done = 70, reliable=30 ") == ReviewScheme(70, 30)
    assert ReviewScheme.parse("done=1") == ReviewScheme(1, 0)
    assert ReviewScheme.parse("reliable=2", penalty=5, absent=0) == ReviewScheme(0, 2, 5, 0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("done", "'done' is not understood; write done=70,reliable=30"),
        ("work=3", "'work=3' is not understood"),
        ("done=much", "done takes a number, not 'much'"),
        ("done=1,done=2", "done is given twice"),
        ("", "none were given"),
        ("done=-1", "done is -1; it must be 0 or more"),
        ("done=nan", "done is nan"),
        ("done=0,reliable=0", "both 0"),
    ],
)
def test_weights_that_are_none_are_refused(text, message):
    with pytest.raises(OptionError, match=message):
        ReviewScheme.parse(text)


def test_a_hand_out_that_is_none_is_refused():
    with pytest.raises(InputError, match="2 graders but 1 papers"):
        work_of_handout(PROFILE, [0, 1], [1])
    with pytest.raises(InputError, match="papers of the hand-out"):
        work_of_handout(PROFILE, [0], [9])


def test_a_review_can_be_made_by_hand():
    review = Review(np.array([1.0]), None, np.array([50.0]))
    found = marks_table(["ann"], ["a"], [0], np.array([33.333]), review, ReviewScheme())
    assert found == {"student": ["ann"], "paper": ["a"], "mark": [33.33], "review_mark": [50.0]}
    assert Work(np.array([1]), np.array([0])).asked.tolist() == [1]


def test_staff_do_not_count_among_the_best_tenth(rng):
    known = made(rng, reliability=[0.8, 0.7, 0.6, 0.5, 0.99], flags=("",) * 5)
    staff = [False] * 4 + [True]
    scheme, asked = ReviewScheme(0, 1), Work(np.full(5, 2), np.full(5, 2))
    # The fourth ranks nothing.
    best = np.quantile([0.8, 0.7, 0.6], 0.9)
    found = compute_review(known, scheme, asked, staff).marks
    assert found == pytest.approx(100 * np.clip((np.array([0.8, 0.7, 0.6, 0.5, 0.99]) - 0.5) / (best - 0.5), 0, 1))
    assert found[1] > compute_review(known, scheme, asked).marks[1]


def test_who_puts_no_paper_above_another_has_no_share_of_reliability(rng):
    profile = Profile.from_ballots([[0, 1, 2], [(0, 1, 2)], [2]], 3)
    found = outcome([3, 2, 1], rng=rng, profile=profile, reliability=np.full(3, 0.8))
    asked = work_of_handout(profile, [0, 0, 0, 1, 1, 1, 2], [0, 1, 2, 0, 1, 2, 2])
    assert compute_review(found, ReviewScheme(70, 30), asked).marks == pytest.approx([100, 70, 70])
    assert compute_review(found, ReviewScheme(70, 30), asked, tied_count=True).marks == pytest.approx([100, 100, 100])
