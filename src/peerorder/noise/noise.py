"""``Noise``: a named model of how graders err, which turns bundles and a truth into a profile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from peerorder.core.arrays import FloatArray, Int32Array, IntArray, as_indices, freeze
from peerorder.core.bundles import Bundles
from peerorder.core.errors import InputError
from peerorder.core.jit import kernel
from peerorder.core.profile import Profile
from peerorder.core.randomness import Generator, generator
from peerorder.core.registry import Entry
from peerorder.core.translation import gettext as _, ngettext
from peerorder.noise.crowd import CROWD, apply_roles

__all__ = ["Noise", "RankedBundles", "SimulatedClass", "Task"]


@dataclass(frozen=True, eq=False)
class Task:
    """The task of simulated graders: bundles in true order, and which grader ranks which."""

    papers: Int32Array
    """The papers of every bundle, truly best first."""
    start: IntArray
    """The offset of each bundle in ``papers``."""
    truth: Int32Array
    """The true place of every paper, from 0."""
    grader: Int32Array
    """The grader of each bundle."""
    authored: Int32Array
    """The paper that each grader wrote, -1 for none."""


class RankedBundles(NamedTuple):
    """The rankings of a model's graders."""

    papers: Int32Array
    """The papers of every bundle, best first as ranked."""
    reliability: FloatArray | float
    """The true reliability of every grader, or one for all; NaN where the model has no such number."""


@dataclass(frozen=True, eq=False)
class SimulatedClass:
    """A class of simulated graders: their ballots, and what only the simulation knows about them."""

    profile: Profile
    reliability: FloatArray
    """Each grader's probability of putting two papers, drawn at random from a large class and shown alone, in the right
    order; NaN where it is not defined, as for members of a team, who do not try."""
    role: NDArray[np.str_]
    """``random``, ``reversed`` or ``team`` for graders who do not follow the model, otherwise empty."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Noise(Entry):
    """A noise model. ``rank(task, rng, **options)`` gives the papers of every bundle, best first as ranked.

    A model that knows how reliable its graders are gives ``Ranked``, with that number for each.
    ``true_places(truth, **options)`` ties the places of papers that the model makes equally good. Options
    of ``crowd.CROWD`` that a model lists are applied here, in the same way for all models.
    """

    function: ClassVar[str] = "rank"

    rank: Callable[..., Int32Array | RankedBundles]
    true_places: Callable[..., IntArray] = lambda truth, **options: truth  # noqa: ARG005

    def truth(self, places: ArrayLike) -> IntArray:
        """Return the places that an order is to be compared with: tied where the model makes papers equally good."""
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
        return self.draw_class(bundles, truth, rng, bundle_of=bundle_of, authored=authored).profile

    def draw_class(
        self,
        bundles: Bundles,
        truth: ArrayLike,
        rng: Generator | int,
        *,
        bundle_of: ArrayLike | None = None,
        authored: ArrayLike | None = None,
    ) -> SimulatedClass:
        """Draw the same profile as ``draw``, with the true reliability and the role of every grader."""
        rng = generator(rng)
        places = as_indices(truth, "truth", 0, bundles.n_papers, InputError)
        if len(places) != bundles.n_papers or len(np.unique(places)) != len(places):
            raise InputError(
                _("`truth` must give each of the {count} papers a place of its own").format(count=bundles.n_papers)
            )
        n = len(bundles)
        if bundle_of is None:
            grader = np.arange(n, dtype=np.int32)
            authored = np.full(n, -1, np.int32) if authored is None else authored
        else:
            handed = as_indices(bundle_of, "bundle_of", 0, n, InputError)
            if len(handed) != n or len(np.unique(handed)) != n:
                raise InputError(_("`bundle_of` must give each of the {count} bundles to one grader").format(count=n))
            grader = np.empty(n, np.int32)
            grader[handed] = np.arange(n, dtype=np.int32)
            authored = np.arange(n) if authored is None else authored
        authors = as_indices(authored, "authored", -1, bundles.n_papers, InputError)
        if len(authors) != n:
            raise InputError(
                ngettext(
                    "there is {graders} grader but `authored` has {count} entries; give one per grader",
                    "there are {graders} graders but `authored` has {count} entries; give one per grader",
                    n,
                ).format(graders=n, count=len(authors))
            )
        ideal = freeze(sort_by_truth(bundles.papers, bundles.start, places))
        task = Task(papers=ideal, start=bundles.start, truth=places, grader=freeze(grader), authored=authors)
        crowd = {option.name: self.values[option.name] for option in CROWD if option in self.options}
        own = {name: value for name, value in self.values.items() if name not in crowd}
        given = self.rank(task, rng, **own)
        honest, known = given if isinstance(given, RankedBundles) else (given, np.nan)
        ranked, came, parts = apply_roles(honest, bundles.start, task.grader, authors, rng, crowd)
        reliability, role = np.full(n, known, np.float64), np.full(n, "", "<U8")
        for part, rows in parts.items():
            role[task.grader[rows]] = part
        reliability[role == "random"] = 0.5
        reliability[role == "reversed"] = 1 - reliability[role == "reversed"]
        reliability[role == "team"] = np.nan
        profile = submitted_profile(bundles, freeze(ranked), came, task)
        return SimulatedClass(profile, freeze(reliability), freeze(role))


def submitted_profile(bundles: Bundles, ranked: Int32Array, came: NDArray[np.bool_], task: Task) -> Profile:
    """Return the ballots that were submitted, as a profile."""
    if came.all():
        return Profile(ranked, bundles.start, bundles.n_papers, grader=task.grader, authored=task.authored)
    start = np.concatenate([[0], np.cumsum(bundles.sizes[came])])
    kept = ranked[np.repeat(came, bundles.sizes)]
    return Profile(kept, start, bundles.n_papers, grader=task.grader[came], authored=task.authored)


@kernel
def sort_by_truth(papers, start, truth):  # type: ignore[no-untyped-def]
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
