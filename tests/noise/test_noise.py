"""What every noise in the registry must do; a new noise is tested here by being registered."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from peerorder.core import Bundles, InputError, OptionError, Profile, ProfileError, child
from peerorder.noise import NOISES
from peerorder.noise.noise import sort_by_truth
from peerorder.schemes import SCHEMES, hand_out

ANY_NOISE = pytest.mark.parametrize("noise", list(NOISES.values()), ids=lambda noise: noise.name)


@st.composite
def any_bundles(draw):
    """Bundles of any sizes, some empty, and a truth about their papers."""
    n = draw(st.integers(0, 9))
    rows = st.lists(st.integers(0, n - 1), unique=True, max_size=n) if n else st.just([])
    return Bundles.from_rows(draw(st.lists(rows, max_size=8)), n), draw(st.permutations(range(n)))


def a_round(n, k, *labels):
    """Random bundles, a truth and a hand-out in which nobody has her own paper."""
    rng = child(0, "round", n, k, *labels)
    bundles = SCHEMES["random"].build(n, k, rng)
    return bundles, rng.permutation(n), hand_out(bundles, np.arange(n), rng)


def test_the_papers_noises_are_registered():
    assert {"perfect", "condorcet"} <= set(NOISES.names)


@ANY_NOISE
@given(case=any_bundles())
def test_every_ballot_ranks_its_bundle(noise, case):
    bundles, truth = case
    profile = noise.draw(bundles, truth, child(0))
    assert len(profile) == len(bundles)
    assert profile.n_papers == bundles.n_papers
    assert [sorted(ballot) for ballot in profile] == [sorted(bundle) for bundle in bundles]
    assert profile.strict
    assert profile.grader.tolist() == list(range(len(bundles)))
    assert set(profile.authored.tolist()) <= {-1}


@ANY_NOISE
def test_graders_rank_what_they_were_handed_and_never_their_own_paper(noise):
    bundles, truth, bundle_of = a_round(60, 5)
    profile = noise.draw(bundles, truth, child(0), bundle_of=bundle_of)
    assert profile.authored.tolist() == list(range(60))
    for ballot, grader in enumerate(profile.grader):
        assert bundle_of[grader] == ballot
        assert grader not in profile[ballot]


@ANY_NOISE
def test_authors_may_be_said_with_or_without_a_hand_out(noise):
    bundles = Bundles.from_rows([[0, 1], [2, 3, 4], []], 5)
    truth = [4, 3, 2, 1, 0]
    without = noise.draw(bundles, truth, child(0), authored=[2, -1, 0])
    assert without.grader.tolist() == [0, 1, 2]
    assert without.authored.tolist() == [2, -1, 0]
    handed = noise.draw(bundles, truth, child(0), bundle_of=[2, 0, 1], authored=[4, 4, -1])
    assert handed.grader.tolist() == [1, 2, 0]
    assert handed.authored.tolist() == [4, 4, -1]
    with pytest.raises(ProfileError, match="grader 1 ranks paper 2, which they wrote"):
        noise.draw(bundles, truth, child(0), authored=[-1, 2, -1])


@ANY_NOISE
def test_same_seed_same_ballots(noise):
    bundles, truth, bundle_of = a_round(50, 6)
    first, again, other = (noise.draw(bundles, truth, child(seed), bundle_of=bundle_of) for seed in (1, 1, 2))
    assert first.digest == again.digest
    assert (first.digest != other.digest) == (noise.name != "perfect")


@ANY_NOISE
def test_ballots_know_the_truth(noise):
    # Whatever the model, ordinary graders are right more often than wrong, and a reversed truth reverses them.
    bundles, truth, bundle_of = a_round(200, 6)
    for places, sign in ((truth, 1), (199 - truth, -1)):
        profile = noise.draw(bundles, places, child(0), bundle_of=bundle_of)
        right = np.mean([truth[a] < truth[b] for ballot in profile for a, b in zip(ballot, ballot[1:], strict=False)])
        assert sign * (right - 0.5) > 0.1


@ANY_NOISE
def test_no_noise_is_perfect(noise):
    bundles, truth, bundle_of = a_round(40, 5)
    perfect = NOISES["perfect"].draw(bundles, truth, child(0), bundle_of=bundle_of)
    assert all(truth[a] < truth[b] for ballot in perfect for a, b in zip(ballot, ballot[1:], strict=False))
    if any(option.name == "level" for option in noise.options):
        noise = noise.with_options(level=0)
        assert noise.draw(bundles, truth, child(0), bundle_of=bundle_of).digest == perfect.digest
        assert noise.with_options(level=40).draw(bundles, truth, child(0)).digest != perfect.digest


@ANY_NOISE
def test_the_order_inside_a_bundle_does_not_matter(noise):
    bundles, truth, bundle_of = a_round(30, 5)
    turned = Bundles.from_matrix(bundles.matrix[:, ::-1], 30)
    assert not np.array_equal(turned.papers, bundles.papers)
    first, second = (noise.draw(each, truth, child(0), bundle_of=bundle_of) for each in (bundles, turned))
    assert first.digest == second.digest


@ANY_NOISE
def test_relabelled_papers_relabel_the_ballots(noise):
    bundles, truth, _ = a_round(30, 5)
    names = child(0, "names").permutation(30)
    renamed = np.empty(30, int)
    renamed[names] = truth
    first = noise.draw(bundles, truth, child(0))
    second = noise.draw(Bundles.from_matrix(names[bundles.matrix], 30), renamed, child(0))
    assert np.array_equal(second.papers, names[first.papers])


@given(case=any_bundles())
def test_true_order_is_sorted_row_by_row(case):
    bundles, truth = case
    ordered = sort_by_truth(bundles.papers, bundles.start, np.array(truth, np.int32))
    expected = [sorted(bundle.tolist(), key=truth.__getitem__) for bundle in bundles]
    assert [part.tolist() for part in np.split(ordered, bundles.start[1:-1])] == (expected or [[]])


# Malformed input.


BUNDLES = Bundles.from_rows([[0, 1], [1, 2], [2, 0]], 3)


@ANY_NOISE
@pytest.mark.parametrize(
    ("truth", "others", "message"),
    [
        ([0, 1], {}, "each of the 3 papers a place"),
        ([0, 1, 2, 0], {}, "each of the 3 papers a place"),
        ([0, 1, 1], {}, "each of the 3 papers a place"),
        ([1, 2, 3], {}, r"truth\[2\] is 3"),
        ([-1, 0, 1], {}, r"truth\[0\] is -1"),
        ([0.0, 1.0, 2.0], {}, "truth must hold whole numbers"),
        ([[0, 1, 2]], {}, "truth must be a flat list"),
        (None, {}, "truth must be a flat list"),
        ([0, 1, 2], {"bundle_of": [0, 1]}, "each of the 3 bundles to one grader"),
        ([0, 1, 2], {"bundle_of": [0, 1, 1]}, "each of the 3 bundles to one grader"),
        ([0, 1, 2], {"bundle_of": [2, 0, 1, 1]}, "each of the 3 bundles to one grader"),
        ([0, 1, 2], {"bundle_of": [0, 1, 3]}, r"bundle_of\[2\] is 3"),
        ([0, 1, 2], {"bundle_of": ["a", "b", "c"]}, "bundle_of must hold whole numbers"),
        ([0, 1, 2], {"authored": [-1, -1]}, "there are 3 graders but `authored` has 2 entries"),
        ([0, 1, 2], {"authored": [2, 0, 3]}, r"authored\[2\] is 3"),
        ([0, 1, 2], {"authored": [2, 0, -2]}, r"authored\[2\] is -2"),
        ([0, 1, 2], {"authored": [[2], [0, 1]]}, "authored must be an array"),
        (
            [0, 1, 2],
            {"bundle_of": [1, 2, 0], "authored": [0, 1, 2, 2]},
            "there are 3 graders but `authored` has 4 entries",
        ),
        ([0, 1, 2], {"bundle_of": [0, 1, 2]}, "which they wrote"),
    ],
)
def test_malformed_input_is_one_clear_line(noise, truth, others, message):
    with pytest.raises(InputError, match=message) as caught:
        noise.draw(BUNDLES, truth, child(0), **others)
    assert "\n" not in str(caught.value)


NEARLY = st.lists(st.integers(-1, 3), max_size=4) | st.permutations(range(3))
JUNK = (
    NEARLY
    | st.none()
    | st.integers()
    | st.text(max_size=3)
    | st.lists(st.floats() | st.lists(st.integers()), max_size=3)
)


@ANY_NOISE
@given(truth=JUNK, bundle_of=JUNK, authored=JUNK)
def test_junk_is_a_profile_or_an_error_of_ours(noise, truth, bundle_of, authored):
    try:
        profile = noise.draw(BUNDLES, truth, child(0), bundle_of=bundle_of, authored=authored)
    except InputError:
        return
    assert isinstance(profile, Profile)
    assert sorted(truth) == [0, 1, 2]
    assert bundle_of is None or sorted(bundle_of) == [0, 1, 2]


def test_options_have_a_range():
    for level in (-1, 101, "nan", "much"):
        with pytest.raises(OptionError, match="level"):
            NOISES["condorcet"].with_options(level=level)
    with pytest.raises(OptionError, match="no option 'level'"):
        NOISES["perfect"].with_options(level=3)
