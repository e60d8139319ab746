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

from peerorder.core.arrays import freeze
from peerorder.core.outcome import RuleResult
from peerorder.core.preferences import Preferences
from peerorder.core.profile import Profile
from peerorder.core.randomness import Generator
from peerorder.core.registry import Option
from peerorder.core.samples import Samples
from peerorder.core.translation import gettext as _
from peerorder.core.workers import Workers
from peerorder.rules import plackett_luce
from peerorder.rules.grader_types import INSIDE, comparison_notes, flag_graders, reliability_intervals
from peerorder.rules.posterior.chains import ENOUGH, KEPT, Chains, Draws, draw, in_threads
from peerorder.rules.posterior.distributed import on_workers
from peerorder.rules.posterior.grid import LEVELS, UTILITIES, Grid, grid_for
from peerorder.rules.rule import Rule

__all__ = ["RULE"]

TIE = "tie-quality-to-place"
EFFECTIVE = "effective-draws"
DRAWS = "draws"
CHAINS = "chains"
WORKERS = "workers"
PRIOR_OF_START = 0.03


def compute(profile: Profile, rng: Generator, **options: int) -> RuleResult:
    """Score by the mean place over the posterior."""
    return _compute(profile, rng, partial(in_threads, threads=options[WORKERS]), options)


def compute_on(workers: Workers, profile: Profile, rng: Generator, /, **options: int) -> RuleResult:
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
    draws = draw(
        profile,
        grader_types,
        start,
        bool(options[TIE]),
        rng,
        options[EFFECTIVE],
        begin_chains,
        options[DRAWS],
        options[CHAINS],
    )
    chains = len(draws.places) // options[DRAWS]
    samples = Samples(freeze(draws.places), freeze(draws.evidence), chains, draws.effective_size)
    return RuleResult(
        scores=1 - (draws.mean + 0.5) / max(n, 1),
        intervals=samples.intervals(INSIDE),
        # Not by a matrix product: its sums depend on the number of cores.
        reliability=freeze(np.einsum("gt,t->g", draws.grader_types, grader_types.reliability)),
        reliability_intervals=reliability_intervals(draws.grader_types, grader_types.reliability),
        flags=flag_graders(profile, draws.grader_types, grader_types.random, grader_types.backwards),
        samples=samples,
        preferences=_preferences(grader_types, draws),
        notes=_notes(profile, draws),
    )


def _preferences(grader_types: Grid, draws: Draws) -> Preferences | None:
    """Return what the draws say about the next grader; nothing where quantiles are not kept."""
    if not draws.quantiles.size:
        return None
    return Preferences(
        draws.quantiles,
        draws.weights,
        grader_types.sharpness,
        grader_types.quality,
        table=np.repeat(grader_types.utility, LEVELS // UTILITIES),
    )


def _notes(profile: Profile, draws: Draws) -> tuple[str, ...]:
    notes = comparison_notes(profile)
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
    citation="Mallows (1957); Luce (1959); Plackett (1975); Metropolis et al. (1953); Hastings (1970); "
    "Gelfand, Smith (1990); Ritter, Tanner (1992)",
    compute=compute,
    options=(
        Option(TIE, False, "yes: learn how good graders are by the place of their own paper; see the documentation"),
        Option(EFFECTIVE, ENOUGH, "effective sample size at which the chains stop", ENOUGH, 4096),
        Option(DRAWS, KEPT, "orders that are kept of each chain", 16, 4096),
        Option(CHAINS, 0, "number of chains; 0: 4, or 2 beyond 200,000 papers", 0, 64),
        Option(WORKERS, 0, "threads that share the chains, with the same result; 0: one per core", 0, 64),
    ),
    needs="nothing; some hundred passes over the ballots in each of several chains",
    most_papers=100_000,
    rates_graders=True,
    compute_on=compute_on,
    changed="0.9.1",
)
