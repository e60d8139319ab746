import re

import numpy as np
import pytest
from hypothesis import event, given, settings, strategies as st

from peerorder.core import HandoutError, SchemeError, child
from peerorder.schemes import SCHEMES
from peerorder.schemes.allocation import allocate
from peerorder.schemes.balanced import even_shares

from .classes import classes, components
from .flows import assert_legal, possible


def rows_of(bundles):
    return np.repeat(np.arange(len(bundles)), bundles.sizes), bundles.papers


@settings(max_examples=200)
@given(room=classes(), seed=st.integers(0, 99))
def test_200_rosters_legal_and_even_or_refused_with_networkx_s_consent(room, seed):
    total = sum(room.demand)
    low, high = even_shares(total, room.papers)
    bounds = np.full(room.papers, low), np.full(room.papers, high)
    try:
        found = allocate(
            room.authored, room.papers, room.k, child(seed), conflicts=room.conflicts, excused=room.excused
        )
    except HandoutError as error:
        event("refused")
        said = str(error)
        found = None
    if found is None:
        assert "\n" not in said
        assert any(cure in said for cure in ("smaller k", "`excused`", "nobody has two papers by others"))
        assert not possible(room.demand, *bounds, room.forbidden)
        return
    owner, paper = rows_of(found.bundles)
    assert_legal(owner, paper, room.demand, *bounds, room.forbidden)
    parts = components(owner, paper, room.papers)
    event(f"{found.scheme}, {'connected' if parts == 1 else 'apart'}")
    assert (found.apart is None) == (parts == 1)
    asked = int((~room.excused).sum())
    if parts > 1 and not room.conflicts and room.papers > room.k + 1:
        assert total < asked + room.papers - 1, found.apart
    assert found.report.paper_degrees == (found.bundles.degrees.min(), found.bundles.degrees.max())


def test_a_regular_class_gets_girth6_where_it_fits(rng):
    found = allocate(rng.permutation(100), 100, 6, rng)
    assert found.scheme == "girth6"
    assert "no pair of papers shares two graders" in found.why
    assert found.report.regular
    assert (found.report.components, found.report.girth) == (1, 6)
    assert found.report == found.bundles.report


def test_a_small_regular_class_gets_random_and_is_told_why(rng):
    found = allocate(np.arange(20), 20, 6, rng)
    assert found.scheme == "random"
    assert "girth6 needs 35 papers for this k" in found.why
    assert found.report.regular


@pytest.mark.parametrize("seed", range(20))
def test_bundles_of_two_are_joined(seed):
    found = allocate(np.arange(12), 12, 2, child(seed), scheme=SCHEMES["random"])
    assert found.apart is None
    assert found.bundles.components == 1
    assert found.report.regular
    assert not (found.bundles.matrix == np.arange(12)[:, None]).any()


def test_a_scheme_that_is_asked_for_stays_as_it_is(rng):
    found = allocate(np.arange(12), 12, 3, rng, scheme=SCHEMES["complete"])
    assert (found.scheme, found.why) == ("complete", "as requested")
    assert found.bundles.components == 4
    assert found.apart is not None


def test_a_scheme_for_a_class_that_is_not_regular(rng):
    with pytest.raises(SchemeError, match="the scheme random is for classes where everybody wrote one paper"):
        allocate([0, 0, 1, 2], 3, 2, rng, scheme=SCHEMES["random"])


def test_conflicts_that_no_regular_hand_out_fits(rng):
    # Grader 0 may see two papers only, and no bundle of a plane on seven points holds just these and a third.
    conflicts = [(0, p) for p in range(1, 5)]
    found = allocate(np.arange(7), 7, 2, rng, conflicts=conflicts)
    assert sorted(found.bundles[0].tolist()) == [5, 6]


def test_a_single_grader_who_may_see_too_little_is_named(rng):
    message = "k is 3, but grader Eve may rank only 2; choose a smaller k, 2 at most, or remove some conflicts"
    names = ["Ada", "Ben", "Cleo", "Dan", "Eve"]
    with pytest.raises(HandoutError, match=re.escape(message)):
        allocate(np.arange(5), 5, 3, rng, conflicts=[(4, 0), (4, 1)], graders=names)


def test_papers_that_too_few_may_see_are_named(rng):
    # Six graders, four papers, two each: everybody but one is in conflict with "the last".
    authored, conflicts = [-1] * 6, [(g, 3) for g in range(5)]
    message = (
        "paper the last must have 3 graders in all for all papers to be ranked equally often, but can have only 1,"
    )
    with pytest.raises(HandoutError, match=message):
        allocate(authored, 4, 2, rng, conflicts=conflicts, papers=["one", "two", "three", "the last"])


def test_a_grader_in_conflict_with_everything_is_named_with_the_cure(rng):
    with pytest.raises(HandoutError, match=r"grader Eve has a conflict with every paper .*\(`excused` Eve\)"):
        allocate(
            np.arange(5), 5, 3, rng, conflicts=[(4, p) for p in range(4)], graders=["Ada", "Ben", "Cleo", "Dan", "Eve"]
        )


def test_nobody_is_told_to_remove_conflicts_where_there_are_none(rng):
    with pytest.raises(HandoutError) as caught:
        allocate(np.arange(5), 5, 6, rng)
    assert "4 at most" in str(caught.value)
    assert "conflict" not in str(caught.value)
    with pytest.raises(HandoutError) as caught:
        allocate(np.arange(2), 2, 2, rng)
    assert "conflict" not in str(caught.value)


@pytest.mark.parametrize("k", [0, 1])
def test_ballots_that_compare_nothing_are_refused(rng, k):
    with pytest.raises(HandoutError, match="compares nothing"):
        allocate(np.arange(5), 5, k, rng)


def test_too_few_links_are_explained(rng):
    found = allocate([-1] * 3, 12, 2, rng)
    assert found.apart == "3 graders with 2 papers each are too few to link 12 papers; a larger k would link them"


def test_no_papers_at_all(rng):
    with pytest.raises(HandoutError, match="0 papers in all"):
        allocate([-1], 0, 2, rng)


@pytest.mark.parametrize("k", [0, -1, 1.5])
def test_malformed_k(k, rng):
    with pytest.raises(HandoutError, match="k is"):
        allocate(np.arange(4), 4, k, rng)


def test_the_same_seed_gives_the_same_and_order_tells_nothing():
    one, again, other = (allocate(np.arange(60) // 2, 30, 4, child(seed)).bundles.papers.tolist() for seed in (1, 1, 2))
    assert one == again != other
    first = np.bincount(
        np.concatenate([allocate(np.arange(60) // 2, 30, 4, child(s)).bundles.matrix[:, 0] for s in range(60)]),
        minlength=30,
    )
    assert abs(first - first.mean()).max() < 4.5 * np.sqrt(first.mean())
