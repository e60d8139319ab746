import numpy as np
import pytest
from hypothesis import assume, event, given, settings, strategies as st

from peerorder.core import HandoutError, child
from peerorder.schemes.allocation import allocate
from peerorder.schemes.late_joiners import add_late_joiners

from .classes import classes, components


def rows_of(bundles):
    return np.repeat(np.arange(len(bundles)), bundles.sizes), bundles.papers.astype(np.int64)


@st.composite
def late_joiners(draw):
    """A class in which some come late, with their papers; the hand-out to those who were there; and the class."""
    room = draw(classes(most=120, most_k=6))
    seed = draw(st.integers(0, 99))
    rng = child(seed, "late")
    late = rng.random(room.papers) < draw(st.sampled_from([0.02, 0.1, 0.5]))
    assume(not late.all())
    old = np.flatnonzero(~late)
    number = np.full(room.papers + 1, -1)
    number[old] = np.arange(len(old))
    # Who has a late paper is late; some assistants are.
    there = np.flatnonzero(np.where(room.authored >= 0, ~late[room.authored], rng.random(len(room.authored)) < 0.7))
    assume(len(there))
    at = {g: i for i, g in enumerate(there.tolist())}
    conflicts = [(at[g], int(number[p])) for g, p in room.conflicts if g in at and number[p] >= 0]
    try:
        first = allocate(
            number[room.authored[there]],
            len(old),
            room.k,
            child(seed),
            conflicts=conflicts,
            excused=room.excused[there],
        )
    except HandoutError:
        assume(False)
    owner, paper = rows_of(first.bundles)
    assume(len(owner))
    return room, (there[owner], old[paper])


@pytest.mark.slow
@settings(max_examples=150)
@given(case=late_joiners(), seed=st.integers(0, 99), share=st.sampled_from([0, 0.3, 1]))
def test_everything_is_legal_old_rows_stay_and_late_papers_hang_on(case, seed, share):
    room, rows = case
    m, n = room.papers, len(room.authored)
    begun = child(seed, "begun").random(n) < share
    found = add_late_joiners(
        rows, room.authored, m, room.k, child(seed), conflicts=room.conflicts, excused=room.excused, begun=begun
    )
    new = [*zip(found.grader.tolist(), found.paper.tolist(), strict=True)]
    old = {*zip(*(side.tolist() for side in rows), strict=True)}
    assert len({*new}) == len(new)
    assert not {*new} & (old | room.forbidden)
    more = np.bincount(found.grader, minlength=n)
    before = np.bincount(rows[0], minlength=n) > 0
    assert (more[~before & ~room.excused] == room.k).all()
    assert (more[before] <= 1).all()
    assert (more[room.excused] == 0).all()
    assert found.one_more.tolist() == np.flatnonzero(before & (more > 0)).tolist()
    assert found.joined.tolist() == np.flatnonzero(~before & ~room.excused).tolist()
    loads = np.bincount(np.concatenate([rows[1], found.paper]), minlength=m)
    late = np.flatnonzero(np.bincount(rows[1], minlength=m) == 0)
    assert found.late.tolist() == late.tolist()
    assert {*found.short.tolist()} == {p for p in late.tolist() if loads[p] < found.target}
    every = np.concatenate([rows[0], found.grader]), np.concatenate([rows[1], found.paper])
    assert found.components == components(*every, m)
    whole = components(*rows, m) == 1 + len(late)
    if whole and not room.conflicts and (loads > 0).all():
        event("stays whole")
        assert found.components == 1
    for p in found.short.tolist():
        # Nobody who was there could take it: they all have one more already, or may not.
        idle = [
            g for g in np.flatnonzero(before & (more == 0) & ~room.excused).tolist() if (g, p) not in room.forbidden
        ]
        assert not idle


def test_a_few_late_joiners_in_a_large_class(rng):
    n, k = 300, 8
    first = allocate(np.arange(n), n, k, rng)
    found = add_late_joiners(rows_of(first.bundles), np.arange(n + 5), n + 5, k, rng)
    loads = np.bincount(found.paper, minlength=n + 5)
    assert (loads[n:] == k).all()
    # Five can rank four papers of each other; the rest comes from those who were there.
    assert found.target == k
    assert len(found.one_more) == 5 * 4
    assert loads[:n].max() == 1
    assert found.components == 1
    assert len(found.short) == 0


def test_late_joiners_who_could_do_it_among_themselves_are_tied_in_all_the_same(rng):
    n, k, more = 60, 4, 30
    first = allocate(np.arange(n), n, k, rng)
    found = add_late_joiners(rows_of(first.bundles), np.arange(n + more), n + more, k, rng)
    assert len(found.one_more) == more
    assert (np.bincount(found.paper, minlength=n + more)[n:] == k).all()
    by_old = found.paper[found.grader < n]
    assert sorted(by_old.tolist()) == list(range(n, n + more))
    assert found.components == 1


def test_more_late_joiners_than_there_were(rng):
    n, k, more = 10, 3, 90
    first = allocate(np.arange(n), n, k, rng)
    found = add_late_joiners(rows_of(first.bundles), np.arange(n + more), n + more, k, rng)
    assert len(found.one_more) == n
    loads = np.bincount(np.concatenate([first.bundles.papers, found.paper]), minlength=n + more)
    assert (loads[n:] == k).all()
    assert loads[:n].sum() == n * k + n
    assert found.components == 1


def test_somebody_who_joins_a_team_or_assists(rng):
    first = allocate(np.arange(9), 9, 3, rng)
    found = add_late_joiners(rows_of(first.bundles), [*range(9), 4, -1], 9, 3, rng)
    assert len(found.one_more) == 0
    assert np.bincount(found.grader, minlength=11)[9:].tolist() == [3, 3]
    assert 4 not in found.paper[found.grader == 9]
    # Evenly: no paper gets a second one before all have one.
    assert np.bincount(found.paper, minlength=9).max() == 1


def test_nothing_to_add(rng):
    first = allocate(np.arange(9), 9, 3, rng)
    found = add_late_joiners(rows_of(first.bundles), np.arange(9), 9, 3, rng)
    assert len(found.grader) == 0
    assert found.components == 1


def test_a_k_that_is_too_large_is_refused(rng):
    first = allocate(np.arange(5), 5, 2, rng)
    with pytest.raises(HandoutError, match="k is 6, but grader Zoe may rank only 5"):
        add_late_joiners(rows_of(first.bundles), np.arange(6), 6, 6, rng, graders=[*"ABCDE", "Zoe"])


def test_the_same_seed_gives_the_same():
    first = allocate(np.arange(30), 30, 4, child(0))
    rows = rows_of(first.bundles)
    one, again, other = (add_late_joiners(rows, np.arange(36), 36, 4, child(seed)).paper.tolist() for seed in (1, 1, 2))
    assert one == again != other


def test_graders_who_have_begun_get_a_late_paper_only_where_the_others_do_not_suffice():
    n, k = 40, 4
    first = allocate(np.arange(n), n, k, child(1))
    owner, paper = rows_of(first.bundles)
    begun = np.arange(n + 1) % 2 == 0
    found = add_late_joiners((owner, paper), np.arange(n + 1), n + 1, k, child(2), begun=begun)
    assert len(found.one_more) == k
    assert not begun[found.one_more].any()
    begun[: n - 1] = True
    found = add_late_joiners((owner, paper), np.arange(n + 1), n + 1, k, child(2), begun=begun)
    assert n - 1 in found.one_more.tolist()
    assert len(found.one_more) == k
    assert not len(found.short)
