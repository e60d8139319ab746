"""Profiles whose graders wrote papers themselves, for the rules that weigh graders by these."""

from hypothesis import strategies as st

from peerorder.core import Profile, child
from peerorder.noise import NOISES
from peerorder.schemes import SCHEMES, hand_out

from .profiles import any_profiles, groups_of


@st.composite
def authored_profiles(draw, least=0, most=7, ties=True):
    """Any profile, by graders who wrote a paper that they do not rank, or none; some wrote one together."""
    profile = draw(any_profiles(least, most, ties))
    authored = []
    for grader in range(profile.n_graders):
        ranked = {int(p) for b in range(len(profile)) if profile.grader[b] == grader for p in profile[b]}
        authored.append(draw(st.sampled_from([-1, *sorted(set(range(profile.n_papers)) - ranked)])))
    return with_authors(profile, authored)


def with_authors(profile, authored):
    return Profile.from_ballots(groups_of(profile), profile.n_papers, grader=profile.grader, authored=authored)


def tied_round(n, k, level, *labels):
    """One round in which students with good papers grade well, and its truth."""
    rng = child(0, "tied round", n, k, level, *labels)
    truth = rng.permutation(n)
    bundles = SCHEMES["random"].build(n, k, rng)
    noise = NOISES["condorcet"].with_options(level=level, tied=True)
    return noise.draw(bundles, truth, rng, bundle_of=hand_out(bundles, range(n), rng)), truth


def relabelled_with_authors(profile, names):
    """Paper p is now called ``names[p]``, by those who wrote it too."""
    ballots = [[[int(names[p]) for p in group] for group in ballot] for ballot in groups_of(profile)]
    authored = [int(names[p]) if p >= 0 else -1 for p in profile.authored]
    return Profile.from_ballots(ballots, profile.n_papers, grader=profile.grader, authored=authored)


def mirrored_round(seed, n=20):
    """Ballots and authors that stay the same when papers 0 and 1, 2 and 3, ... change places."""
    one = tied_round(n, 5, 60, "mirrored", seed)[0]
    other = relabelled_with_authors(one, [paper ^ 1 for paper in range(n)])
    authored = [*one.authored, *other.authored]
    grader = [*one.grader, *(other.grader + one.n_graders)]
    return Profile.from_ballots([*groups_of(one), *groups_of(other)], n, grader=grader, authored=authored)
