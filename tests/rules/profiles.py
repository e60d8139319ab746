"""Profiles for the tests of the rules: small ones of every legal kind, and changes that should not matter."""

from hypothesis import strategies as st

from peerorder.core import Profile, child
from peerorder.noise import NOISES
from peerorder.schemes import SCHEMES


@st.composite
def any_profiles(draw, least=0, most=7, ties=True):
    """Incomplete, unequal, tied and empty ballots, several by one grader, papers that nobody ranked."""
    n = draw(st.integers(least, most))
    rankings = st.lists(st.integers(0, n - 1), unique=True, max_size=n) if n else st.just([])
    ballots = draw(st.lists(rankings, max_size=8))
    grader = draw(st.lists(st.integers(0, 4), min_size=len(ballots), max_size=len(ballots)))
    if ties:
        ballots = [_with_ties(draw, ballot) for ballot in ballots]
    return Profile.from_ballots(ballots, n, grader=grader)


def _with_ties(draw, ballot):
    groups = []
    for paper in ballot:
        if groups and draw(st.booleans()):
            groups[-1] = (*groups[-1], paper)
        else:
            groups.append((paper,))
    return groups


def noisy(n, k, level, *labels):
    """One round with random bundles and Condorcet graders, and its truth."""
    rng = child(0, "round", n, k, level, *labels)
    truth = rng.permutation(n)
    bundles = SCHEMES["random"].build(n, k, rng)
    return NOISES["condorcet"].with_options(level=level).draw(bundles, truth, rng), truth


def groups_of(profile):
    """The ballots again as lists of levels, each a list of tied papers."""
    ballots = []
    for b in range(len(profile)):
        levels = profile.tie_levels[profile.start[b] : profile.start[b + 1]]
        ballots.append([profile[b][levels == level].tolist() for level in range(levels.max(initial=-1) + 1)])
    return ballots


def relabelled(profile, names):
    """Paper p is now called ``names[p]``."""
    ballots = [[[int(names[p]) for p in group] for group in ballot] for ballot in groups_of(profile)]
    return Profile.from_ballots(ballots, profile.n_papers, grader=profile.grader)


def in_order(profile, order):
    """The same ballots in another order."""
    ballots = groups_of(profile)
    return Profile.from_ballots([ballots[b] for b in order], profile.n_papers, grader=profile.grader[order])


def tied_otherwise(profile, rng):
    """The same ballots, with tied papers written down in another order."""
    ballots = [[rng.permutation(group).tolist() for group in ballot] for ballot in groups_of(profile)]
    return Profile.from_ballots(ballots, profile.n_papers, grader=profile.grader)


def joined(*profiles):
    """All ballots of some profiles on the same papers, by graders who wrote nothing."""
    ballots = [ballot for profile in profiles for ballot in groups_of(profile)]
    return Profile.from_ballots(ballots, profiles[0].n_papers)


def strict_relations(profile):
    """All (a, b) where some ballot puts a above b, ballot by ballot, pairs from the top."""
    said = []
    for ballot in groups_of(profile):
        ranked = [(paper, level) for level, group in enumerate(ballot) for paper in group]
        said.append([(a, b) for i, (a, x) in enumerate(ranked) for b, y in ranked[i + 1 :] if x < y])
    return said
