"""``Round``: everything about one round that was read from files, and where it came from."""

import hashlib
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path, PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from peerorder.core.arrays import IntArray, frozen
from peerorder.core.profile import Profile
from peerorder.files.formats.problems import Problem
from peerorder.files.tables.anchors import FULL_MARKS, Anchors, read_all_anchors
from peerorder.files.tables.codes import read_codes
from peerorder.files.tables.handouts import Handout, is_top_up, read_handout
from peerorder.files.tables.ids import refuse_lost_zeros
from peerorder.files.tables.merging import read_all, read_all_rankings
from peerorder.files.tables.rankings import Rankings
from peerorder.files.tables.roster import Roster, read_roster

__all__ = ["Round", "fingerprint", "numbered", "read_round"]

CHUNK = 2**20
NAMED = 5


@dataclass(frozen=True, eq=False)
class Round:
    """Rankings, and where there are any the roster, the hand-out and the codes that belong to them."""

    rankings: Rankings
    roster: Roster | None = None
    handout: Handout | None = None
    codes: Mapping[str, str] | None = None
    anchors: Anchors | None = None
    sources: Mapping[str, Path] = field(default_factory=dict)
    passed_over: tuple[str, ...] = ()
    """Notes about what is in the folders of rankings and was not read."""
    top_ups: frozenset[Path] = frozenset()
    """The hand-outs that asked people who did their work for more."""

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
        return self.roster.staff if self.roster is not None else frozen(np.zeros(self.profile.n_graders, bool))

    @cached_property
    def judged(self) -> IntArray:
        """How many papers every grader put in order."""
        return frozen(np.bincount(np.repeat(self.profile.grader, self.profile.sizes), minlength=self.profile.n_graders))

    @cached_property
    def asked(self) -> IntArray | None:
        """How many papers every grader had to rank, by ``duties``; None without a hand-out."""
        return None if self.duties is None else frozen(np.bincount(self.duties[0], minlength=self.profile.n_graders))

    @cached_property
    def silent(self) -> NDArray[np.bool_]:
        """Who was asked and handed in nothing; without a hand-out, all on the roster but staff are taken as asked."""
        nothing = (self.judged == 0) & ~self.unread
        if self.asked is not None:
            return frozen((self.asked > 0) & nothing)
        return frozen(~self.staff & nothing & (self.roster is not None))

    @cached_property
    def unread(self) -> NDArray[np.bool_]:
        """Who handed in something of which no row could be read."""
        names = {*self.rankings.lost}
        return frozen(np.array([bool(names) and who in names for who in self.graders], bool))

    @cached_property
    def partly(self) -> NDArray[np.bool_]:
        """Who judged some of the papers that they had to, and not all."""
        nobody = np.zeros(self.profile.n_graders, bool)
        return frozen(nobody if self.asked is None else (self.judged > 0) & (self.judged < self.asked))

    @cached_property
    def ordered(self) -> NDArray[np.bool_]:
        """Who put a paper above another."""
        return self._handed_in(self.profile.telling)

    @cached_property
    def tied(self) -> NDArray[np.bool_]:
        """Who ranked several papers and put none above another, so that their ballots say nothing."""
        return frozen(self._handed_in(self.profile.sizes > 1) & ~self.ordered)

    def _handed_in(self, ballots: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Who handed in one of these ballots."""
        return frozen(np.bincount(self.profile.grader[ballots], minlength=self.profile.n_graders) > 0)

    @cached_property
    def handout_numbers(self) -> tuple[IntArray, IntArray] | None:
        """The grader and the paper of every row of the hand-out, by number; those who are on no roster are left out."""
        return None if self._handed is None else self._handed[:2]

    @cached_property
    def duties(self) -> tuple[IntArray, IntArray] | None:
        """The same without favours that nobody did: what somebody is asked besides never counts against them."""
        if self._handed is None:
            return None
        grader, paper, favour = self._handed
        if not favour.any():
            return grader, paper
        said, many = np.repeat(self.profile.grader.astype(np.int64), self.profile.sizes), self.profile.n_papers
        counts = ~favour | np.isin(grader * many + paper, said * many + self.profile.papers)
        return frozen(grader[counts]), frozen(paper[counts])

    @cached_property
    def _handed(self) -> tuple[IntArray, IntArray, NDArray[np.bool_]] | None:
        """The rows of the hand-out: grader, paper, and whether it is a favour."""
        if self.handout is None:
            return None
        grader = _numbers(self.handout.graders, self.graders)[self.handout.grader]
        paper = _numbers(self.handout.papers, self.papers)[self.handout.paper]
        known = (grader >= 0) & (paper >= 0)
        return frozen(grader[known]), frozen(paper[known]), frozen(self.handout.favours[known])

    @property
    def notes(self) -> tuple[str, ...]:
        """What to say about how the files were read."""
        read = (self.roster, self.handout, self.rankings, self.anchors)
        files = (note for file in read if file is not None for note in file.notes)
        return (*self.passed_over, *files, *self._about_single_papers)

    @cached_property
    def _about_single_papers(self) -> tuple[str, ...]:
        """Who handed in a ballot of one paper, as when papers join late and only the new one is filled in."""
        who = np.unique(self.profile.grader[self.profile.sizes == 1]).tolist()
        if not who:
            return ()
        more = f" and {len(who) - NAMED:,} more" if len(who) > NAMED else ""
        names = ", ".join(self.graders[at] for at in who[:NAMED])
        return (
            f"a ballot of {names}{more} has a single paper, which is compared with nothing; ask for one ranking of it "
            "together with their other papers",
        )

    @property
    def dropped(self) -> tuple[Problem, ...]:
        """The problems of rows that were left out."""
        read = (self.roster, self.handout, self.rankings, self.anchors)
        return tuple(problem for file in read if file is not None for problem in file.dropped)

    def inputs_from(self, folder: Path) -> dict[str, dict[str, Any]]:
        """Return the inputs with the way to each from a folder, where that is not the folder itself."""
        return {role: {**source, **_way(self.sources[role], folder)} for role, source in self.inputs.items()}

    @cached_property
    def inputs(self) -> dict[str, dict[str, Any]]:
        """The name and the hash of every file, for the provenance."""
        return {
            role: {
                "file": path.name,
                "sha256": fingerprint(path),
                "bytes": path.stat().st_size,
                **({"top_up": True} if path in self.top_ups else {}),
            }
            for role, path in self.sources.items()
        }


def _way(path: Path, folder: Path) -> dict[str, str]:
    try:
        way = PurePath(os.path.relpath(path.resolve().parent, folder.resolve())).as_posix()
    except ValueError:
        # Another drive: there is no way that holds elsewhere.
        return {}
    return {} if way == "." else {"folder": way}


def _numbers(names: Sequence[str], among: Sequence[str]) -> IntArray:
    number = {name: at for at, name in enumerate(among)}
    return np.array([number.get(name, -1) for name in names], np.int64)


def fingerprint(path: Path) -> str:
    """The SHA-256 of a file."""
    hashed = hashlib.sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(CHUNK):
            hashed.update(chunk)
    return hashed.hexdigest()


def read_round(
    rankings: Path | Sequence[Path],
    *,
    roster: Path | None = None,
    handout: Path | Sequence[Path] | None = None,
    codes: Path | None = None,
    anchors: Path | Sequence[Path] | None = None,
    lenient: bool = False,
    upside_down: bool = False,
    anchors_points: float = FULL_MARKS,
    passed_over: Sequence[str] = (),
    top_ups: Collection[Path] | None = None,
) -> Round:
    """Read a round; the problems of all its rankings are told at once, and so are those of all its hand-outs.

    There may be several files of each, and of anchors, where more was asked for later. What a grader says in different
    files are different ballots, but the same ballot in two files is one. ``upside_down`` turns all ballots round, for
    graders who took rank 1 for the worst; ``anchors_points`` are full marks in the files of anchors;
    ``passed_over`` are notes of ``files.folders``; ``top_ups`` are the hand-outs that asked people who did their work
    for more; unless they are given, the provenance of each says so.
    """
    said_in, handed_in, marked_in = _several(rankings), _several(handout), _several(anchors)
    behind = read_codes(codes) if codes is not None else None
    people = read_roster(roster, lenient) if roster is not None else None
    besides = {path: is_top_up(path) if top_ups is None else path in top_ups for path in handed_in}
    given = None
    if people is not None and codes is not None and behind is not None:
        refuse_lost_zeros(codes, "paper", [*behind.values()], people.path, people.papers)
    for more in read_all(handed_in, lambda path: read_handout(path, behind, lenient, bool(besides[path]))):
        if people is not None:
            more.refuse_lost_zeros(people, behind is not None)
        if given is None:
            given = more
            continue
        if besides[more.path] is None and not {*given.graders}.isdisjoint(more.graders):
            given = replace(given, notes=(*given.notes, _unknown(more.path)))
        given = given.and_then(more)
    said = read_all_rankings(said_in, roster=people, codes=behind, handout=given, lenient=lenient)
    if upside_down:
        said = replace(said, profile=said.profile.reversed())
    marked = read_all_anchors(marked_in, said.papers, behind, lenient, anchors_points, people) if marked_in else None
    files = {
        **numbered("rankings", said_in),
        "roster": roster,
        **numbered("handout", handed_in),
        "codes": codes,
        **numbered("anchors", marked_in),
    }
    sources = {role: path for role, path in files.items() if path is not None}
    given_besides = frozenset(path for path in handed_in if besides[path])
    return Round(said, people, given, behind, marked, sources, tuple(passed_over), given_besides)


def _unknown(path: Path) -> str:
    """What to say about a second hand-out that somebody moved away from its provenance."""
    return (
        f"{path}: its papers count as asked for, and who ranked none of them has done less; if they are a top-up, put "
        f"{path.name}.provenance.json beside it"
    )


def _several(paths: Path | Sequence[Path] | None) -> tuple[Path, ...]:
    return () if paths is None else (paths,) if isinstance(paths, Path) else tuple(paths)


def numbered(role: str, paths: Sequence[Path]) -> dict[str, Path]:
    """Several files of one role under names of their own: rankings, rankings 2 and so on."""
    return {f"{role} {at}" if at > 1 else role: path for at, path in enumerate(paths, 1)}
