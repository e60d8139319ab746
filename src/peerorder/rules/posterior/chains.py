"""Several chains, each with its own stream, until they agree.

Chains run in threads, because kernels do not hold the interpreter's lock, or one each on workers elsewhere
(``distributed``). Each has its own generator, so the result does not depend on the number of cores.

When to stop. The mean place of a paper differs between chains, and between the halves of a chain, by the error of the
sampling; places differ within a chain by what the ballots leave open. With b the variance between the halves
and w that within them, both averaged over papers, the halves have an effective sample size of h w / b. At
``ENOUGH`` the error of a mean place is an eighth of what is left open anyway (a seventh at
``ENOUGH_OF_MANY``, which two chains are held to). Otherwise everything so far
counts as warming up, and the chains go on for twice as long; ``DOUBLINGS`` times at most, and then
the outcome says so. For more than ``ENOUGH`` there are as many doublings more as that takes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from peerorder.core.arrays import FloatArray
from peerorder.core.cores import cores
from peerorder.core.profile import Profile
from peerorder.core.randomness import Generator
from peerorder.rules.posterior.grid import LEVELS, Float32Array, Grid
from peerorder.rules.posterior.layout import Layout, make_layout
from peerorder.rules.posterior.paper_moves import WIDEST
from peerorder.rules.posterior.sampler import run
from peerorder.rules.posterior.state import State, Tally
from peerorder.rules.posterior.weight_moves import ANCHORS

__all__ = ["ENOUGH", "Chain", "Chains", "Draws", "Problem", "begin", "draw", "effective_sample_size", "empty_tally"]

CHAINS = 4
# A chain of a million papers takes minutes; two still show whether they agree.
CHAINS_OF_MANY = 2
MANY = 200_000
# Beyond this many papers their quantiles are not kept.
MANY_QUANTILES = 2**16
WARM_UP = 36
ADAPTING = 28
SWEEPS = 128
KEPT = 64
ENOUGH = 64
ENOUGH_OF_MANY = 48
DOUBLINGS = 4


@dataclass(frozen=True)
class Draws:
    """What the chains found."""

    mean: FloatArray
    """The mean place of every paper, from 0."""
    places: NDArray[np.unsignedinteger]
    """Places of all papers, a row for every order that was kept."""
    evidence: Float32Array
    """log Pr[the ballots of every grader], a row for every order that was kept."""
    quantiles: NDArray[np.uint16]
    """The quantiles of all papers, a row for every order that was kept; of none beyond ``MANY_QUANTILES``."""
    weights: Float32Array
    """The weights of the types of grader, a row for every order that was kept."""
    grader_types: FloatArray
    """The probabilities of every grader's types."""
    assortativity: float
    """The probability that papers on one ballot are more similar than by chance."""
    effective_size: float
    """The effective sample size of the chains."""
    converged: bool


@dataclass(frozen=True)
class Chain:
    """One chain, changed in place by its sweeps."""

    state: State
    stream: Generator


class Chains(Protocol):
    """All chains, wherever they run."""

    def advance(self, sweeps: int, adapting: int, kept: int) -> list[Tally]:
        """Run some more sweeps of every chain, and return what each leaves behind."""
        ...


@dataclass(frozen=True)
class Threads:
    """Chains in threads of this process."""

    problem: Problem
    chains: list[Chain]
    pool: ThreadPoolExecutor

    def advance(self, sweeps: int, adapting: int, kept: int) -> list[Tally]:
        """Run some more sweeps of every chain, and return what each leaves behind."""
        jobs = [self.pool.submit(self.problem.advance, chain, sweeps, adapting, kept) for chain in self.chains]
        return [job.result() for job in jobs]


@dataclass(frozen=True)
class Problem:
    """What all chains share, and none changes."""

    profile: Profile
    layout: Layout
    grid: Grid
    tied_to_place: bool

    def begin(self, start: FloatArray, stream: Generator) -> Chain:
        """Return a chain at the order of these scores."""
        state = begin(self.profile, self.layout, self.grid, start, self.tied_to_place, stream)
        return Chain(state, stream)

    def advance(self, chain: Chain, sweeps: int, adapting: int, kept: int) -> Tally:
        """Run some sweeps of a chain."""
        tally = empty_tally(self.profile, self.grid, kept)
        arguments = (sweeps, adapting, kept > 0, self.tied_to_place, chain.stream)
        run(self.layout, self.grid, chain.state, tally, *arguments)
        return tally


@contextmanager
def in_threads(
    profile: Profile,
    grid: Grid,
    start: FloatArray,
    tied_to_place: bool,
    streams: list[Generator],
    threads: int = 0,
) -> Iterator[Chains]:
    """Begin chains that run in ``threads`` of this process, by default one per core."""
    problem = Problem(profile, make_layout(profile), grid, tied_to_place)
    with ThreadPoolExecutor(min(len(streams), threads or cores())) as pool:
        yield Threads(problem, [problem.begin(start, stream) for stream in streams], pool)


