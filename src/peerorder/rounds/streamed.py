"""``StreamedGrades``: rankings in parts, merged into an order by a rule that needs only sums over them."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from peerorder._version import __version__
from peerorder.core.arrays import AnyIntArray, IntArray
from peerorder.core.errors import InputError
from peerorder.core.outcome import Outcome
from peerorder.core.partitions import Partitions
from peerorder.core.profile import Profile
from peerorder.core.randomness import child
from peerorder.core.text import join_with_or
from peerorder.core.translation import gettext as _
from peerorder.marks import SCALES
from peerorder.rounds.grading import DECIMALS, Grades, Table
from peerorder.rounds.marking import Marking, mark_unranked, scaled_marking
from peerorder.rounds.round import Input
from peerorder.rounds.settings import GradeSettings
from peerorder.rules import RULES, Rule

__all__ = ["StreamedGrades", "StreamedRound", "grade_streamed", "merger_of"]


class StreamedRound(Partitions, Protocol):
    """Rankings in parts, with the ids of their papers."""

    @property
    def inputs(self) -> Mapping[str, Input]:
        """The files."""
        ...

    def paper_ids(self, papers: IntArray) -> Any:
        """Return the ids of these papers, as an arrow array."""
        ...

    def graders(self) -> tuple[Any, IntArray]:
        """Return graders who rank something, in the order of the partitions: ids, and numbers of ballots."""
        ...


@dataclass(frozen=True, eq=False)
class StreamedGrades(Grades):
    """The result of rankings in parts: its order and its marks."""

    round: StreamedRound
    settings: GradeSettings
    outcome: Outcome
    marking: Marking | None = None

    @property
    def rankings(self) -> AnyIntArray:
        """The number of ballots that rank each paper."""
        return self.round.rankings

    @property
    def notes(self) -> tuple[str, ...]:
        """What people should know about how this was computed."""
        return (*self.outcome.result.notes, *(() if self.marking is None else self.marking.notes))

    def paper_ids(self, papers: IntArray) -> Any:
        """Return the ids of these papers, as an arrow array."""
        return self.round.paper_ids(papers)

    def graders(self) -> Table:
        """Return one row per grader who ranks something, in the order of the files."""
        return self._graders

    @cached_property
    def _graders(self) -> Table:
        result = self.outcome.result
        if result.reliability is None or result.reliability_intervals is None:
            raise InputError(_("`rule` {rule} does not rate graders; omit `graders`").format(rule=self.outcome.rule))
        graders, ballots = self.round.graders()
        return {
            "grader": graders,
            "reliability": result.reliability.round(DECIMALS),
            "low": result.reliability_intervals[:, 0].round(DECIMALS),
            "high": result.reliability_intervals[:, 1].round(DECIMALS),
            "ballots": ballots,
            "flag": result.flags,
        }

    @property
    def provenance(self) -> dict[str, Any]:
        """Everything needed to compute the same again."""
        return {
            "command": "grade",
            "settings": asdict(self.settings),
            "inputs": {role: each.record for role, each in self.round.inputs.items()},
            "streamed": True,
            "version": __version__,
        }


def merger_of(rule: Rule) -> Callable[..., Any]:
    """Return how a rule merges rankings in parts; raise InputError for one that needs all rankings in memory."""
    if rule.merge_partitions is None:
        able = join_with_or([each.name for each in RULES.values() if each.merge_partitions is not None])
        text = _("`rule` {name} needs all rankings in memory, and these are streamed; choose {rules}")
        raise InputError(text.format(name=rule.name, rules=able))
    return rule.merge_partitions


def grade_streamed(round_: StreamedRound, settings: GradeSettings) -> StreamedGrades:
    """Merge rankings in parts, and mark them where a scale says how."""
    rule = RULES.parse(settings.rule)
    # The ballots stay where they are: here are only the papers.
    nothing = np.zeros(0, np.int32)
    profile = Profile.checked(nothing, np.zeros(1, np.int64), round_.n_papers, nothing)
    outcome: Outcome = rule.outcome(profile, child(settings.seed, "grade"), merger_of(rule), round_)
    marking = None
    if settings.marks is not None:
        compared = round_.borda_sums[:, 1]
        unranked = np.flatnonzero(compared == 0)
        marking = scaled_marking(outcome, SCALES.parse(settings.marks))
        marking = mark_unranked(marking, unranked, settings.unranked, round_.paper_ids)
    return StreamedGrades(round_, settings, outcome, marking)
