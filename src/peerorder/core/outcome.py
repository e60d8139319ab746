"""``Outcome``: the order a rule found, and everything needed to find the same order again."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from peerorder._version import __version__
from peerorder.core.arrays import FloatArray, IntArray, frozen
from peerorder.core.errors import InputError
from peerorder.core.profile import Profile
from peerorder.core.randomness import Generator
from peerorder.core.recovery import kendall_tau, recovered, true_ranks
from peerorder.core.samples import Samples
from peerorder.core.text import plural

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["Outcome", "RuleResult", "order_by_score"]


@dataclass(frozen=True, eq=False, repr=False)
class RuleResult:
    """What a rule hands back: a score for every paper, and whatever else it knows.

    ``intervals`` holds the low and high place (from 1) of every paper, which hold the true one in nine
    cases of ten; ``reliability`` the chance of every grader to put two random papers in the right order, and
    ``reliability_intervals`` its low and high end; ``flags`` is empty for a grader, or ``random`` or ``reversed``
    where that explains her ballots better; ``samples`` are possible orders; ``notes`` lines for people,
    such as that a search did not converge.
    """

    scores: FloatArray
    intervals: IntArray | None = None
    reliability: FloatArray | None = None
    reliability_intervals: FloatArray | None = None
    flags: tuple[str, ...] | None = None
    samples: Samples | None = None
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        names = ("intervals", "reliability", "flags", "samples")
        parts = ["scores", *(name for name in names if getattr(self, name) is not None)]
        return f"<RuleResult: {', '.join(parts)} of {len(self.scores)} papers>"


@dataclass(frozen=True, eq=False, repr=False)
class Outcome:
    """The merged order. Equal provenance gives equal bits, on any number of cores."""

    order: IntArray
    findings: RuleResult
    rule: str
    options: dict[str, Any]
    profile: Profile
    generator: dict[str, Any]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Outcome):
            return NotImplemented
        return (
            (self.rule, self.options, self.generator) == (other.rule, other.options, other.generator)
            and self.profile == other.profile
            and np.array_equal(self.order, other.order)
            and np.array_equal(self.scores, other.scores)
        )

    def __hash__(self) -> int:
        return hash((self.rule, self.profile))

    def __repr__(self) -> str:
        return f"<Outcome: {len(self.order)} papers by {self.rule}{self.certainty}>"

    @property
    def certainty(self) -> str:
        """How sure the order is, in a few words for ``repr``; empty where the rule does not say."""
        parts = []
        if self.findings.samples is not None:
            parts.append(f"{len(self.findings.samples.places)} draws")
        if self.findings.intervals is not None and len(self.order):
            low, high = self.findings.intervals.T
            width = round(float(np.mean(high - low + 1)))
            parts.append(f"90% intervals {width} {plural(width, 'rank')} wide")
        return "".join(f", {part}" for part in parts)

    @property
    def scores(self) -> FloatArray:
        """A score for every paper; higher is better. Its scale is the rule's own."""
        return self.findings.scores

    @cached_property
    def places(self) -> IntArray:
        """The place of every paper, from 0, ties broken.

        .. deprecated:: 0.5
           Use ``ranks``, which count from 1 as people and ``intervals`` do. Places stay for arrays inside the library.
        """
        places = np.empty(len(self.order), np.int64)
        places[self.order] = np.arange(len(self.order))
        return frozen(places)

    @cached_property
    def ranks(self) -> IntArray:
        """The rank of every paper, from 1; papers with the same score share the best of theirs, as in 1, 2, 2, 4."""
        falling = self.scores[self.order]
        first = np.flatnonzero(np.append(True, falling[1:] != falling[:-1])[: len(falling)])
        ranks = np.empty(len(falling), np.int64)
        ranks[self.order] = np.repeat(first + 1, np.diff(first, append=len(falling)))
        return frozen(ranks)

    @cached_property
    def shared_by(self) -> IntArray:
        """How many papers have the rank of each paper: 1 where no other has the same score."""
        return frozen(np.bincount(self.ranks)[self.ranks])

    def probability_in_top(self, share: float) -> FloatArray:
        """The probability that each paper is among the best ``share`` of all: ``above(0.1)`` for the best tenth."""
        return self._samples("say how probable places are").probability_in_top(share)

    def influence(self, grader: int, paper: int | None = None) -> float:
        """How many places a paper, by default the grader's own, gained by this grader's ballots.

        Negative where it lost. Whoever ranks honestly moves her own paper little; whoever ranks rivals
        low on purpose moves it up.
        """
        samples = self._samples("say what moved a paper")
        if not 0 <= grader < self.profile.n_graders:
            raise InputError(f"there is no grader {grader}; graders are numbered 0 to {self.profile.n_graders - 1}")
        if paper is None:
            paper = int(self.profile.authored[grader])
            if paper < 0:
                raise InputError(f"grader {grader} wrote no paper; say which paper the influence is on")
        elif not 0 <= paper < self.profile.n_papers:
            raise InputError(f"there is no paper {paper}; papers are numbered 0 to {self.profile.n_papers - 1}")
        return samples.influence(grader, paper)

    def _samples(self, wanted: str) -> Samples:
        if self.findings.samples is None:
            raise InputError(f"{self.rule} cannot {wanted}; the rule posterior can")
        return self.findings.samples

    def recovered(self, truth: ArrayLike) -> float:
        """The share of pairs in the right order, given the true place of every paper, from 0 or 1."""
        return recovered(true_ranks(truth, len(self.order)), self.places)

    def kendall_tau(self, truth: ArrayLike) -> float:
        """Kendall's tau-b between these ranks and the true place of every paper, from 0 or 1."""
        return kendall_tau(true_ranks(truth, len(self.order)), self.ranks)

    @property
    def provenance(self) -> dict[str, Any]:
        """Rule, options, generator, version and the profile's hash, ready for JSON."""
        return {
            "rule": self.rule,
            "options": self.options,
            "generator": self.generator,
            "version": __version__,
            "profile": self.profile.digest,
        }


def order_by_score(scores: FloatArray, rng: Generator) -> IntArray:
    """Papers by falling score; ties in random order, never by position, because ids must not leak quality."""
    shuffled = rng.permutation(len(scores))
    return frozen(shuffled[np.argsort(-scores[shuffled], kind="stable")])