def draw(
    profile: Profile,
    grid: Grid,
    start: FloatArray,
    tied_to_place: bool,
    rng: Generator,
    enough: int | None = None,
    begin_chains: Callable[..., AbstractContextManager[Chains]] = in_threads,
    kept: int = KEPT,
    chains: int | None = None,
) -> Draws:
    """Sample orders, beginning at the order of these scores, until they count as ``enough`` independent ones."""
    enough = ENOUGH if enough is None else enough
    many = profile.n_papers > MANY
    chains = chains or (CHAINS_OF_MANY if many else CHAINS)
    if many and enough == ENOUGH:
        enough = ENOUGH_OF_MANY
    # From seed to seed a mean moves by one part in the square root of enough: more takes longer chains.
    doublings = DOUBLINGS + max(0, math.ceil(math.log2(enough / ENOUGH)))
    # Seeds from the generator, not its children: those are not part of its state, which provenance keeps.
    streams = [np.random.default_rng(seed) for seed in rng.integers(2**63, size=(chains, 4))]
    with begin_chains(profile, grid, start, tied_to_place, streams) as running:
        running.advance(WARM_UP, ADAPTING, 0)
        # Halves of one length, and a sweep for every draw.
        sweeps = max(SWEEPS, kept + kept % 2)
        for _ in range(doublings + 1):
            tallies: list[Tally] = []  # what was drawn before counts as warming up, and makes room
            tallies = running.advance(sweeps, 0, kept)
            means, effective_size = mean_places(tallies, sweeps // 2)
            if effective_size >= enough:
                break
            sweeps *= 2
        else:
            sweeps //= 2
    grader_types: FloatArray = np.zeros(tallies[0].grader_types.shape)
    for tally in tallies:
        grader_types += tally.grader_types
    grader_types /= kept * chains
    return Draws(
        mean=means,
        places=_take(tallies, "places"),
        evidence=_take(tallies, "evidence"),
        quantiles=_take(tallies, "quantiles"),
        weights=_take(tallies, "weights"),
        grader_types=grader_types,
        assortativity=sum(int(tally.assortativity[0]) for tally in tallies) / (sweeps * chains),
        effective_size=effective_size,
        converged=effective_size >= enough,
    )


def _take(tallies: list[Tally], name: str) -> NDArray[Any]:
    """Return what all chains have kept, and take it from their tallies, which makes room for the next."""
    joined: NDArray[Any] = np.concatenate([getattr(tally, name) for tally in tallies])
    tallies[:] = [tally._replace(**{name: joined[:0]}) for tally in tallies]
    return joined


def begin(
    profile: Profile, layout: Layout, grid: Grid, start: FloatArray, tied_to_place: bool, rng: Generator
) -> State:
    """A chain at the order of these scores, its graders of no type yet."""
    n, grader_types = profile.n_papers, len(grid.reliability)
    order = np.lexsort((rng.random(n), start))
    x = np.empty(n, np.uint16)
    x[order] = (np.arange(n) + 0.5) / max(n, 1) * LEVELS
    ties = len(layout.ties) > 0
    return State(
        x=x,
        seen=x[profile.papers],
        entry=layout.entry.copy() if ties else layout.entry,
        slot=layout.slot.copy() if ties else layout.slot,
        grader_type=np.zeros(len(profile), np.int8),
        width=np.full(n, WIDEST / 4, np.float32),
        weights=np.full((1 + ANCHORS if tied_to_place else 1, grader_types), 1 / grader_types),
        assortativity=np.zeros(1),
    )


def empty_tally(profile: Profile, grid: Grid, kept: int) -> Tally:
    """Return an empty tally of a chain, with room for ``kept`` orders."""
    n, graders = profile.n_papers, profile.n_graders
    return Tally(
        sums=np.zeros((2, n)),
        squares=np.zeros((2, n)),
        surplus=np.zeros((2, n), np.float32),
        places=np.zeros((kept, n), np.uint16 if n <= 2**16 else np.uint32),
        evidence=np.zeros((kept, graders), np.float32),
        quantiles=np.zeros((kept, n if n <= MANY_QUANTILES else 0), np.uint16),
        weights=np.zeros((kept, len(grid.reliability)), np.float32),
        grader_types=np.zeros((graders if kept else 0, len(grid.reliability)), np.float32),
        assortativity=np.zeros(1, np.int64),
    )


def mean_places(tallies: list[Tally], sweeps: int) -> tuple[FloatArray, float]:
    """Return the mean place of every paper, from halves of ``sweeps`` sweeps each, and their effective sample size.

    With the surplus, a place is what it is expected to be after a move, given all other papers, and not what the move
    happened to lead to (Gelfand, Smith 1990); that is the better of the two but where papers are so certain that only
    others' moves change their places. Whichever the chains agree on more closely is taken.
    """
    expected = [tally._replace(sums=tally.sums + tally.surplus) for tally in tallies]
    size, size_expected = effective_sample_size(tallies, sweeps), effective_sample_size(expected, sweeps)
    better = expected if size_expected > size else tallies
    mean: FloatArray = np.sum([tally.sums for tally in better], axis=(0, 1)) / (2 * sweeps * len(tallies))
    # Surpluses of all papers need not add up to nothing; places do.
    n = len(mean)
    return mean + (n - 1) / 2 - (mean.mean() if n else 0.0), max(size, size_expected)


def effective_sample_size(tallies: list[Tally], sweeps: int) -> float:
    """Return the effective sample size of the halves of all chains, each of ``sweeps`` sweeps."""
    means = np.concatenate([tally.sums for tally in tallies]) / sweeps
    within = max(
        float(np.mean([tally.squares.sum() for tally in tallies]) / 2 / sweeps - np.mean((means**2).sum(axis=1))), 0.0
    )
    between = float(means.var(axis=0, ddof=1).sum())
    # Where nothing is left open there is nothing to sample; rounding alone is no disagreement.
    return len(means) * within / between if between > 1e-9 * means.shape[1] else np.inf
