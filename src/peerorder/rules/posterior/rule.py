"""``posterior``: the probable place of every paper, given all ballots and what they say about the graders.

Nobody knows beforehand how good the graders are, so they are learnt with the order: a ballot that agrees
with everybody else's belongs to somebody careful and counts for more, one that is as good as random counts for
nothing, and one that is upside down is read upside down. ``grid`` holds the types of grader, ``sampler`` the
model and the moves, ``chains`` when it stops.

Papers are ordered by their mean place. A score is the share of the class that a paper stands above on average.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial

import numpy as np

from peerorder.core.arrays import FloatArray, freeze
from peerorder.core.outcome import RuleResult
from peerorder.core.profile import Profile
from peerorder.core.randomness import Generator
from peerorder.core.registry import Option
from peerorder.core.samples import Samples
from peerorder.core.translation import gettext as _, ngettext
from peerorder.core.workers import Workers
from peerorder.rules import plackett_luce
from peerorder.rules.posterior.chains import ENOUGH, KEPT, Chains, Draws, draw, in_threads
from peerorder.rules.posterior.distributed import on_workers
from peerorder.rules.posterior.grid import Grid, grid_for
from peerorder.rules.rule import Rule

__all__ = ["RULE"]

TIE = "tie-quality-to-place"
DRAWS = "effective-draws"
# Intervals hold the truth with this probability, and flags are raised at the other.
INSIDE = 0.9
SURE = 0.95
PRIOR_OF_START = 0.03


def compute(profile: Profile, rng: Generator, **options: int) -> RuleResult:
    """Score by the mean place over the posterior."""
    return _compute(profile, rng, in_threads, options)


def compute_on(workers: Workers, profile: Profile, rng: Generator, **options: int) -> RuleResult:
    """Score by the mean place over the posterior, with one chain for each worker."""
    foreign: list[str] = []
    result = _compute(profile, rng, partial(on_workers, workers, foreign), options)
    if not foreign:
        return result
    note = _(
        "chains ran on other processors ({processors}) than this one, where the last digits may differ from those of "
        "the same command here"
    )
    return replace(result, notes=(*result.notes, note.format(processors=", ".join(sorted({*foreign})))))


def _compute(
    profile: Profile,
    rng: Generator,
    begin_chains: Callable[..., AbstractContextManager[Chains]],
    options: Mapping[str, int],
) -> RuleResult:
    n = profile.n_papers
    # A sane order to begin with: from a random one, chains end up in the mirror image.
    start = plackett_luce.compute(profile, rng, PRIOR_OF_START).scores
    grader_types = grid_for(profile)
    draws = draw(profile, grader_types, start, bool(options[TIE]), rng, options[DRAWS], begin_chains)
    samples = Samples(freeze(draws.places), freeze(draws.evidence), len(draws.places) // KEPT, draws.effective_size)
    return RuleResult(
        scores=1 - (draws.mean + 0.5) / max(n, 1),
        intervals=samples.intervals(INSIDE),
        # Not by a matrix product: its sums depend on the number of cores.
        reliability=freeze(np.einsum("gt,t->g", draws.grader_types, grader_types.reliability)),
        reliability_intervals=freeze(_reliability_intervals(draws, grader_types)),
        flags=_flags(profile, draws, grader_types),
        samples=samples,
        notes=_notes(profile, draws),
    )


def _reliability_intervals(draws: Draws, grader_types: Grid) -> FloatArray:
    """The low and high end of every grader's reliability: halfway to the types beyond those at the ends.

    Qualities lie between those of the grid, so a type stands for all that are nearest to it.
    """
    values, which = np.unique(grader_types.reliability.round(6), return_inverse=True)
    chances = np.zeros((len(draws.grader_types), len(values)))
    for grader_type, at in enumerate(which):
        chances[:, at] += draws.grader_types[:, grader_type]
    up_to = np.cumsum(chances, axis=1)
    halfway = np.concatenate([[0.0], (values[1:] + values[:-1]) / 2, [1.0]])
    tail = (1 - INSIDE) / 2
    low, high = (np.argmax(up_to >= share * up_to[:, -1:], axis=1) for share in (tail, 1 - tail))
    return np.stack([halfway[low], halfway[high + 1]], axis=1)


def _flags(profile: Profile, draws: Draws, grader_types: Grid) -> tuple[str, ...]:
    """Name the graders whose ballots are better explained by chance, or by the order upside down."""
    at_random = draws.grader_types[:, grader_types.random]
    backwards = draws.grader_types[:, grader_types.backwards].sum(axis=1)
    ranked = np.zeros(profile.n_graders, bool)
    ranked[profile.grader[profile.sizes > 1]] = True
    doubt = ranked & (at_random + backwards >= SURE)
    return tuple(np.where(doubt, np.where(backwards > at_random, "reversed", "random"), "").tolist())


def _notes(profile: Profile, draws: Draws) -> tuple[str, ...]:
    notes = []
    compared = np.zeros(profile.n_papers, bool)
    compared[profile.papers[np.repeat(profile.informative, profile.sizes)]] = True
    unknown = int(profile.n_papers - compared.sum())
    if profile.n_papers > 1 and unknown == profile.n_papers:
        notes.append(_("no two papers were compared, so the order is a random one"))
    elif unknown and profile.n_papers > 1:
        text = ngettext(
            "{count} paper was never compared with another, so its interval covers nearly every place",
            "{count} papers were never compared with another, so their intervals cover nearly every place",
            unknown,
        )
        notes.append(text.format(count=unknown))
    if draws.assortativity > 0.5:
        notes.append(_("papers on one ballot are more similar than by chance (assortativity), and the rule uses that"))
    if not draws.converged:
        notes.append(
            _(
                "the chains do not agree yet: their effective sample size is {size:.0f}, so mean places are less "
                "certain than the intervals say"
            ).format(size=draws.effective_size)
        )
    return tuple(notes)


RULE = Rule(
    name="posterior",
    summary="the probable place of every paper, with the graders' reliabilities learnt from the same ballots",
    citation="Mallows (1957); Luce (1959); Plackett (1975); Metropolis et al. (1953); Hastings (1970)",
    compute=compute,
    options=(
        Option(TIE, False, "yes: learn how good graders are by the place of their own paper; see the documentation"),
        Option(DRAWS, ENOUGH, "effective sample size at which the chains stop", ENOUGH, 4096),
    ),
    needs="nothing; some hundred passes over the ballots in each of several chains",
    most_papers=100_000,
    compute_on=compute_on,
)
