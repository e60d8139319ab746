"""Who ranks what, without files."""

import numpy as np
import pytest

from peerorder.core import InputError, Profile
from peerorder.rounds import Participants, add_late_joiners, allocate, top_up

STUDENTS = [f"s{number}" for number in range(12)]


def test_everybody_ranks_k_papers_of_others():
    rows = allocate(STUDENTS, 3, seed=7)
    table = rows.table()
    pairs = list(zip(table["grader"], table["paper"], strict=True))
    assert len(set(pairs)) == len(pairs) == 36
    assert all(grader != paper for grader, paper in pairs)
    assert {table["paper"].count(student) for student in STUDENTS} == {3}
    assert allocate(STUDENTS, 3, seed=7).table() == table
    assert rows.settings["k"] == 3
    assert allocate(STUDENTS, 3, seed=7, scheme="random").result.scheme == "random"


def test_teams_conflicts_and_excused_people():
    people = Participants(
        STUDENTS, [f"P{number}" for number in range(6)], np.arange(12) // 2, [(0, 5)], np.arange(12) == 3
    )
    rows = allocate(people, 2, seed=1)
    assert not (people.own[rows.grader] == rows.paper).any()
    assert 3 not in rows.grader
    assert (0, 5) not in set(zip(rows.grader.tolist(), rows.paper.tolist(), strict=True))
    with pytest.raises(InputError, match="k is 9"):
        allocate(people, 9, seed=1)


def test_late_joiners_get_as_many_as_others_have_and_rows_stay():
    first = allocate(STUDENTS[:10], 3, seed=2)
    people = Participants(STUDENTS, rows=(first.grader, first.paper))
    assert people.usual_size == 3
    new = add_late_joiners(people, seed=2, step=1)
    assert new.settings == {"k": 3}
    assert set(new.result.joined.tolist()) == {10, 11}
    assert people.clashes() == 0
    assert Participants(STUDENTS, rows=(np.array([4]), np.array([4]))).clashes() == 1


def test_a_top_up_asks_those_who_ranked():
    first = allocate(STUDENTS, 4, seed=3)
    graders = range(7)
    ballots = [first.paper[first.grader == grader].tolist() for grader in graders]
    profile = Profile.from_ballots(ballots, 12, grader=list(graders), authored=np.arange(12))
    new = top_up(Participants(STUDENTS, rows=(first.grader, first.paper)), profile, 3, seed=3)
    assert set(new.grader.tolist()) <= set(graders)
    assert top_up(Participants(STUDENTS, rows=(first.grader, first.paper)), profile, seed=3).settings == {"at_least": 2}
