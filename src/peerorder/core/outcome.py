"""``Outcome``: the order that a rule computed, and everything needed to compute it again."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from peerorder._version import __version__
from peerorder.core.arrays import FloatArray, IntArray, freeze
from peerorder.core.errors import InputError
from peerorder.core.preferences import Preferences
from peerorder.core.profile import Profile
from peerorder.core.randomness import Generator
from peerorder.core.recovery import kendall_tau, pairwise_accuracy, true_ranks
from peerorder.core.samples import Samples
from peerorder.core.text import plural
from peerorder.core.translation import gettext as _, message, translate

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Outcome", "RuleResult", "order_by_score"]

# Scores of a rule that counts, such as Borda's, are few even where papers are many; a sample shows whether they are.
MANY, SAMPLE, BUCKETS = 2**18, 2**14, 2**16


@dataclass(frozen=True, eq=False, repr=False)
class RuleResult:
    """The result of a rule: a score for every paper, and whatever else the rule estimates.

    ``intervals`` are 90% credible intervals of the places, from 1; ``reliability`` is each grader's probability
    of putting two random papers in the right order, and ``reliability_intervals`` its 90% credible intervals;
    ``flags`` holds an empty string for each grader, or ``random`` or ``reversed`` where that explains their ballots
    better; ``samples`` are draws of the order; ``preferences`` predict what the next grader prefers; ``notes`` are
    sentences for people, for example that a search did not converge.
    """

    scores: FloatArray
    intervals: IntArray | None = None
    reliability: FloatArray | None = None
    reliability_intervals: FloatArray | None = None
    flags: tuple[str, ...] | None = None
    samples: Samples | None = None
    preferences: Preferences | None = None
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        names = ("intervals", "reliability", "flags", "samples", "preferences")
        parts = ["scores", *(name for name in names if getattr(self, name) is not None)]
        return f"<RuleResult: {', '.join(parts)} of {len(self.scores)} papers>"


@dataclass(frozen=True, eq=False, repr=False)
class Outcome:
    """The merged order. Equal provenance gives equal bits, on any number of cores."""

    order: IntArray
    result: RuleResult
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
        """The certainty of the order in a few words, for ``repr``; empty where the rule does not estimate it."""
        parts = []
        if self.result.samples is not None:
            parts.append(f"{len(self.result.samples.places)} draws")
        if self.result.intervals is not None and len(self.order):
            low, high = self.result.intervals.T
            width = round(float(np.mean(high - low + 1)))
            parts.append(f"90% intervals {width} {plural(width, 'rank')} wide")
        return "".join(f", {part}" for part in parts)

    @property
    def scores(self) -> FloatArray:
        """A score for every paper; higher is better. Its scale is the rule's own."""
        return self.result.scores

    @cached_property
    def places(self) -> IntArray:
        """The place of every paper, from 0, ties broken.

        .. deprecated:: 0.5
           Use ``ranks``, which count from 1 as people and ``intervals`` do. Places stay for arrays inside the library.
        """
        places = np.empty(len(self.order), np.int64)
        places[self.order] = np.arange(len(self.order))
        return freeze(places)

    @cached_property
    def falling_scores(self) -> FloatArray:
        """The scores in order, the best first."""
        return freeze(self.scores[self.order])

    @cached_property
    def ranks_in_order(self) -> IntArray:
        """The ranks in order, the best first; papers with the same score share the best of theirs, as in 1, 2, 2, 4."""
        falling = self.falling_scores
        first = np.flatnonzero(np.append(True, falling[1:] != falling[:-1])[: len(falling)])
        return freeze(np.repeat(first + 1, np.diff(first, append=len(falling))))

    @cached_property
    def ranks(self) -> IntArray:
        """The rank of every paper, from 1; papers with the same score share the best of theirs, as in 1, 2, 2, 4."""
        ranks = np.empty(len(self.order), np.int64)
        ranks[self.order] = self.ranks_in_order
        return freeze(ranks)

    @cached_property
    def shared_by(self) -> IntArray:
        """The number of papers that share the rank of each paper: 1 where no other has the same score."""
        return freeze(np.bincount(self.ranks)[self.ranks])

    def probability_in_top(self, share: float) -> FloatArray:
        """Return the probability that each paper is among the best ``share`` of all, such as 0.1 for the best tenth."""
        return self._samples(
            message("{rule} cannot estimate how probable a place is; the rule posterior can")
        ).probability_in_top(share)

    def preference(self, first: ArrayLike, second: ArrayLike) -> FloatArray:
        """Return the probability that the next grader puts each first paper above the second.

        This is about one more ballot, errors and tastes included. How probable it is that a paper is the better one is
        another question: ``Samples.probability`` answers it.
        """
        if self.result.preferences is None:
            raise InputError(
                _(
                    "{rule} does not predict preferences of graders here; bradley-terry, mixture, plackett-luce and "
                    "thurstone do, and posterior for up to 65,536 papers"
                ).format(rule=self.rule)
            )
        return self.result.preferences.probability(first, second)

    def influence(self, grader: int, paper: int | None = None) -> float:
        """Return how many places a paper, by default the grader's own, gained through this grader's ballots.

        Negative where it lost. Graders who rank honestly hardly move their own paper; graders who rank rivals
        low on purpose move it up.
        """
        samples = self._samples(message("{rule} cannot estimate what moved a paper; the rule posterior can"))
        if not 0 <= grader < self.profile.n_graders:
            raise InputError(
                _("grader {grader} does not exist; graders are numbered 0 to {last}").format(
                    grader=grader, last=self.profile.n_graders - 1
                )
            )
        if paper is None:
            paper = int(self.profile.authored[grader])
            if paper < 0:
                raise InputError(
                    _("grader {grader} wrote no paper; pass `paper`, the paper that the influence is on").format(
                        grader=grader
                    )
                )
        elif not 0 <= paper < self.profile.n_papers:
            raise InputError(
                _("paper {paper} does not exist; papers are numbered 0 to {last}").format(
                    paper=paper, last=self.profile.n_papers - 1
                )
            )
        return samples.influence(grader, paper)

    def _samples(self, complaint: str) -> Samples:
        if self.result.samples is None:
            raise InputError(translate(complaint).format(rule=self.rule))
        return self.result.samples

    def pairwise_accuracy(self, truth: ArrayLike) -> float:
        """Return the share of pairs in the right order, given the true place of every paper, from 0 or 1."""
        return pairwise_accuracy(true_ranks(truth, len(self.order)), self.places)

    def kendall_tau(self, truth: ArrayLike) -> float:
        """Return Kendall's tau-b between these ranks and the true place of every paper, from 0 or 1."""
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
    """Sort papers by falling score; ties in random order, never by position, because ids must not leak quality."""
    shuffled = rng.permutation(len(scores))
    return freeze(shuffled[np.argsort(_falling_keys(scores)[shuffled], kind="stable")])


def _falling_keys(scores: FloatArray) -> NDArray[Any]:
    """Return numbers that rise as scores fall: short ones, which are sorted faster, where different scores are few."""
    falling = -scores
    if len(scores) < MANY:
        return falling
    few = np.unique(falling[:: len(scores) // SAMPLE])
    scale = (BUCKETS - 1) / max(few[-1] - few[0], 1e-300)
    buckets = ((few - few[0]) * scale).astype(np.int64)
    if len(few) > SAMPLE // 4 or (np.diff(buckets) == 0).any():
        return falling
    key_of = np.zeros(BUCKETS, np.uint16)
    key_of[buckets] = np.arange(len(few))
    keys = key_of[(np.clip(falling - few[0], 0, few[-1] - few[0]) * scale).astype(np.uint16)]
    return keys if (few[keys] == falling).all() else falling
