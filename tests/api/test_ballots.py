import numpy as np
import pytest

from peerorder import GradeSettings, InputError, Profile, grade, pairs, rank
from peerorder.api.ballots import Ballots, as_ballots


def said(ballots):
    """What ballots say, by ids: for each the grader and the groups of tied items."""
    profile = ballots.profile
    found = []
    for b in range(len(profile)):
        groups = {}
        for item, level in zip(profile[b], profile.tie_levels[profile.start[b] : profile.start[b + 1]], strict=True):
            groups.setdefault(int(level), set()).add(ballots.items[item])
        found.append((ballots.graders[profile.grader[b]], list(groups.values())))
    return found


def test_lists_with_ties_by_tuples_and_sets():
    ballots = as_ballots([["b", ("a", "c"), "d"], ("d", {"a", "b"}), np.array(["c", "d"]), []])
    assert said(ballots) == [
        (0, [{"b"}, {"a", "c"}, {"d"}]),
        (1, [{"d"}, {"a", "b"}]),
        (2, [{"c"}, {"d"}]),
        (3, []),
    ]
    assert ballots.items == ("a", "b", "c", "d")
    assert repr(ballots) == "<Ballots: 4 ballots by 4 graders on 4 items, with ties>"


def test_mappings_of_a_ballot_or_of_several():
    ballots = as_ballots({"zoe": [["a", "b"], ["b", "c"]], "ann": ["c", "a"]})
    assert said(ballots) == [("ann", [{"c"}, {"a"}]), ("zoe", [{"a"}, {"b"}]), ("zoe", [{"b"}, {"c"}])]


def test_ids_of_any_kind():
    class Thing:
        pass

    one, other = Thing(), Thing()
    assert as_ballots([[one, other]]).items == (one, other)
    assert as_ballots([["x", 2, 1]]).items == (1, 2, "x")
    assert as_ballots([[np.int64(3), 2.5]]).items == (2.5, 3)


def test_the_order_of_ballots_and_graders_changes_nothing():
    one = as_ballots({"ann": ["a", "b", "c"], "bob": ["c", "b"]}, {"ann": 2, "bob": 0.5})
    assert one == as_ballots({"bob": ["c", "b"], "ann": ["a", "b", "c"]}, {"bob": 0.5, "ann": 2})
    assert one.profile.weights.tolist() == [2, 0.5]


def test_items_that_nobody_ranked():
    ranking = rank([["a", "b"]], "borda", items=["c", "b", "a"])
    assert ranking.items == ("a", "b", "c")
    assert ranking.scores == {"a": 1.0, "c": 0.5, "b": 0.0}


def test_profiles_and_ballots_are_taken_as_they_are():
    profile = Profile.from_ballots([[0, 1], [1, 2]], 3)
    made = as_ballots(profile)
    assert made == as_ballots(made) == Ballots(profile, (0, 1, 2), (0, 1))
    with pytest.raises(InputError, match="made already"):
        as_ballots(made, [1, 2])


def test_pairs():
    assert said(pairs([("a", "b"), ("b", "c"), {"a"} | {"c"}])) == [
        ("judge", [{"a"}, {"b"}]),
        ("judge", [{"b"}, {"c"}]),
        ("judge", [{"a", "c"}]),
    ]
    by_judge = [("bob", [{"b"}, {"c"}]), ("zoe", [{"a"}, {"b"}])]
    assert said(pairs([("a", "b", "zoe"), ("b", "c", "bob")])) == by_judge
    assert said(pairs([("a", "b"), ("b", "c")], ["zoe", "bob"])) == by_judge
    weighted = pairs([("a", "b", "zoe"), ("b", "c", "bob")], weights=[3, 0.5])
    assert weighted.profile.weights.tolist() == [0.5, 3]


def test_ballots_go_to_choix():
    assert as_ballots([["b", "a"], ["a", "c", "b"], ["a"]]).to_choix() == [(1, 0), (0, 2, 1)]
    with pytest.raises(InputError, match="no ties"):
        as_ballots([["a", "b"], [("b", "c")]]).to_choix()


def test_ballots_become_a_round_that_can_be_graded():
    said = {"ann": ["b", 3], "bob": [3, "a"], "eve": ["b", "a"]}
    ballots = Ballots.of(said, authored={"ann": "a", "bob": "b"})
    round_ = ballots.to_round(staff=["eve"])
    assert round_.profile == ballots.profile
    assert (round_.papers, round_.graders) == (("3", "a", "b"), ("ann", "bob", "eve"))
    assert round_.staff.tolist() == [False, False, True]
    graded = grade(round_, GradeSettings(rule="borda", marks="percentile"))
    assert sorted(graded.grades()["paper"].to_pylist()) == ["3", "a", "b"]
    with pytest.raises(InputError, match="staff has 'zoe'"):
        ballots.to_round(staff=["zoe"])
    with pytest.raises(InputError, match="two ids are '3' as text"):
        Ballots.of([["3", 3]]).to_round()


