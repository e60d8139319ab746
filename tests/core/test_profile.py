import pickle
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from peerorder.core import Profile, ProfileError


def relations(profile):
    """What a profile says, ballot by ballot: (a, b) where a is above b, and {a, b} where they are tied."""
    said = []
    for b in range(len(profile)):
        levels = profile.tie_levels[profile.start[b] : profile.start[b + 1]]
        ranked = list(zip(profile[b].tolist(), levels.tolist(), strict=True))
        said.append({(p, q) if i < j else frozenset((p, q)) for (p, i), (q, j) in combinations(ranked, 2)})
    return said


@st.composite
def ballots(draw, n=7, ties=True):
    """One legal ballot over n papers: some of them, best first, neighbours tied here and there."""
    papers = draw(st.lists(st.integers(0, n - 1), unique=True, max_size=n))
    ballot = []
    for paper in papers:
        if ties and ballot and draw(st.booleans()):
            ballot[-1] = (*ballot[-1], paper) if isinstance(ballot[-1], tuple) else (ballot[-1], paper)
        else:
            ballot.append(paper)
    return ballot


def test_everything_legal_at_once():
    profile = Profile.from_ballots(
        # Ties, an empty ballot, ballots of different length, two ballots by grader 0.
        [[3, (0, 2), 1], [], [4], [2, 3]],
        6,
        grader=[0, 1, 3, 0],
        # Grader 1 and 2 wrote nothing, grader 2 handed in nothing; graders 0 and 3 wrote paper 5 together.
        authored=[5, -1, -1, 5],
    )
    assert [ballot.tolist() for ballot in profile] == [[3, 0, 2, 1], [], [4], [2, 3]]
    assert profile.tie_levels.tolist() == [0, 1, 1, 2, 0, 0, 1]
    assert not profile.strict
    assert (len(profile), profile.n_graders, profile.n_papers) == (4, 4, 6)
    assert profile.grader.tolist() == [0, 1, 3, 0]
    assert profile.authored.tolist() == [5, -1, -1, 5]
    assert profile.sizes.tolist() == [4, 0, 1, 2]
    assert profile.rankings.tolist() == [1, 1, 2, 2, 1, 0]
    assert repr(profile) == "<Profile: 4 ballots by 4 graders on 6 papers, with ties>"


def test_without_graders_ballot_b_is_grader_bs():
    profile = Profile([1, 0, 2], [0, 2, 3], 3)
    assert profile.grader.tolist() == [0, 1]
    assert profile.authored.tolist() == [-1, -1]
    assert profile.strict
    assert repr(profile) == "<Profile: 2 ballots by 2 graders on 3 papers>"
    assert repr(Profile.from_ballots([[0]], 1, grader=[0])) == "<Profile: 1 ballot by 1 grader on 1 paper>"


def test_without_authors_graders_wrote_nothing():
    profile = Profile([1, 0], [0, 1, 2], 2, grader=[4, 4])
    assert profile.authored.tolist() == [-1] * 5
    assert Profile([], [0], 2, grader=[]).n_graders == 0


def test_nothing_at_all():
    profile = Profile([], [0], 0)
    assert len(profile) == profile.n_graders == len(profile.rankings) == len(profile.tie_levels) == 0
    assert profile.digest == profile.reversed().digest == Profile.from_ballots([], 0).digest


def test_ballots_like_those_of_any_sequence():
    profile = Profile.from_ballots([[0], [1, 2], []], 3)
    assert profile[-2].tolist() == [1, 2]
    for outside in (3, -4):
        with pytest.raises(IndexError):
            profile[outside]


@given(st.lists(ballots(), max_size=6))
def test_ballots_in_ballots_out(given_ballots):
    profile = Profile.from_ballots(given_ballots, 7)
    again = []
    for b in range(len(profile)):
        levels = profile.tie_levels[profile.start[b] : profile.start[b + 1]]
        places = [profile[b][levels == level].tolist() for level in range(max(levels, default=-1) + 1)]
        again.append([tuple(place) if len(place) > 1 else place[0] for place in places])
    assert again == given_ballots
    assert profile.strict == (not any(isinstance(place, tuple) for ballot in given_ballots for place in ballot))


@given(st.lists(ballots(), max_size=6))
def test_reversed_turns_every_relation_round(given_ballots):
    profile = Profile.from_ballots(given_ballots, 7, authored=[-1] * 9)
    turned = profile.reversed()
    assert relations(turned) == [
        {pair if isinstance(pair, frozenset) else pair[::-1] for pair in said} for said in relations(profile)
    ]
    twice = turned.reversed()
    assert twice.digest == profile.digest
    assert twice.papers.tolist() == profile.papers.tolist()
    assert twice.tie_levels.tolist() == profile.tie_levels.tolist()


