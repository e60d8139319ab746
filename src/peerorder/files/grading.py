"""``Graded``: a round merged into an order, as the tables that people get."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from peerorder._version import __version__
from peerorder.core.errors import InputError
from peerorder.core.outcome import Outcome
from peerorder.core.profile import Profile
from peerorder.core.randomness import child
from peerorder.files.rounds import Round
from peerorder.rules import RULES

__all__ = ["Graded", "Settings", "grade"]

DECIMALS = 6

Table = dict[str, Sequence[Any] | np.ndarray[Any, Any]]


@dataclass(frozen=True)
class Settings:
    """What was chosen, in words and numbers that go into the provenance."""

    rule: str = "posterior"
    seed: int = 0
    staff_weight: int = 1
    lenient: bool = False


@dataclass(frozen=True, eq=False)
class Graded:
    """What came of a round."""

    round: Round
    settings: Settings
    outcome: Outcome

    @property
    def provenance(self) -> dict[str, Any]:
        """Everything that it takes to find the same again."""
        return {
            "command": "grade",
            "settings": asdict(self.settings),
            "inputs": self.round.inputs,
            "profile": self.round.profile.digest,
            "version": __version__,
        }

    def grades(self, marks: Sequence[Any] | np.ndarray[Any, Any] | None = None) -> Table:
        """A row a paper, the best first, with these marks if any."""
        order = self.outcome.order
        intervals = self.outcome.findings.intervals
        nothing = [None] * len(order)
        return {
            "place": np.arange(1, len(order) + 1),
            "paper": _named(self.round.papers, order),
            "score": self.outcome.scores[order].round(DECIMALS),
            "low": nothing if intervals is None else intervals[order, 0],
            "high": nothing if intervals is None else intervals[order, 1],
            "rankings": self.round.profile.rankings[order],
            "mark": nothing if marks is None else _taken(marks, order),
        }

    def graders(self) -> Table:
        """A row a grader, in the order of the roster or the rankings."""
        findings, n = self.outcome.findings, len(self.round.graders)
        nothing = [None] * n
        intervals = findings.reliability_intervals
        return {
            "grader": self.round.graders,
            "reliability": nothing if findings.reliability is None else findings.reliability.round(DECIMALS),
            "low": nothing if intervals is None else intervals[:, 0].round(DECIMALS),
            "high": nothing if intervals is None else intervals[:, 1].round(DECIMALS),
            "ballots": np.bincount(self.round.profile.grader, minlength=n),
            "flag": [""] * n if findings.flags is None else findings.flags,
        }


def grade(round_: Round, settings: Settings) -> Graded:
    """Merge a round; every ballot of staff counts as often as the settings say."""
    if settings.staff_weight < 1:
        raise InputError(f"--staff-weight is {settings.staff_weight}; a ballot counts at least once")
    rule = RULES.parse(settings.rule)
    profile = round_.profile
    _must_say_something(profile, round_.rankings.path)
    if settings.staff_weight > 1 and round_.staff.any():
        profile = profile.repeated(np.where(round_.staff, settings.staff_weight, 1))
    return Graded(round_, settings, rule.aggregate(profile, child(settings.seed, "grade")))


def _must_say_something(profile: Profile, path: Path) -> None:
    if not profile.n_papers:
        raise InputError(f"{path}: there is no paper in it; write a row for every paper that was ranked")
    if not (profile.sizes > 1).any():
        raise InputError(
            f"{path}: no grader ranks two papers, so nothing can be compared; collect rankings of two papers or more"
        )


def _named(names: Sequence[str], order: np.ndarray[Any, Any]) -> list[str]:
    return [names[at] for at in order.tolist()]


def _taken(values: Sequence[Any] | np.ndarray[Any, Any], order: np.ndarray[Any, Any]) -> Sequence[Any]:
    return values[order] if isinstance(values, np.ndarray) else [values[at] for at in order.tolist()]
