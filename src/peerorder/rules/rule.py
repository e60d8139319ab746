"""``Rule``: a named way to merge a profile into one order."""

from collections.abc import Callable
from dataclasses import dataclass

from peerorder.core.arrays import frozen
from peerorder.core.errors import InputError
from peerorder.core.outcome import Outcome, RuleResult, order_by_score
from peerorder.core.profile import Profile
from peerorder.core.randomness import Generator, generator, state_of
from peerorder.core.registry import Entry

__all__ = ["Rule"]


@dataclass(frozen=True, kw_only=True)
class Rule(Entry):
    """An aggregation rule. ``compute(profile, rng, **options)`` gives scores; higher is better.

    ``needs`` says in words what the rule wants from a profile to be at its best, and what it costs.
    ``most_papers`` is for commands that run every rule: beyond so many papers they leave it out, because one merge
    would take minutes or gigabytes.
    """

    compute: Callable[..., RuleResult]
    needs: str = "nothing"
    most_papers: int | None = None

    def aggregate(self, profile: Profile, rng: Generator | int) -> Outcome:
        """Merge the ballots into one order; ties in the scores are broken at random by ``rng``."""
        if not isinstance(profile, Profile):
            raise InputError(f"a rule merges a Profile, not {type(profile).__name__}; Profile.from_ballots makes one")
        rng = generator(rng)
        state = state_of(rng)
        findings = self.compute(profile, rng, **self.values)
        frozen(findings.scores)
        return Outcome(
            order=order_by_score(findings.scores, rng),
            findings=findings,
            rule=self.name,
            options=self.values,
            profile=profile,
            generator=state,
        )
