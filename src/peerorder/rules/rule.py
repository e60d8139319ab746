"""``Rule``: a named way to merge a profile into one order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from peerorder.core.arrays import freeze
from peerorder.core.errors import InputError
from peerorder.core.outcome import Outcome, RuleResult, order_by_score
from peerorder.core.profile import Profile
from peerorder.core.randomness import Generator, generator, state_of
from peerorder.core.registry import Entry
from peerorder.core.translation import gettext as _

if TYPE_CHECKING:
    from peerorder.core.arrays import FloatArray
    from peerorder.core.workers import Workers

__all__ = ["Rule"]


@dataclass(frozen=True, kw_only=True, repr=False)
class Rule(Entry):
    """An aggregation rule. ``compute(profile, rng, **options)`` gives scores, or a ``RuleResult``; higher is better.

    ``needs`` says in words what the rule wants from a profile to be at its best, and what it costs.
    ``most_papers`` is for commands that run every rule: beyond this many papers they skip it, because one merge
    would take minutes or gigabytes. ``weighted`` says that the rule knows weights of ballots.
    ``covariance_of(profile, scores, **options)``, for rules that maximise a likelihood, gives the covariance of the
    logarithms of the scores about their mean. ``rates_graders`` says that the rule estimates reliabilities.
    ``merge_partitions(partitions, rng, **options)``, for rules that need only sums over ballots, gives what ``compute``
    gives for ballots that are not in memory together.
    ``compute_on(workers, profile, rng, **options)``, for rules whose work can be shared out, gives what ``compute``
    gives.
    ``changed`` is the version of peerorder since which the rule gives other results from the same seed, so that files
    of earlier versions can only be verified with these.
    """

    function: ClassVar[str] = "compute"

    compute: Callable[..., Any]
    needs: str = "nothing"
    most_papers: int | None = None
    weighted: bool = False
    covariance_of: Callable[..., FloatArray] | None = None
    rates_graders: bool = False
    merge_partitions: Callable[..., Any] | None = None
    compute_on: Callable[..., Any] | None = None
    changed: str = ""

    def aggregate(self, profile: Profile, rng: Generator | int = 0, workers: Workers | None = None) -> Outcome:
        """Merge the ballots into one order; ties in the scores are broken at random by ``rng``.

        Parameters
        ----------
        profile
            The ballots.
        rng
            A seed, which is a whole number from 0 up, or a generator for programs that pass one through.
        workers
            Who shares the work, where the rule can share it; the result is the same.
        """
        if not isinstance(profile, Profile):
            raise InputError(
                _(
                    "a rule merges a Profile, not {type}; Profile.from_ballots makes one, and peerorder.rank "
                    "takes lists, mappings and data frames"
                ).format(type=type(profile).__name__)
            )
        if profile.weights is not None and not self.weighted:
            from peerorder.rules import RULES

            able = ", ".join(rule.name for rule in RULES.values() if rule.weighted)
            raise InputError(
                _("{name} does not take weights of ballots; leave them out, or choose one of {rules}").format(
                    name=self.name, rules=able
                )
            )
        compute = self.compute if workers is None or self.compute_on is None else partial(self.compute_on, workers)
        return self.outcome(profile, generator(rng), compute, profile)

    def outcome(self, profile: Profile, rng: Generator, compute: Callable[..., Any], ballots: object) -> Outcome:
        """Return the order that ``compute(ballots, rng, **options)`` gives to the papers of a profile."""
        state = state_of(rng)
        result = self._checked(compute(ballots, rng, **self.values), profile.n_papers)
        freeze(result.scores)
        return Outcome(
            order=order_by_score(result.scores, rng),
            result=result,
            rule=self.name,
            options=self.values,
            profile=profile,
            generator=state,
        )

    def covariance(self, outcome: Outcome) -> FloatArray:
        """Return the covariance of the utilities, which are logarithms of the scores, about their mean.

        It is the inverse of the curvature at the maximum, prior included. Square roots of its diagonal are standard
        errors.
        """
        if self.covariance_of is None:
            raise InputError(
                _(
                    "{name} gives no standard errors; bradley-terry, plackett-luce and thurstone do, and "
                    "posterior gives intervals"
                ).format(name=self.name)
            )
        return self.covariance_of(outcome.profile, outcome.scores, **self.values)

    def _checked(self, found: Any, n_papers: int) -> RuleResult:
        if isinstance(found, RuleResult):
            return found
        try:
            scores = np.array(found, np.float64)
        except (TypeError, ValueError):
            scores = np.empty(0)
        if scores.shape != (n_papers,) or np.isnan(scores).any():
            raise InputError(
                _("the rule {name} must give one number for each of the {count} papers").format(
                    name=self.name, count=n_papers
                )
            )
        return RuleResult(scores)
