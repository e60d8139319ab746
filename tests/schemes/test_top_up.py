import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, event, given, settings, strategies as st

from peerorder.core import HandoutError, Profile, child
from peerorder.schemes.allocation import allocate
from peerorder.schemes.top_up import coverage_of, top_up

from .classes import classes, components

NOTHING = (np.zeros(0, np.int64), np.zeros(0, np.int64))


def round_of(room, seed, missing):
    """A hand-out, and the ballots of those who did their work; some judge only part of what they got."""
    first = allocate(room.authored, room.papers, room.k, child(seed), conflicts=room.conflicts, excused=room.excused)
    rng = child(seed, "ballots")
    ballots, grader = [], []
    for g in np.flatnonzero(rng.random(len(room.authored)) >= missing).tolist():
        papers = first.bundles[g].tolist()
        done = papers if rng.random() < 0.7 else papers[: rng.integers(0, len(papers) + 1)]
        if done:
            ballots.append(done)
            grader.append(g)
    profile = Profile.from_ballots(ballots, room.papers, grader=grader, authored=room.authored)
    handed = np.repeat(np.arange(len(first.bundles)), first.bundles.sizes), first.bundles.papers
    return profile, handed


@settings(max_examples=150)
@given(
    room=classes(most=100, most_k=7),
    seed=st.integers(0, 99),
    missing=st.sampled_from([0, 0.2, 0.4, 0.6]),
    least=st.sampled_from([1, 2, 3, 4]),
)
def test_rounds_with_missing_ballots(room, seed, missing, least):
    try:
        profile, handed = round_of(room, seed, missing)
    except HandoutError:
        assume(False)
    m, n = room.papers, len(room.authored)
    able = {int(g) for b, g in enumerate(profile.grader) if len(profile[b]) >= 2}
    if not able:
        with pytest.raises(HandoutError, match="nobody to ask"):
            top_up(profile, handed, least, child(seed), conflicts=room.conflicts, excused=room.excused)
        return
    found = top_up(profile, handed, least, child(seed), conflicts=room.conflicts, excused=room.excused)
    assert found.willing == len(able)
    new = [*zip(found.grader.tolist(), found.paper.tolist(), strict=True)]
    had = {*zip(*(side.tolist() for side in handed), strict=True)}
    assert len({*new}) == len(new)
    assert not {*new} & (had | room.forbidden)
    assert {*found.grader.tolist()} <= able
    more = np.bincount(found.grader, minlength=n)
    assert (more != 1).all()
    # Counted again, ballot by ballot.
    counted = [profile[b].tolist() for b in range(len(profile)) if len(profile[b]) >= 2]
    before = np.bincount([p for ballot in counted for p in ballot], minlength=m)
    assert found.before.rankings.tolist() == before.tolist()
    again = [[p for g, p in new if g == who] for who in sorted({*found.grader.tolist()})]
    after = before + np.bincount([p for ballot in again for p in ballot], minlength=m).astype(int)
    assert found.after.rankings.tolist() == after.tolist()
    ballots = [*counted, *again]
    flat = [(b, p) for b, ballot in enumerate(ballots) for p in ballot]
    assert found.after.components == components(*zip(*flat, strict=True), m)
    compared = [sum(len(ballot) - 1 for ballot in ballots if p in ballot) for p in range(m)]
    assert found.after.comparisons.tolist() == compared
    assert found.short.tolist() == np.flatnonzero(after < least).tolist()
    for p in found.short.tolist():
        # Everybody who could be asked has it, or may not, or has no second paper to go with it.
        free = [g for g in able if (g, p) not in had | room.forbidden | {*new}]
        assert all(_room_for(g, m, had | room.forbidden) < 2 for g in free)
    if found.after.components == 1:
        event("whole")
        return
    # Where something stays apart, nobody who could be asked may see papers on two sides of it.
    label = part_of(flat, m)
    for g in able:
        assert len({label[p] for p in range(m) if (g, p) not in had | room.forbidden}) <= 1


def part_of(flat, m):
    graph = nx.Graph()
    graph.add_nodes_from(range(m))
    graph.add_edges_from((p, f"ballot {b}") for b, p in flat)
    return {p: at for at, part in enumerate(nx.connected_components(graph)) for p in part}


def _room_for(grader, m, closed):
    return sum((grader, p) not in closed for p in range(m))


