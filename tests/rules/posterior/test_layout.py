import numpy as np
from hypothesis import given

from peerorder.core import Profile
from peerorder.rules.posterior.layout import make_layout

from ..profiles import any_profiles


@given(profile=any_profiles())
def test_every_row_lists_what_it_should(profile):
    layout = make_layout(profile)
    for paper in range(profile.n_papers):
        slots = slice(layout.first[paper], layout.first[paper + 1])
        assert (profile.papers[layout.entry[slots]] == paper).all()
        on = [ballot for ballot in range(len(profile)) if paper in profile[ballot]]
        assert layout.ballot[slots].tolist() == on
    assert np.array_equal(layout.entry[layout.slot], np.arange(len(profile.papers)))
    for grader in range(profile.n_graders):
        own = layout.ballots[layout.given[grader] : layout.given[grader + 1]]
        assert own.tolist() == np.flatnonzero(profile.grader == grader).tolist()
    assert layout.ranked == len(np.unique(profile.papers))


@given(profile=any_profiles())
def test_ties_and_the_tie_of_every_entry(profile):
    layout = make_layout(profile)
    ties = []
    for b in range(len(profile)):
        row = np.arange(profile.start[b], profile.start[b + 1])
        levels = profile.tie_levels[row]
        for level in range(levels.max(initial=-1) + 1):
            group = row[levels == level]
            if len(group) > 1:
                ties.append([group[0], group[-1] + 1])
            if not profile.strict:
                assert set(layout.tie_begin[group]) == {group[0]}
                assert set(layout.tie_end[group]) == {group[-1] + 1}
    assert layout.ties.tolist() == ties


def test_authors_of_one_paper_are_all_found():
    profile = Profile.from_ballots([[1], [1], [0], [0]], 3, authored=[0, 0, -1, 2])
    layout = make_layout(profile)
    assert [layout.authors[layout.signed[i] : layout.signed[i + 1]].tolist() for i in range(3)] == [[0, 1], [], [3]]
