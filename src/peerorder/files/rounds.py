"""``Round``: everything about one round that was read from files, and where it came from."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from peerorder.core.arrays import IntArray, frozen
from peerorder.core.profile import Profile
from peerorder.files.codes import read_codes
from peerorder.files.handouts import Handout, read_handout
from peerorder.files.problems import Problem
from peerorder.files.rankings import Rankings, read_rankings
from peerorder.files.roster import Roster, read_roster

__all__ = ["Round", "fingerprint", "read_round"]

CHUNK = 2**20


@dataclass(frozen=True, eq=False)
class Round:
    """Rankings, and where there are any the roster, the hand-out and the codes that belong to them."""

    rankings: Rankings
    roster: Roster | None = None
    handout: Handout | None = None
    codes: Mapping[str, str] | None = None
    sources: Mapping[str, Path] = field(default_factory=dict)

    @property
    def profile(self) -> Profile:
        """What the graders said."""
        return self.rankings.profile

    @property
    def papers(self) -> tuple[str, ...]:
        """The id of every paper."""
        return self.rankings.papers

    @property
    def graders(self) -> tuple[str, ...]:
        """The id of every grader."""
        return self.rankings.graders

    @cached_property
    def staff(self) -> NDArray[np.bool_]:
        """Which graders are staff; nobody without a roster."""
        return self.roster.staff if self.roster is not None else frozen(np.zeros(len(self.graders), bool))

    @cached_property
    def judged(self) -> IntArray:
        """How many papers every grader put in order."""
        return frozen(np.bincount(np.repeat(self.profile.grader, self.profile.sizes), minlength=len(self.graders)))

    @cached_property
    def asked(self) -> IntArray | None:
        """How many papers every grader was given; None without a hand-out."""
        if self.handout is None:
            return None
        number = {grader: at for at, grader in enumerate(self.graders)}
        at = np.array([number.get(grader, -1) for grader in self.handout.graders], np.int64)[self.handout.grader]
        return frozen(np.bincount(at[at >= 0], minlength=len(self.graders)))

    @property
    def notes(self) -> tuple[str, ...]:
        """What to say about how the files were read."""
        read = (self.rankings, self.roster, self.handout)
        return tuple(note for file in read if file is not None for note in file.notes)

    @property
    def dropped(self) -> tuple[Problem, ...]:
        """The problems of rows that were left out."""
        read = (self.roster, self.handout, self.rankings)
        return tuple(problem for file in read if file is not None for problem in file.dropped)

    @property
    def inputs(self) -> dict[str, dict[str, Any]]:
        """The name and the hash of every file, for the provenance."""
        return {
            role: {"file": path.name, "sha256": fingerprint(path), "bytes": path.stat().st_size}
            for role, path in self.sources.items()
        }


def fingerprint(path: Path) -> str:
    """The SHA-256 of a file."""
    hashed = hashlib.sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(CHUNK):
            hashed.update(chunk)
    return hashed.hexdigest()


def read_round(
    rankings: Path,
    *,
    roster: Path | None = None,
    handout: Path | None = None,
    codes: Path | None = None,
    lenient: bool = False,
) -> Round:
    """Read a round; the problems of all its files are found one file after the other."""
    behind = read_codes(codes) if codes is not None else None
    people = read_roster(roster, lenient) if roster is not None else None
    given = read_handout(handout, behind, lenient) if handout is not None else None
    besides = {} if given is None else {"papers": given.papers, "graders": given.graders}
    said = read_rankings(rankings, roster=people, codes=behind, lenient=lenient, **besides)
    files = {"rankings": rankings, "roster": roster, "handout": handout, "codes": codes}
    return Round(said, people, given, behind, {role: path for role, path in files.items() if path is not None})
