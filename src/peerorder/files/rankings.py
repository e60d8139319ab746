"""Rankings as people send them, long (a row a paper) or wide (a row a grader), become a profile."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from peerorder.core.arrays import Int32Array, IntArray
from peerorder.core.graph import first_row_with_repeat
from peerorder.core.jit import kernel
from peerorder.core.profile import Profile
from peerorder.files.problems import Problem, Problems
from peerorder.files.roster import Roster
from peerorder.files.sheets import Column, Sheet, read_sheet, where

__all__ = ["Rankings", "read_rankings"]

Mask = NDArray[np.bool_]

NOT_JUDGED = ("", "not judged")
# 3 and 3.0, which spreadsheets make of it.
RANK = re.compile(r"\+?0*(\d{1,9})([.,]0*)?", re.ASCII)
PLACE = re.compile(r"(?:place|rank)?[ _-]?0*(\d{1,6})(?:st|nd|rd|th|\.)?", re.ASCII)
TIE = re.compile(r"\s+=\s+")
NOBODY = -1


@dataclass(frozen=True, eq=False)
class Rankings:
    """What the graders said, and what the numbers of the profile stand for."""

    path: Path
    profile: Profile
    papers: tuple[str, ...]
    graders: tuple[str, ...]
    not_judged: int
    """Papers that a grader was given and said nothing about."""
    notes: tuple[str, ...] = ()
    dropped: tuple[Problem, ...] = ()


@dataclass(frozen=True, eq=False)
class _Entries:
    """One paper on one ballot each, as it stands in the file."""

    grader: Column
    ballot: Column | None
    paper: Column
    rank: Column
    rows: IntArray
    label: Column | None = None
    """In wide form, the column of the file."""

    def column(self, at: int, name: str) -> str:
        return self.label[at] if self.label is not None else name


def read_rankings(
    path: Path,
    *,
    roster: Roster | None = None,
    codes: Mapping[str, str] | None = None,
    papers: tuple[str, ...] = (),
    graders: tuple[str, ...] = (),
    lenient: bool = False,
) -> Rankings:
    """The rankings in a file.

    Parameters
    ----------
    roster
        Who takes part and what they wrote. Without it, everybody in the file and in ``papers`` and ``graders`` does,
        and a grader with the id of a paper wrote it.
    codes
        The paper behind every code, where the file holds codes.
    papers, graders
        Ids that there are besides, from a hand-out perhaps.
    lenient
        Leave out rows with problems and say which, where otherwise all problems of the file are raised at once.
    """
    sheet = read_sheet(path)
    problems = Problems(path, sheet.problems)
    entries = _entries(sheet, problems)
    good = np.ones(len(entries.rows), bool)
    for name, column in (("grader", entries.grader), ("paper", entries.paper)):
        for at in where(column.empty):
            problems.add(int(entries.rows[at]), name, "this cell is empty", "write the id, or delete the row")
            good[at] = False
    rank = _ranks(entries, problems, good)
    known = _Names(roster, codes, papers, graders)
    grader = known.graders_of(entries, problems, good)
    paper = known.papers_of(entries, problems, good)
    wrote = known.wrote()
    _no_own_papers(entries, problems, good, grader, paper, wrote)
    ballots = _ballots(entries, grader, len(known.graders))
    _no_doubles(entries, problems, good, ballots, paper, len(known.papers))
    dropped = problems.settle(lenient)
    if not good.all():
        rank, paper, ballots = rank[good], paper[good], ballots.some(good)
    profile = _profile(ballots.some(rank > 0), paper[rank > 0], rank[rank > 0], len(known.papers), wrote)
    return Rankings(
        path=path,
        profile=profile,
        papers=tuple(known.papers),
        graders=tuple(known.graders),
        not_judged=int((rank == 0).sum()),
        notes=sheet.notes,
        dropped=dropped,
    )


# Long and wide.


def _entries(sheet: Sheet, problems: Problems) -> _Entries:
    places = {name: match[1] for name in sheet.columns if (match := PLACE.fullmatch(name))}
    if "grader" in sheet and "paper" not in sheet and places:
        return _unfolded(sheet, places, problems)
    sheet.need("a file of rankings", ["grader", "paper", "rank"])
    ballot = sheet.columns.get("ballot")
    return _Entries(sheet["grader"], ballot, sheet["paper"], sheet["rank"], sheet.rows)


def _unfolded(sheet: Sheet, places: Mapping[str, str], problems: Problems) -> _Entries:
    """The long form of a wide sheet: a column a place, in it the paper, or several tied ones with = between them."""
    grader, ballot, paper, rank, rows, label = [], [], [], [], [], []
    ballots = sheet.columns.get("ballot")
    for name, place in places.items():
        column = sheet[name]
        for at in where(~column.empty):
            for tied in TIE.split(column[at]):
                grader.append(sheet["grader"][at])
                ballot.append(ballots[at] if ballots is not None else "")
                paper.append(tied)
                rank.append(place)
                rows.append(int(sheet.rows[at]))
                label.append(name)
    silent = ~np.isin(sheet.rows, np.array(rows, np.int64)) & sheet["grader"].empty
    for at in where(silent):
        problems.add(int(sheet.rows[at]), "grader", "this cell is empty", "write the id, or delete the row")
    numbers = np.array(rows, np.int64)
    return _Entries(_column(grader), _column(ballot), _column(paper), _column(rank), numbers, _column(label))


def _column(texts: list[str]) -> Column:
    numbers = {text: at for at, text in enumerate(dict.fromkeys(texts))}
    return Column(np.array([numbers[text] for text in texts], np.int32), tuple(numbers))


# What a row says.


def _ranks(entries: _Entries, problems: Problems, good: Mask) -> Int32Array:
    """The rank of every entry, 0 where the paper was not judged."""
    column = entries.rank
    ranks = np.empty(len(column.texts), np.int32)
    wrong = np.zeros(len(column.texts), bool)
    for at, text in enumerate(column.texts):
        match = RANK.fullmatch(text)
        ranks[at] = rank = int(match[1]) if match else 0
        wrong[at] = rank < 1 and text.lower() not in NOT_JUDGED
    for at in where(wrong[column.codes]) if wrong.any() else ():
        problems.add(
            int(entries.rows[at]),
            entries.column(at, "rank"),
            f"{column[at]!r} is no rank",
            "write 1 for the best, 2 for the next and so on, or leave it empty if it was not judged",
        )
        good[at] = False
    return ranks[column.codes]


class _Names:
    """Which ids there are, in the order of their numbers."""

    def __init__(
        self,
        roster: Roster | None,
        codes: Mapping[str, str] | None,
        papers: tuple[str, ...],
        graders: tuple[str, ...],
    ) -> None:
        self.roster, self.codes = roster, codes
        if roster is not None:
            self.papers, self.graders = dict(roster.paper_number), dict(roster.student_number)
        else:
            self.papers = {paper: at for at, paper in enumerate(dict.fromkeys(papers))}
            self.graders = {grader: at for at, grader in enumerate(dict.fromkeys(graders))}

    def graders_of(self, entries: _Entries, problems: Problems, good: Mask) -> Int32Array:
        """The number of every entry's grader."""
        column = entries.grader
        numbers = self._numbers(self.graders, column.texts)
        for at in where((numbers < 0)[column.codes] & ~column.empty) if (numbers < 0).any() else ():
            problems.add(
                int(entries.rows[at]),
                "grader",
                f"{column[at]} is not on the roster {self._roster_name}",
                "correct the id, or add this grader to the roster",
            )
            good[at] = False
        return numbers[column.codes]

    def papers_of(self, entries: _Entries, problems: Problems, good: Mask) -> Int32Array:
        """The number of every entry's paper."""
        column = entries.paper
        texts = column.texts
        if self.codes is not None:
            texts = tuple(self.codes.get(text, "") for text in texts)
        numbers = self._numbers(self.papers, texts)
        for at in where((numbers < 0)[column.codes] & ~column.empty) if (numbers < 0).any() else ():
            said = column[at]
            if self.codes is not None and said not in self.codes:
                cause, cure = f"there is no code {said}", "correct it, or give the file of codes that was handed out"
            else:
                paper = self.codes[said] if self.codes is not None else said
                cause = f"nobody on the roster {self._roster_name} handed in the paper {paper}"
                cure = "correct the id, or add its author to the roster"
                if said in self.graders:
                    cause += f" ({said} is a student, but has another paper or none)"
            problems.add(int(entries.rows[at]), entries.column(at, "paper"), cause, cure)
            good[at] = False
        return numbers[column.codes]

    def wrote(self) -> Int32Array:
        """The paper of every grader, -1 for none."""
        if self.roster is not None:
            return self.roster.wrote
        return np.array([self.papers.get(grader, NOBODY) for grader in self.graders], np.int32)

    @property
    def _roster_name(self) -> str:
        return str(self.roster.path) if self.roster is not None else ""

    def _numbers(self, numbers: dict[str, int], texts: tuple[str, ...]) -> Int32Array:
        """The number of every text, -1 for one that is not known; without a roster, all become known."""
        if self.roster is None:
            return np.array([numbers.setdefault(text, len(numbers)) if text else NOBODY for text in texts], np.int32)
        return np.array([numbers.get(text, NOBODY) for text in texts], np.int32)


