"""``Noise``: a named model of how graders err, which turns bundles and a truth into a profile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from peerorder.core.arrays import FloatArray, Int32Array, IntArray, as_indices, frozen
from peerorder.core.bundles import Bundles
from peerorder.core.errors import InputError
from peerorder.core.jit import kernel
from peerorder.core.profile import Profile
from peerorder.core.randomness import Generator, generator
from peerorder.core.registry import Entry
from peerorder.noise.crowd import CROWD, disturbed

__all__ = ["Drawn", "Noise", "Ranked", "Task"]


@dataclass(frozen=True, eq=False)
class Task:
    """What simulated graders have before them: bundles in true order, and who ranks which."""

    papers: Int32Array
    """The papers of every bundle, truly best first."""
    start: IntArray
    """Where each bundle begins."""
    truth: Int32Array
    """The true place of every paper, from 0."""
    grader: Int32Array
    """The grader of each bundle."""
    authored: Int32Array
    """The paper that each grader wrote, -1 for none."""


class Ranked(NamedTuple):
    """What a model's graders made of their task."""

    papers: Int32Array
    """The papers of every bundle, best first as ranked."""
    reliability: FloatArray | float
    """The true reliability of every grader, or of all of them alike; NaN where the model has no such number."""


@dataclass(frozen=True, eq=False)
class Drawn:
    """A class of simulated graders: what they handed in, and what nobody but the simulation knows about them."""

    profile: Profile
    reliability: FloatArray
    """The chance of every grader to put two papers, drawn at random from a large class and shown alone, in the right
    order; NaN where it has no such number, as for members of a team, who do not try."""
    role: NDArray[np.str_]
    """``random``, ``reversed`` or ``team`` for graders who do something else than the model says, otherwise empty."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Noise(Entry):
    """A noise model. ``rank(task, rng, **options)`` gives the papers of every bundle, best first as ranked.

    A model that knows how reliable its graders are gives ``Ranked``, with that number for each.
    ``true_places(truth, **options)`` ties the places of papers that the model makes equally good. Options
    of ``crowd.CROWD`` that a model lists are dealt with here, for all models alike.
    """

    function: ClassVar[str] = "rank"

    rank: Callable[..., Int32Array | Ranked]
    true_places: Callable[..., IntArray] = lambda truth, **options: truth  # noqa: ARG005

    def truth(self, places: ArrayLike) -> IntArray:
        """The places that an order is to be compared with: tied where the model makes papers equally good."""
        return self.true_places(np.asarray(places, np.int64), **self.values)

    def draw(
        self,
        bundles: Bundles,
        truth: ArrayLike,
        rng: Generator | int,
        *,
        bundle_of: ArrayLike | None = None,
        authored: ArrayLike | None = None,
    ) -> Profile:
        """Draw the profile that simulated graders hand in, a ballot for every bundle that is ranked.

        Parameters
        ----------
        bundles
            What is ranked.
        truth
            The true place of every paper, from 0: a permutation.
        bundle_of
            The bundle of each grader, as ``hand_out`` gives it; without it grader b has bundle b.
        authored
            The paper that each grader wrote, -1 for none. Without it, grader g wrote paper g where
            a hand-out is given, and nobody wrote anything where none is.
        """
        return self.drawn(bundles, truth, rng, bundle_of=bundle_of, authored=authored).profile

    def drawn(
        self,
        bundles: Bundles,
        truth: ArrayLike,
        rng: Generator | int,
        *,
        bundle_of: ArrayLike | None = None,
        authored: ArrayLike | None = None,
    ) -> Drawn:
        """Draw the same profile as ``draw``, and say how reliable every grader truly is and who plays which part."""
        rng = generator(rng)
        places = as_indices(truth, "truth", 0, bundles.n_papers, InputError)
        if len(places) != bundles.n_papers or len(np.unique(places)) != len(places):
            raise InputError(f"the truth must give each of the {bundles.n_papers} papers a place of its own")
        n = len(bundles)
        if bundle_of is None:
            grader = np.arange(n, dtype=np.int32)
            authored = np.full(n, -1, np.int32) if authored is None else authored
        else:
            handed = as_indices(bundle_of, "bundle_of", 0, n, InputError)
            if len(handed) != n or len(np.unique(handed)) != n:
                raise InputError(f"the hand-out must give each of the {n} bundles to one grader")
            grader = np.empty(n, np.int32)
            grader[handed] = np.arange(n, dtype=np.int32)
            authored = np.arange(n) if authored is None else authored
        authors = as_indices(authored, "authored", -1, bundles.n_papers, InputError)
        if len(authors) != n:
            raise InputError(f"there are {n} graders but {len(authors)} entries that say what they wrote")
        ideal = frozen(in_true_order(bundles.papers, bundles.start, places))
        task = Task(papers=ideal, start=bundles.start, truth=places, grader=frozen(grader), authored=authors)
        crowd = {option.name: self.values[option.name] for option in CROWD if option in self.options}
        own = {name: value for name, value in self.values.items() if name not in crowd}
        given = self.rank(task, rng, **own)
        honest, known = given if isinstance(given, Ranked) else (given, np.nan)
        ranked, came, parts = disturbed(honest, bundles.start, task.grader, authors, rng, crowd)
        reliability, role = np.full(n, known, np.float64), np.full(n, "", "<U8")
        for part, rows in parts.items():
            role[task.grader[rows]] = part
        reliability[role == "random"] = 0.5
        reliability[role == "reversed"] = 1 - reliability[role == "reversed"]
        reliability[role == "team"] = np.nan
        profile = handed_in(bundles, frozen(ranked), came, task)
        return Drawn(profile, frozen(reliability), frozen(role))


def handed_in(bundles: Bundles, ranked: Int32Array, came: NDArray[np.bool_], task: Task) -> Profile:
    """The ballots that came in, as a profile."""
    if came.all():
        return Profile(ranked, bundles.start, bundles.n_papers, grader=task.grader, authored=task.authored)
    start = np.concatenate([[0], np.cumsum(bundles.sizes[came])])
    kept = ranked[np.repeat(came, bundles.sizes)]
    return Profile(kept, start, bundles.n_papers, grader=task.grader[came], authored=task.authored)


@kernel
def in_true_order(papers, start, truth):  # type: ignore[no-untyped-def]
    """Sort the papers of every row by their true place; by insertion, because rows are short."""
    out = papers.copy()
    for row in range(len(start) - 1):
        for i in range(start[row] + 1, start[row + 1]):
            paper = out[i]
            place = truth[paper]
            j = i
            while j > start[row] and truth[out[j - 1]] > place:
                out[j] = out[j - 1]
                j -= 1
            out[j] = paper
    return out
