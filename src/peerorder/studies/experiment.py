"""One experiment, run once: make bundles, hand them out, let graders rank, merge, compare with the truth."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar, cast

import numpy as np

from peerorder.core.arrays import Int32Array, IntArray
from peerorder.core.bundles import Bundles
from peerorder.core.errors import InputError
from peerorder.core.randomness import Generator, child
from peerorder.core.registry import Entry, Registry
from peerorder.core.translation import gettext as _
from peerorder.noise import NOISES
from peerorder.rules import RULES
from peerorder.schemes import SCHEMES, hand_out

__all__ = ["Cell", "Run", "SimulatedRound", "begin", "perform"]

E = TypeVar("E", bound=Entry)


@dataclass(frozen=True)
class Cell:
    """One setting of an experiment, as people write it; equal cells give equal numbers.

    The names and options are brought to one canonical form, and everything is checked, when the
    cell is made: what cannot be run is known before the first run.
    """

    scheme: str
    n: int
    k: int
    noise: str
    rules: tuple[str, ...] = field(compare=False)
    local: Mapping[tuple[str, str], Entry] = field(default_factory=dict, compare=False, repr=False)
    """Entries that only exist in this process, by the registry's kind and their ``spec``."""
    graders: int | None = None
    """This many graders who wrote no paper all rank all papers; by default the authors rank by the scheme."""

    def __post_init__(self) -> None:
        if not self.rules:
            raise InputError(_("an experiment needs at least one rule"))
        if self.k < 2:
            raise InputError(
                _("k is {k}, but a ballot of fewer than 2 papers compares nothing; choose 2 or more").format(k=self.k)
            )
        scheme = self.entry(SCHEMES, self.scheme)
        if self.graders is None:
            scheme.check(self.n, self.k)
        elif self.graders < 1 or self.k != self.n:
            raise InputError(
                _(
                    "complete lists need at least 1 grader and k = n; here are {graders} graders, k={k} and n={n}"
                ).format(graders=self.graders, k=self.k, n=self.n)
            )
        object.__setattr__(self, "scheme", scheme.spec)
        object.__setattr__(self, "noise", self.entry(NOISES, self.noise).spec)
        object.__setattr__(self, "rules", tuple(dict.fromkeys(self.entry(RULES, rule).spec for rule in self.rules)))

    def entry(self, registry: Registry[E], spec: str) -> E:
        """Return the rule, scheme or noise that this cell means by a name with options."""
        return registry.parse(cast(E, self.local.get((registry.kind, spec), spec)))

    @property
    def portable(self) -> bool:
        """Whether another process finds the scheme, the noise and all rules by their names."""
        return (
            SCHEMES.is_installed(self.entry(SCHEMES, self.scheme))
            and NOISES.is_installed(self.entry(NOISES, self.noise))
            and all(RULES.is_installed(self.entry(RULES, rule)) for rule in self.rules)
        )

    @property
    def key(self) -> str:
        """The name of this cell's random streams. Rules are not part of it: they share the data."""
        graders = "" if self.graders is None else f" graders={self.graders}"
        return f"{self.scheme} n={self.n} k={self.k}{graders} {self.noise}"


@dataclass(frozen=True)
class Run:
    """The number-th repetition of a cell in a study."""

    study: str
    cell: Cell
    number: int
    seed: int

    def __str__(self) -> str:
        return _("run {number} of {cell}").format(number=self.number, cell=self.cell.key)

    @property
    def key(self) -> str:
        """The name of this run in a journal."""
        return f"{self.study}/{self.cell.key} {' '.join(self.cell.rules)}/{self.number}"


@dataclass(frozen=True, eq=False)
class SimulatedRound:
    """The start of a run: the bundle of every grader, and the true place of every paper, from 0.

    There is no ``bundle_of`` where graders wrote no papers: grader b has bundle b.
    """

    run: Run
    bundles: Bundles
    bundle_of: Int32Array | None
    truth: IntArray

    def stream(self, step: str) -> Generator:
        """Return the stream of this step, from its beginning."""
        return _stream(self.run, step)


def begin(run: Run) -> SimulatedRound:
    """Make the bundles of a run, hand them out and draw the truth.

    Every step draws from a stream with a name of its own, so a result depends on the seed, the
    study, the cell and the run's number alone: not on who computes it, nor on which other rules run.
    """
    cell = run.cell
    truth = _stream(run, "truth").permutation(cell.n)
    if cell.graders is not None:
        lists = np.tile(np.arange(cell.n), (cell.graders, 1))
        return SimulatedRound(run, Bundles.from_matrix(lists, cell.n), None, truth)
    bundles = cell.entry(SCHEMES, cell.scheme).build(cell.n, cell.k, _stream(run, "bundles"))
    return SimulatedRound(run, bundles, hand_out(bundles, np.arange(cell.n), _stream(run, "hand out")), truth)


def perform(run: Run) -> dict[str, float]:
    """Return the pairwise accuracy of every rule of the cell, in percent."""
    simulated = begin(run)
    noise = run.cell.entry(NOISES, run.cell.noise)
    profile = noise.draw(simulated.bundles, simulated.truth, simulated.stream("noise"), bundle_of=simulated.bundle_of)
    places = noise.truth(simulated.truth)
    return {
        rule: 100
        * run.cell.entry(RULES, rule).aggregate(profile, simulated.stream(f"rule {rule}")).pairwise_accuracy(places)
        for rule in run.cell.rules
    }


def _stream(run: Run, step: str) -> Generator:
    return child(run.seed, run.study, run.cell.key, run.number, step)