def test_as_few_papers_each_as_possible(rng):
    n, k = 60, 6
    first = allocate(np.arange(n), n, k, rng)
    handed = np.repeat(np.arange(n), k), first.bundles.papers
    # Three papers that everybody passed over.
    ballots = [[p for p in first.bundles[g].tolist() if p >= 3] for g in range(n)]
    found = top_up(Profile.from_ballots(ballots, n, authored=np.arange(n)), handed, 4, rng)
    # Six ballots of two for the three papers, and one that joins them with the rest.
    assert (np.bincount(found.paper, minlength=n)[:3] >= 4).all()
    assert len(found.paper) == 14
    assert np.bincount(found.grader, minlength=n).max() == 2
    assert found.before.components == 4
    assert found.after.components == 1
    assert found.before.below(4) == 3
    assert found.after.below(4) == 0


def test_few_graders_share_the_work_evenly(rng):
    n, k = 40, 4
    first = allocate(np.arange(n), n, k, rng)
    handed = np.repeat(np.arange(n), k), first.bundles.papers
    done = list(range(10))
    profile = Profile.from_ballots([first.bundles[g].tolist() for g in done], n, grader=done, authored=np.arange(n))
    found = top_up(profile, handed, 2, rng)
    more = np.bincount(found.grader, minlength=n)[:10]
    assert more.sum() == np.maximum(2 - found.before.rankings, 0).sum()
    assert more.max() == -(-more.sum() // 10)
    assert len(found.short) == 0


@pytest.mark.parametrize("most", [2, 3])
def test_nobody_is_asked_for_more_than_that(rng, most):
    n, k = 40, 4
    first = allocate(np.arange(n), n, k, rng)
    handed = np.repeat(np.arange(n), k), first.bundles.papers
    done = list(range(6))
    profile = Profile.from_ballots([first.bundles[g].tolist() for g in done], n, grader=done, authored=np.arange(n))
    free = top_up(profile, handed, 2, rng)
    found = top_up(profile, handed, 2, rng, most=most)
    assert np.bincount(free.grader).max() > most
    assert set(np.bincount(found.grader, minlength=n)[:6].tolist()) == {most}
    assert len(found.short) > len(free.short)
    with pytest.raises(HandoutError, match="`most` is 1"):
        top_up(profile, handed, 2, rng, most=1)


def test_nothing_to_do(rng):
    n, k = 20, 4
    first = allocate(np.arange(n), n, k, rng)
    profile = Profile.from_matrix(first.bundles.matrix, n, authored=np.arange(n))
    found = top_up(profile, (np.repeat(np.arange(n), k), first.bundles.papers), 4, rng)
    assert len(found.grader) == 0
    assert found.before.components == found.after.components == 1


def test_two_islands_are_joined(rng):
    ballots = [[0, 1], [1, 2], [2, 0], [3, 4], [5, 4], [5, 3]]
    found = top_up(Profile.from_ballots(ballots, 6), NOTHING, 2, rng)
    assert (found.before.components, found.after.components) == (2, 1)
    assert len({*found.grader.tolist()}) == 1
    assert sorted((found.paper // 3).tolist()) == [0, 1]


def test_islands_that_nobody_has_two_papers_to_join_by(rng):
    found = top_up(Profile.from_ballots([[0, 1, 2], [3, 4, 5]], 6), NOTHING, 1, rng)
    assert found.after.components == 2
    assert len(found.grader) == 0


def test_papers_that_nobody_may_rank_are_said(rng):
    profile = Profile.from_ballots([[1, 2], [2, 1]], 3, authored=[-1, -1])
    found = top_up(profile, NOTHING, 2, rng, conflicts=[(0, 0), (1, 0)])
    assert found.short.tolist() == [0]


def test_a_ballot_of_one_paper_counts_for_nothing():
    state = coverage_of(np.array([0, 0, 1]), np.array([0, 1, 2]), 4)
    assert state.rankings.tolist() == [1, 1, 0, 0]
    assert state.comparisons.tolist() == [1, 1, 0, 0]
    assert state.components == 3
    assert state.below(1) == 2


def test_at_least_one(rng):
    with pytest.raises(HandoutError, match="must be 1 or more"):
        top_up(Profile.from_ballots([[0, 1]], 2), NOTHING, 0, rng)


def test_a_ballot_that_ties_all_of_its_papers_compares_nothing():
    profile = Profile.from_ballots([[2, 3], [3, 2], [(0, 1, 2, 3)]], 6, authored=[0, 1, 4])
    found = top_up(profile, NOTHING, 1, child(0))
    assert found.before.rankings.tolist() == [0, 0, 2, 2, 0, 0]
    assert found.willing == 2
    assert 2 not in found.grader
    assert found.after.rankings.tolist()[:2] == [1, 1]