def _no_own_papers(
    entries: _Entries, problems: Problems, good: Mask, grader: Int32Array, paper: Int32Array, wrote: Int32Array
) -> None:
    if not len(wrote):
        return
    for at in where(good & (wrote[grader] == paper)):
        problems.add(
            int(entries.rows[at]),
            entries.column(at, "paper"),
            f"{entries.grader[at]} ranks {entries.paper[at]}, which is her or his own paper",
            "delete the row",
        )
        good[at] = False


# Ballots.


@dataclass(frozen=True, eq=False)
class _Ballots:
    """The ballot of every entry as a number, and the grader of every ballot."""

    of: Int32Array
    grader: Int32Array

    def some(self, kept: Mask) -> "_Ballots":
        return self if kept.all() else _Ballots(self.of[kept], self.grader)

    @property
    def begin(self) -> IntArray:
        return np.concatenate([[0], np.cumsum(np.bincount(self.of, minlength=len(self.grader)))])


def _ballots(entries: _Entries, grader: Int32Array, n_graders: int) -> _Ballots:
    if entries.ballot is None:
        return _Ballots(grader, np.arange(n_graders, dtype=np.int32))
    many = len(entries.ballot.texts)
    pairs, of = np.unique(grader.astype(np.int64) * many + entries.ballot.codes, return_inverse=True)
    return _Ballots(of.astype(np.int32), (pairs // many).astype(np.int32))


def _no_doubles(
    entries: _Entries, problems: Problems, good: Mask, ballots: _Ballots, paper: Int32Array, n_papers: int
) -> None:
    """Complain about a paper that is on one ballot twice."""
    some = ballots.some(good)
    begin = some.begin
    if first_row_with_repeat(into_ballots(some.of, begin, paper[good], paper[good])[0], begin, n_papers) < 0:
        return
    rows = np.flatnonzero(good)
    pairs = some.of.astype(np.int64) * n_papers + paper[rows]
    ordered = np.argsort(pairs, kind="stable")
    for at in np.flatnonzero(pairs[ordered][1:] == pairs[ordered][:-1]) + 1:
        row, before = int(rows[ordered[at]]), int(rows[ordered[at - 1]])
        problems.add(
            int(entries.rows[row]),
            entries.column(row, "paper"),
            f"{entries.grader[row]} ranks {entries.paper[row]} in row {entries.rows[before]} already",
            "delete one of the two, or tell ballots apart by a column ballot",
        )
        good[row] = False


def _profile(ballots: _Ballots, paper: Int32Array, rank: Int32Array, n_papers: int, wrote: Int32Array) -> Profile:
    begin = ballots.begin
    papers, levels = into_ballots(ballots.of, begin, paper, rank)
    used = np.diff(begin) > 0
    start = np.concatenate([[0], np.cumsum(np.diff(begin)[used])])
    return Profile(papers, start, n_papers, grader=ballots.grader[used], wrote=wrote, levels=levels)


@kernel
def into_ballots(key, begin, paper, rank):  # type: ignore[no-untyped-def]
    """The papers of every ballot by rank, and their tie levels; ballot b has the places from ``begin[b]``."""
    papers = np.empty(len(key), np.int32)
    ranks = np.empty(len(key), np.int32)
    filled = begin[:-1].copy()
    for at in range(len(key)):
        first, place = begin[key[at]], filled[key[at]]
        filled[key[at]] += 1
        # Ballots are short; most are in order already.
        while place > first and ranks[place - 1] > rank[at]:
            ranks[place], papers[place] = ranks[place - 1], papers[place - 1]
            place -= 1
        ranks[place], papers[place] = rank[at], paper[at]
    levels = np.zeros(len(key), np.int32)
    for b in range(len(begin) - 1):
        for place in range(begin[b] + 1, begin[b + 1]):
            levels[place] = levels[place - 1] + (ranks[place] != ranks[place - 1])
    return papers, levels