def test_reversed_keeps_graders_and_authors():
    profile = Profile.from_ballots([[1, 2], [(0, 2), 3]], 4, grader=[2, 1], authored=[-1, 1, 0, 3])
    turned = profile.reversed()
    assert turned.grader.tolist() == [2, 1]
    assert turned.authored.tolist() == [-1, 1, 0, 3]
    assert [ballot.tolist() for ballot in turned] == [[2, 1], [3, 2, 0]]
    assert turned.tie_levels.tolist() == [0, 1, 0, 1, 1]


@given(st.lists(ballots(), max_size=6), st.data())
def test_repeated_ballots_say_the_same_again(given_ballots, data):
    graders = data.draw(st.lists(st.integers(0, 3), min_size=len(given_ballots), max_size=len(given_ballots)))
    times = data.draw(st.lists(st.integers(0, 3), min_size=4, max_size=4))
    profile = Profile.from_ballots(given_ballots, 7, grader=graders, authored=[-1] * 4)
    again = profile.reweighted(times)
    expected = [b for b, grader in enumerate(graders) for _ in range(times[grader])]
    assert relations(again) == [relations(profile)[b] for b in expected]
    assert again.grader.tolist() == [graders[b] for b in expected]
    assert again.authored.tolist() == profile.authored.tolist()


@given(st.lists(st.lists(ballots(), max_size=4), min_size=1, max_size=4))
def test_profiles_together_say_what_each_says(parts):
    profiles = [
        Profile.from_ballots(part, 7, grader=[b % 3 for b in range(len(part))], authored=[-1] * 3) for part in parts
    ]
    whole = Profile.concatenate(profiles, 9, [8, -1, 7, -1])
    assert relations(whole) == [said for profile in profiles for said in relations(profile)]
    assert whole.grader.tolist() == [grader for profile in profiles for grader in profile.grader.tolist()]
    assert (whole.n_papers, whole.authored.tolist()) == (9, [8, -1, 7, -1])


def test_repeated_needs_a_number_for_every_grader():
    with pytest.raises(ProfileError, match="2 graders but `times` has 3"):
        Profile.from_ballots([[0, 1], [1, 0]], 2).reweighted([1, 1, 1])


def test_matrix_is_strict_ballots():
    profile = Profile.from_matrix([[2, 0], [1, 2]], 3, grader=[1, 0], authored=[0, 1])
    assert [ballot.tolist() for ballot in profile] == [[2, 0], [1, 2]]
    assert profile.strict
    assert profile.tie_levels.tolist() == [0, 1, 0, 1]
    assert profile.digest == Profile.from_ballots([[2, 0], [1, 2]], 3, grader=[1, 0], authored=[0, 1]).digest


def test_digest_changes_with_every_field():
    base = {"papers": [0, 1, 2, 1, 0], "start": [0, 3, 5], "n_papers": 4, "grader": [0, 1], "authored": [3, -1, -1]}
    changes = [
        {},
        {"papers": [1, 0, 2, 1, 0]},
        {"start": [0, 2, 5], "papers": [0, 1, 2, 1, 0]},
        {"start": [0, 3, 5, 5], "grader": [0, 1, 1]},
        {"start": [0, 3, 5, 5], "grader": [0, 1, 2]},
        {"start": [0, 3, 3, 5], "grader": [0, 1, 1]},
        {"n_papers": 5},
        {"grader": [1, 0]},
        {"grader": [0, 0]},
        {"authored": [-1, 3, -1]},
        {"authored": [3, -1]},
        {"authored": [3, 3, -1]},
        {"levels": [0, 0, 1, 0, 1]},
        {"levels": [0, 1, 1, 0, 1]},
        {"levels": [0, 1, 2, 0, 0]},
    ]
    digests = [Profile(**{**base, **change}).digest for change in changes]
    assert len(set(digests)) == len(changes)


def test_digest_knows_where_a_field_ends():
    # Laid end to end, authors and tie levels of both read -1, 0, 0.
    tied = Profile.from_ballots([[(0, 1)]], 3, authored=[-1])
    strict = Profile.from_ballots([[0, 1]], 3, authored=[-1, 0, 0])
    assert tied.digest != strict.digest


