"""What rules that reckon with types of graders have in common: priors, reliabilities, flags and notes."""

from functools import cache
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from peerorder.core.arrays import FloatArray, freeze
from peerorder.core.profile import Profile
from peerorder.core.translation import gettext as _, ngettext

__all__ = [
    "INSIDE",
    "MOST_BACKWARDS",
    "PRIOR_WEIGHT",
    "PRIOR_WEIGHT_BACKWARDS",
    "RANDOM",
    "comparison_notes",
    "flag_codes",
    "flag_graders",
    "name_flags",
    "normal_scores",
    "notes_on_unknown",
    "reliability_intervals",
    "reliability_of",
]

# How many graders of each type the prior is worth: a tenth, and where they rank backwards a hundredth.
PRIOR_WEIGHT = 0.1
PRIOR_WEIGHT_BACKWARDS = 0.01
# At most this share of a class ranks backwards. Without a bound every order would have a twin: the reverse,
# with everybody backwards.
MOST_BACKWARDS = 1 / 3
# The reliability of graders who rank at random.
RANDOM = 0.5
# Intervals hold the truth with this probability, and flags are raised at the other.
INSIDE = 0.9
SURE = 0.95
FLAGS = ("", "random", "reversed", "tied")


def normal_scores(n: int) -> FloatArray:
    """Return the normal scores of n papers; not by SciPy, whose import takes longer than everything here."""
    return np.array([*map(NormalDist().inv_cdf, ((np.arange(n) + 0.5) / n).tolist())])


@cache
def reliability_of(sharpness: float) -> float:
    """Return the chance that two papers with normal utilities are put in the right order at this sharpness."""
    # The pairs of a fine grid of papers: their mean is the integral over two papers drawn at random.
    coarse = normal_scores(500)
    gaps = np.abs(coarse[:, None] - coarse[None, :])[np.triu_indices(500, 1)]
    return float((1 / (1 + np.exp(-sharpness * gaps))).mean())


def reliability_intervals(chances: NDArray[np.floating], reliability: FloatArray) -> FloatArray:
    """Return the ends of every grader's reliability, given the chances and the reliabilities of all types.

    They are halfway to the types beyond those at the ends: qualities lie between those of the types, so a type stands
    for all that are nearest to it.
    """
    values, which = np.unique(reliability.round(6), return_inverse=True)
    merged = np.zeros((len(chances), len(values)))
    for grader_type, at in enumerate(which):
        merged[:, at] += chances[:, grader_type]
    up_to = np.cumsum(merged, axis=1)
    halfway = np.concatenate([[0.0], (values[1:] + values[:-1]) / 2, [1.0]])
    tail = (1 - INSIDE) / 2
    low, high = (np.argmax(up_to >= share * up_to[:, -1:], axis=1) for share in (tail, 1 - tail))
    return freeze(np.stack([halfway[low], halfway[high + 1]], axis=1))


def flag_graders(
    profile: Profile, chances: NDArray[np.floating], random: int, backwards: NDArray[np.bool_]
) -> tuple[str, ...]:
    """Name the graders whose ballots are better explained by chance, or by the order upside down."""
    return name_flags(flag_codes(profile, chances, random, backwards))


def name_flags(codes: NDArray[np.int8]) -> tuple[str, ...]:
    """Return the names of flags, given as positions among ``FLAGS``."""
    return tuple(map(FLAGS.__getitem__, codes.tolist()))


def flag_codes(
    profile: Profile, chances: NDArray[np.floating], random: int, backwards: NDArray[np.bool_]
) -> NDArray[np.int8]:
    """Return the flag of every grader, as a position among ``FLAGS``."""
    at_random = chances[:, random]
    upside_down = chances[:, backwards].sum(axis=1)
    ranked = np.zeros(profile.n_graders, bool)
    ranked[profile.grader[profile.sizes > 1]] = True
    doubt = ranked & (at_random + upside_down >= SURE)
    return np.where(doubt, np.where(upside_down > at_random, 2, 1), 0).astype(np.int8)


def comparison_notes(profile: Profile) -> list[str]:
    """Return a note about papers that no ballot compares with another."""
    compared = np.zeros(profile.n_papers, bool)
    compared[profile.papers[np.repeat(profile.informative, profile.sizes)]] = True
    return notes_on_unknown(int(profile.n_papers - compared.sum()), profile.n_papers)


def notes_on_unknown(unknown: int, n_papers: int) -> list[str]:
    """Return a note, given the number of papers that no ballot compares with another."""
    if n_papers < 2 or not unknown:
        return []
    if unknown == n_papers:
        return [_("no two papers were compared, so the order is a random one")]
    text = ngettext(
        "{count} paper was never compared with another, so its interval covers nearly every place",
        "{count} papers were never compared with another, so their intervals cover nearly every place",
        unknown,
    )
    return [text.format(count=unknown)]
