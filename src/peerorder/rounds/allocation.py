"""Allocation in a round: the first hand-out, rows for late joiners, and top-ups after the deadline."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from peerorder import schemes
from peerorder._version import __version__
from peerorder.core.arrays import AnyIntArray
from peerorder.core.profile import Profile
from peerorder.core.randomness import child
from peerorder.schemes import SCHEMES, Allocation, LateJoiners, TopUp

__all__ = ["NewRows", "Participants", "add_late_joiners", "allocate", "provenance_of_rows", "top_up"]

K = 8
NOTHING = np.zeros(0, np.int64)

Result = TypeVar("Result", Allocation, LateJoiners, TopUp)


@dataclass(frozen=True, eq=False)
class Participants:
    """All graders and papers, by number, and what was handed out before.

    With ids of graders alone, everybody wrote one paper, which has the same id.
    """

    graders: Sequence[str]
    papers: Sequence[str] = ()
    authored: ArrayLike | None = None
    """The paper that each grader wrote, -1 for none; graders of one paper are a team."""
    conflicts: Sequence[tuple[int, int]] = ()
    """Pairs of a grader and a paper that must not meet."""
    excused: ArrayLike | None = None
    """Whether each grader is excused from ranking."""
    rows: tuple[AnyIntArray, AnyIntArray] = (NOTHING, NOTHING)
    """Grader and paper of everything that was handed out."""

    @cached_property
    def own(self) -> AnyIntArray:
        """The paper of each grader, -1 for none."""
        return np.asarray(np.arange(len(self.graders)) if self.authored is None else self.authored)

    @property
    def paper_ids(self) -> Sequence[str]:
        """The id of every paper."""
        return self.graders if self.authored is None else self.papers

    @cached_property
    def usual_size(self) -> int:
        """The number of papers that most graders have."""
        sizes = np.bincount(self.rows[0])
        return int(np.bincount(sizes[sizes > 0]).argmax()) if len(self.rows[0]) else 0

    def clashes(self) -> int:
        """Return how many rows so far break a rule: a paper for its own author, or a conflict."""
        rows, forbidden = zip(*(side.tolist() for side in self.rows), strict=True), {*self.conflicts}
        return sum(int(self.own[row[0]]) == row[1] or row in forbidden for row in rows)

    @property
    def _rules(self) -> dict[str, Any]:
        return {"conflicts": self.conflicts, "excused": self.excused}

    @property
    def _names(self) -> dict[str, Any]:
        return {"graders": self.graders, "papers": self.paper_ids}


@dataclass(frozen=True, eq=False)
class NewRows(Generic[Result]):
    """Rows to hand out, one paper for one grader each, in shuffled order for every grader."""

    participants: Participants
    grader: AnyIntArray
    paper: AnyIntArray
    result: Result
    """What the scheme reports about these rows."""

    settings: Mapping[str, Any]
    """The settings for the provenance."""

    def table(self) -> dict[str, list[str]]:
        """Return the columns ``grader`` and ``paper``, with ids."""
        graders, papers = self.participants.graders, self.participants.paper_ids
        return {
            "grader": [graders[number] for number in self.grader.tolist()],
            "paper": [papers[number] for number in self.paper.tolist()],
        }


def provenance_of_rows(about: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Return the record of a hand-out: everything needed to make the same again."""
    return {"command": "assign", **about, "seed": seed, "version": __version__}


def allocate(
    people: Participants | Sequence[str], k: int = K, *, seed: int = 0, scheme: str | None = None
) -> NewRows[Allocation]:
    """Give k papers to every grader, nobody their own or a team-mate's, and every paper to equally many graders.

    Parameters
    ----------
    people
        Everybody with their papers; or ids alone, where everybody wrote one.
    seed
        Anyone who knows it and the participants can tell who ranks what, so keep it secret.
    scheme
        A scheme of ``SCHEMES``; without it, the best one that fits.
    """
    people = people if isinstance(people, Participants) else Participants(people)
    result = schemes.allocate(
        people.own,
        len(people.paper_ids),
        k,
        child(seed, "bundles"),
        scheme=None if scheme is None else SCHEMES.parse(scheme),
        **people._rules,
        **people._names,
    )
    grader = np.repeat(np.arange(len(result.bundles), dtype=np.int32), result.bundles.sizes)
    return NewRows(people, grader, result.bundles.papers, result, {"k": k, "scheme": result.scheme})


def add_late_joiners(
    people: Participants, k: int | None = None, *, seed: int, step: int, begun: ArrayLike | None = None
) -> NewRows[LateJoiners]:
    """Return the rows to add for graders and papers that are not in the hand-out; nobody else's papers change.

    Parameters
    ----------
    k
        The number of papers for each new grader; without it, as many as most others have.
    step
        A number that tells this draw from others of the same seed.
    begun
        Graders who have looked at their papers: they get a late one only where the others do not suffice.
    """
    k = people.usual_size if k is None else k
    result = schemes.add_late_joiners(
        people.rows,
        people.own,
        len(people.paper_ids),
        k,
        child(seed, "extend", step),
        begun=begun,
        **people._rules,
        **people._names,
    )
    return NewRows(people, result.grader, result.paper, result, {"k": k})


def top_up(
    people: Participants,
    profile: Profile,
    at_least: int | None = None,
    *,
    seed: int,
    step: int | None = None,
    most: int | None = None,
) -> NewRows[TopUp]:
    """Return more papers to ask graders for, so that every paper has enough rankings.

    Parameters
    ----------
    profile
        The rankings so far, with the same numbers.
    at_least
        The number of rankings that every paper should have; without it, half of what most graders have, and at least 2.
    step
        As for ``add_late_joiners``.
    most
        The largest number of papers to ask of anybody.
    """
    least = max(2, -(-people.usual_size // 2)) if at_least is None else at_least
    stream = child(seed, "top up", *(() if step is None else (step,)))
    result = schemes.top_up(profile, people.rows, least, stream, most=most, **people._rules)
    return NewRows(people, result.grader, result.paper, result, {"at_least": least})