def test_digest_is_equal_for_equal_content():
    first = Profile([0, 1, 2, 1], [0, 3, 4], 3)
    same = [
        Profile(np.array([0, 1, 2, 1], np.uint8), np.array([0, 3, 4], np.int16), np.int64(3)),
        Profile((0, 1, 2, 1), [0, 3, 4], 3, grader=[0, 1], authored=[-1, -1]),
        Profile([0, 1, 2, 1], [0, 3, 4], 3, levels=[0, 1, 2, 0]),
        Profile(np.array([9, 0, 1, 2, 1], ">i8")[1:], [0, 3, 4], 3, levels=np.arange(4) % 3),
        Profile.from_ballots([[0, (1,), [2]], [1]], 3),
    ]
    assert {profile.digest for profile in same} == {first.digest}
    assert all(profile.strict for profile in same)


@given(st.lists(ballots(ties=False), max_size=5))
def test_strict_levels_say_no_more_than_none(given_ballots):
    plain = Profile([p for b in given_ballots for p in b], np.cumsum([0, *map(len, given_ballots)]), 7)
    spelt = Profile(plain.papers, plain.start, 7, levels=plain.tie_levels)
    assert spelt.levels is None
    assert spelt.digest == plain.digest


def test_arrays_cannot_change():
    given_arrays = {
        "papers": np.array([0, 1, 2], np.int32),
        "start": np.array([0, 3]),
        "grader": np.array([0], np.int32),
        "authored": np.array([3], np.int32),
        "levels": np.array([0, 0, 1], np.int32),
    }
    profile = Profile(n_papers=4, **given_arrays)
    for name, array in given_arrays.items():
        before = getattr(profile, name).tolist()
        array[:] = 7
        assert getattr(profile, name).tolist() == before
    # Nor in another process.
    for one in (profile, pickle.loads(pickle.dumps(profile))):
        for array in (*(getattr(one, name) for name in given_arrays), one.sizes, one.rankings, one[0]):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 0


@pytest.mark.parametrize(
    ("given_ballots", "people", "message"),
    [
        ([[0, 1], [2, 0, 2]], {}, r"ballot 1 \(grader 1\) ranks a paper twice: \[2, 0, 2\]"),
        ([[0, 1], [(2, 2)]], {"grader": [7, 5]}, r"ballot 1 \(grader 5\) ranks a paper twice: \[2, 2\]"),
        ([[0], [], [1, 4]], {}, "ballot 2 ranks paper 4, which does not exist; papers are numbered 0 to 3"),
        ([[0, 1, 2], [-1]], {}, "ballot 1 ranks paper -1, which does not exist"),
        ([[], [], [0], [2**40]], {}, "ballot 3 ranks paper 1099511627776, which does not exist"),
        ([[1], [2, 3], [0, 3]], {"authored": [0, 1, 3]}, "ballot 2: grader 2 ranks paper 3, which they wrote"),
        ([[1], [0, 3]], {"grader": [1, 1], "authored": [2, 3]}, "ballot 1: grader 1 ranks paper 3, which they wrote"),
        ([[0], 3], {}, "ballot 1 is 3; it must be a list of papers"),
        ([[0], None], {}, "ballot 1 is None; it must be a list of papers"),
        ([[0], [[], 1]], {}, r"ballot 1 has \[\] in place 0"),
        ([[0], ["a"]], {}, "ballot 1 has 'a' in place 0"),
        ([[0], [(1, (2, 3))]], {}, r"ballot 1 has \(2, 3\) in place 0"),
    ],
)
def test_ballots_that_are_illegal_are_named(given_ballots, people, message):
    with pytest.raises(ProfileError, match=message):
        Profile.from_ballots(given_ballots, 4, **people)


def test_a_paper_where_there_are_none():
    with pytest.raises(ProfileError, match="ballot 0 ranks paper 0, which does not exist; there are no papers"):
        Profile([0], [0, 1], 0)


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        ([1, 2, 0, 1], "ballot 0: tie levels begin at 0 and rise by 0 or 1; entry 0 has 1"),
        ([0, 2, 0, 1], "ballot 0: .* entry 1 has 2"),
        ([0, 1, 1, 1], "ballot 1: .* entry 0 has 1"),
        ([0, 1, 0, 2], "ballot 1: .* entry 1 has 2"),
        ([0, 1, 0], "4 ranked papers but 3 tie levels"),
        ([], "4 ranked papers but 0 tie levels"),
        ([0, 1, 0, 1, 2], "4 ranked papers but 5 tie levels"),
        ([0, 1, 0, -1], r"levels\[3\] is -1"),
        ([0, 1, 0, 2**31], r"levels\[3\] is 2147483648"),
        ([0.0, 1, 0, 1], "levels must hold whole numbers; it holds float64"),
        ([[0, 1], [0, 1]], "levels must be a flat list"),
        ([[0], [0, 1]], "levels must be an array of numbers"),
        (["0", "1", "0", "1"], "levels must hold whole numbers"),
        (3, "levels must be a flat list"),
    ],
)
def test_levels_that_are_none(levels, message):
    with pytest.raises(ProfileError, match=message):
        Profile([0, 1, 2, 3], [0, 2, 4], 4, levels=levels)


