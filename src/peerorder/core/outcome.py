"""``Outcome``: the order a rule found, and everything needed to find the same order again."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from peerorder._version import __version__
from peerorder.core.arrays import FloatArray, IntArray, frozen
from peerorder.core.profile import Profile
from peerorder.core.randomness import Generator
from peerorder.core.recovery import recovered

__all__ = ["Findings", "Outcome", "order_by_score"]


@dataclass(frozen=True)
class Findings:
    """What a rule hands back: a score for every paper, and whatever else it knows.

    ``intervals`` holds the low and high place (from 1) of every paper; ``reliability`` one number
    from 0 to 1 for every grader; ``notes`` lines for people, such as that a search did not converge.
    """

    scores: FloatArray
    intervals: IntArray | None = None
    reliability: FloatArray | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Outcome:
    """The merged order. Equal provenance gives equal bits, on any number of cores."""

    order: IntArray
    findings: Findings
    rule: str
    options: dict[str, Any]
    profile: Profile = field(repr=False)
    generator: dict[str, Any] = field(repr=False)

    @property
    def scores(self) -> FloatArray:
        """A score for every paper; higher is better. Its scale is the rule's own."""
        return self.findings.scores

    @cached_property
    def places(self) -> IntArray:
        """The place of every paper, from 0."""
        places = np.empty(len(self.order), np.int64)
        places[self.order] = np.arange(len(self.order))
        return frozen(places)

    def recovered(self, truth: ArrayLike) -> float:
        """The share of pairs in the right order, given the true place of every paper."""
        return recovered(truth, self.places)

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