def test_authors():
    ballots = as_ballots({"ann": ["b", "c"], "bob": ["a", "c"]}, authored={"ann": "a", "bob": "b", "eve": "x"})
    assert [ballots.items[paper] for paper in ballots.profile.authored] == ["a", "b"]
    with pytest.raises(InputError, match="the ballot of 'bob' ranks 'b', which is their own; take it off"):
        as_ballots({"ann": ["b", "c"], "bob": ["a", "b"]}, authored={"ann": "a", "bob": "b"})


@pytest.mark.parametrize(
    ("ballots", "message"),
    [
        ([], "there are no ballots; give at least one ballot of two items"),
        ({}, "there are no ballots"),
        (None, "the list of ballots is None"),
        ("abc", "the list of ballots is 'abc'; write it as a list of items, the best first"),
        (7, "the list of ballots is 7"),
        ([["a"], ["a"]], "there is only one item, 'a', on the ballots; a ranking needs at least two"),
        ([[]], "there is no item"),
        ([["a", "b"], ["b", "a", "b"]], "ballot 1 has 'b' twice; keep one of the two"),
        ([["a", ("b", "a")]], "ballot 0 has 'a' twice"),
        ([["a", ["b", "c"]]], r"ballot 0 has \['b', 'c'\] as item 2, and a list cannot be an id; .* a tuple or a set"),
        ([["a", {"b": 1}]], "a dict cannot be an id"),
        ([["a", "b"], None], "ballot 1 is None"),
        ([["a", "b"], "ab"], "ballot 1 is 'ab'; write it as a list of items"),
        ([["a", "b"], {"a", "b"}], "ballot 1 is {.*}, which has no order"),
        ([["a", None]], "ballot 0 has None as item 2; leave out what is missing"),
        ([["a", float("nan")]], "ballot 0 has nan as item 2"),
        ({"ann": ["a", "b"], "bob": None}, "the ballot of 'bob' is None; leave out graders who ranked nothing"),
        ({None: ["a", "b"]}, "the mapping has None as a grader"),
        ({"ann": [["a", "b"], ["b", "b"]]}, "ballot 1 of 'ann' has 'b' twice"),
        ({"ann": [["a", "b"], "b"]}, "the ballot of 'ann' has .* cannot be an id"),
        ([[("a", "b")], ["c"]], "no ballot puts one item above another"),
    ],
)
def test_ballots_that_cannot_be_ranked(ballots, message):
    with pytest.raises(InputError, match=message) as caught:
        rank(ballots, "borda")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, float("nan")], "the weight of ballot 1 is nan; give a number from 0 up"),
        ([-1, 1], "the weight of ballot 0 is -1"),
        ([1, "2"], "the weight of ballot 1 is '2'"),
        ([1, None], "the weight of ballot 1 is None"),
        ([0, 0], "no ballot puts one item above another"),
        ([1], "there are 2 ballots but 1 weights"),
        ({0: 1}, "weights have nothing for grader 1"),
        ({0: 1, 1: float("inf")}, "the weight of grader 1 is inf"),
        (3, "weights is 3"),
    ],
)
def test_what_is_no_weight(weights, message):
    with pytest.raises(InputError, match=message):
        rank([["a", "b"], ["b", "a"]], "borda", weights=weights)


def test_weights_of_a_mapping_are_a_mapping():
    with pytest.raises(InputError, match=r"write them as \{grader: weight\}"):
        rank({"ann": ["a", "b"]}, "borda", weights=[1])


def test_authors_are_a_mapping():
    with pytest.raises(InputError, match=r"authored is 3; write it as \{grader: item\}"):
        rank([["a", "b"]], "borda", authored=3)


@pytest.mark.parametrize(
    ("given", "judges", "message"),
    [
        ([("a",)], None, r"pair 0 is \('a',\); write it as \(winner, loser\) or \(winner, loser, judge\)"),
        ([("a", "b"), "ab"], None, "pair 1 is 'ab'"),
        ([("a", "b"), ("b", "b")], None, "pair 1 has 'b' twice"),
        ([("a", "b", "ann")], ["ann"], "pair 0 is"),
        ([("a", "b")], ["ann", "bob"], "there are 1 pairs but judges for 2"),
        ([("a", "b", None)], None, "pair 0 has None as its judge"),
        ([], None, "there are no ballots"),
    ],
)
def test_what_is_no_pair(given, judges, message):
    with pytest.raises(InputError, match=message):
        pairs(given, judges)


def test_unknown_items():
    with pytest.raises(InputError, match="ballot 0 has 'c', which is not among items"):
        rank([["a", "c"]], "borda", items=["a", "b"])