def test_levels_may_fall_only_between_ballots():
    assert not Profile([0, 1, 2, 3], [0, 2, 2, 4], 4, levels=[0, 0, 0, 1]).strict
    with pytest.raises(ProfileError, match=r"ballot 0: .* entry 2 has 0"):
        Profile([0, 1, 2, 3], [0, 4], 4, levels=[0, 1, 0, 1])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_papers": -1}, "the number of papers is -1"),
        ({"n_papers": "3"}, "the number of papers is '3'; it must be a whole number"),
        ({"n_papers": 2**31}, "it can be at most 2147483647"),
        ({"papers": [[0, 1]]}, "papers must be a flat list of whole numbers; it has 2 dimensions"),
        ({"papers": [0.0, 1.0]}, "papers must hold whole numbers; it holds float64"),
        ({"papers": [True, False]}, "papers must hold whole numbers; it holds bool"),
        ({"papers": [[0], [0, 1]]}, "papers must be an array of numbers"),
        ({"start": [0, 1]}, "start must end with the number of entries, 2; it ends with 1"),
        ({"start": []}, "start must begin with 0"),
        ({"start": None}, "start must be a flat list"),
        ({"grader": [0, 1]}, "1 ballot but graders for 2"),
        ({"grader": []}, "1 ballot but graders for 0"),
        ({"grader": [-1]}, r"grader\[0\] is -1"),
        ({"grader": ["a"]}, "grader must hold whole numbers"),
        ({"grader": [None]}, "grader must hold whole numbers"),
        ({"grader": [np.nan]}, "grader must hold whole numbers"),
        ({"grader": [[0], [0, 1]]}, "grader must be an array of numbers"),
        ({"grader": 0}, "grader must be a flat list"),
        # An id in place of a number would ask for as many authors.
        ({"grader": [2_023_123_412]}, r"grader\[0\] is 2023123412; it must be at least 0 and below 134217728"),
        ({"grader": [2], "authored": [-1, -1]}, r"grader\[0\] is 2; it must be at least 0 and below 2"),
        ({"authored": []}, r"grader\[0\] is 0; it must be at least 0 and below 0"),
        ({"authored": [-2]}, r"authored\[0\] is -2; it must be at least -1 and below 3"),
        ({"authored": [3]}, r"authored\[0\] is 3; it must be at least -1 and below 3"),
        ({"authored": [0.5]}, "authored must hold whole numbers"),
    ],
)
def test_arrays_that_are_no_profile(change, message):
    with pytest.raises(ProfileError, match=message):
        Profile(**{"papers": [0, 1], "start": [0, 2], "n_papers": 3, **change})


def test_matrices_that_are_no_ballots():
    with pytest.raises(ProfileError, match="one row per ballot; this one has 1 dimension"):
        Profile.from_matrix([0, 1], 3)
    with pytest.raises(ProfileError, match="the matrix of ballots must be an array of numbers"):
        Profile.from_matrix([[0], [1, 2]], 3)


def assert_valid(profile):
    """What the class promises of every object that it builds."""
    many = len(profile)
    assert profile.start[0] == 0
    assert profile.start[-1] == len(profile.papers)
    assert profile.grader.shape == (many,)
    assert all(0 <= g < profile.n_graders for g in profile.grader)
    assert all(-1 <= p < profile.n_papers for p in profile.authored)
    for b in range(many):
        ranked = profile[b].tolist()
        assert len(set(ranked)) == len(ranked)
        assert all(0 <= p < profile.n_papers for p in ranked)
        assert profile.authored[profile.grader[b]] not in ranked
        levels = profile.tie_levels[profile.start[b] : profile.start[b + 1]].tolist()
        assert levels[:1] in ([], [0])
        assert all(later - earlier in (0, 1) for earlier, later in zip(levels, levels[1:], strict=False))
    assert profile.rankings.sum() == profile.sizes.sum() == len(profile.papers)
    assert profile.reversed().reversed().digest == profile.digest


@given(st.data())
def test_junk_arrays_build_a_profile_or_an_error_of_ours(junk, offsets, counts, data):
    optional = {
        name: data.draw(junk, name) for name in data.draw(st.sets(st.sampled_from(["grader", "authored", "levels"])))
    }
    try:
        profile = Profile(
            data.draw(junk, "papers"), data.draw(offsets | junk, "start"), data.draw(counts, "n_papers"), **optional
        )
    except ProfileError:
        return
    assert_valid(profile)


@given(st.data())
def test_junk_beside_sound_ballots(junk, data):
    """One array is junk, the rest is sound, so that each check is reached."""
    sound = {"papers": [0, 1, 2, 3], "start": [0, 2, 4], "n_papers": 7}
    name = data.draw(st.sampled_from(["papers", "start", "grader", "authored", "levels"]))
    try:
        profile = Profile(**{**sound, name: data.draw(junk)})
    except ProfileError:
        return
    assert_valid(profile)


@given(st.data())
def test_junk_matrices_and_lists(junk, data):
    build, given_rows = data.draw(
        st.tuples(st.just(Profile.from_matrix), junk)
        | st.tuples(st.just(Profile.from_ballots), st.lists(junk, max_size=4))
    )
    try:
        profile = build(given_rows, 7)
    except ProfileError:
        return
    assert_valid(profile)


@pytest.mark.parametrize(
    ("ballots", "message"),
    [
        ([[0], ["Ada", 1]], "ballot 1 has 'Ada' in place 0"),
        ([[0, None]], "ballot 0 has None in place 1"),
        ([[0, {1, 2}]], "ballot 0 has .1, 2. in place 1"),
        ([[0, ()]], r"ballot 0 has \(\) in place 1"),
        ([[0, (1, 2.5)]], "ballot 0 has 2.5 in place 1"),
    ],
)
def test_what_is_no_paper_is_named_with_its_ballot(ballots, message):
    with pytest.raises(ProfileError, match=message):
        Profile.from_ballots(ballots, 5)


def test_more_entries_than_can_be_counted_are_refused():
    endless = np.broadcast_to(np.int32(0), 2**31)
    with pytest.raises(ProfileError, match="at most 2147483647"):
        Profile(endless, [0, 2**31], 5)


def test_ballots_that_put_a_paper_above_another_are_telling():
    profile = Profile.from_ballots([[0, 1], [(0, 1)], [2], [], [(1, 2), 0]], 3, authored=[-1] * 5)
    assert profile.informative.tolist() == [True, False, False, False, True]
    some = profile.select(profile.informative)
    assert (some.grader.tolist(), [ballot.tolist() for ballot in some]) == ([0, 4], [[0, 1], [1, 2, 0]])
    assert (some.tie_levels.tolist(), some.n_graders) == ([0, 1, 0, 0, 1], 5)
    assert Profile.from_ballots([[], []], 0).informative.tolist() == [False, False]


def test_profiles_that_say_the_same_are_equal():
    one, same = (Profile.from_ballots([[0, 1], [(1, 2)]], 3) for _ in range(2))
    other = Profile.from_ballots([[0, 1], [1, 2]], 3)
    assert one == same == pickle.loads(pickle.dumps(one))
    assert hash(one) == hash(same)
    assert one != other
    assert one != "a profile"


def test_weights_are_kept_beside_the_ballots():
    profile = Profile.from_ballots([[0, 1], [1, 2], [2, 0]], 3, weights=[0.5, 1, 2])
    assert profile.weights.tolist() == profile.reversed().weights.tolist() == [0.5, 1, 2]
    assert profile.select(np.array([True, False, True])).weights.tolist() == [0.5, 2]
    assert profile.reweighted([2, 0, 1]).weights.tolist() == [0.5, 0.5, 2]
    both = Profile.concatenate([profile, Profile.from_ballots([[0, 2]], 3)], 3, [-1] * 3)
    assert both.weights.tolist() == [0.5, 1, 2, 1]
    plain = Profile.from_ballots([[0, 1], [1, 2], [2, 0]], 3)
    assert profile != plain
    assert plain == Profile.from_ballots([[0, 1], [1, 2], [2, 0]], 3, weights=[1, 1, 1.0])
    assert plain.weights is None
    assert plain.ballot_weights.tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, np.nan], "the weight of ballot 1 is nan"),
        ([-1, 1], "the weight of ballot 0 is -1; give a number from 0 up"),
        ([1, np.inf], "ballot 1 is inf"),
        ([1], "one weight per ballot"),
        (["a", "b"], "one weight per ballot"),
    ],
)
def test_what_is_no_weight(weights, message):
    with pytest.raises(ProfileError, match=message):
        Profile.from_ballots([[0, 1], [1, 0]], 2, weights=weights)
