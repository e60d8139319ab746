"""Rankings in several files as one: forms as they came back, and what was asked for later.

What a grader says in different files are different ballots. But a form that came twice is one: it counts once. So is
one that came again with more papers, as when papers join late: where both agree about what they share, the longer one
counts. Two that differ about the same papers are a problem, as in one file, unless a column ballot tells them apart.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import numpy as np

from peerorder.core.profile import Profile
from peerorder.core.text import shortlist
from peerorder.files.formats.problems import FileError, Problem, shown
from peerorder.files.formats.writing import provenance_path
from peerorder.files.tables.handouts import Handout, read_handout
from peerorder.files.tables.rankings import Rankings, read_rankings
from peerorder.files.tables.ranks import NO_DOUBT
from peerorder.files.tables.roster import Roster

__all__ = ["read_all", "read_all_handouts", "read_all_rankings"]

# What a ballot is called that has no name; forms of version 0.3 say it.
FIRST = "1"
# A file with many problems must not hide those of all others.
AT_ONCE = 3

# What to say about ballots of one grader, and of several, before and after the earlier file.
Words = tuple[tuple[str, str], tuple[str, str]]
SAME = (("says the same in", "; this ballot counts once"), ("say the same in", "; these ballots count once"))
LONGER = (
    ("ranks more papers than in", ", in the same order; only the longer ballot counts"),
    ("rank more papers than in", ", in the same order; only the longer ballots count"),
)

File = TypeVar("File")


def read_all(paths: Sequence[Path], read: Callable[[Path], File]) -> list[File]:
    """Read every file, or raise the problems of all of them at once, the first few of each file first."""
    found: list[File] = []
    turns: list[tuple[int, Problem]] = []
    for path in paths:
        try:
            found.append(read(path))
        except FileError as error:
            kinds: dict[tuple[str | None, str], int] = {}
            for problem in error.problems:
                kind = kinds.setdefault((problem.column, problem.cause), len(kinds))
                turns.append((kind // AT_ONCE, problem))
    if turns:
        raise FileError(problem for _, problem in sorted(turns, key=lambda each: each[0]))
    return found


def read_all_handouts(
    paths: Sequence[Path],
    codes: Mapping[str, str] | None = None,
    lenient: bool = False,
    roster: Roster | None = None,
    top_ups: Mapping[Path, bool | None] | None = None,
) -> Handout | None:
    """The hand-outs in all of these files as one; None where there are none.

    ``top_ups`` says which of them asked people who did their work for more; None where nobody knows.
    """
    asked = top_ups or {}
    joined: Handout | None = None
    for more in read_all(paths, lambda path: read_handout(path, codes, lenient, bool(asked.get(path)), roster)):
        if joined is None:
            joined = more
            continue
        if asked.get(more.path, False) is None and not {*joined.graders}.isdisjoint(more.graders):
            note = (
                f"{more.path}: its papers count as asked for, and who ranked none of them has done less; if they are a "
                f"top-up, put {provenance_path(more.path).name} beside it"
            )
            joined = replace(joined, notes=(*joined.notes, note))
        joined = joined.and_then(more)
    return joined


def read_all_rankings(
    paths: Sequence[Path],
    *,
    roster: Roster | None = None,
    codes: Mapping[str, str] | None = None,
    handout: Handout | None = None,
    lenient: bool = False,
) -> Rankings:
    """The rankings in all of these files, numbered alike."""
    ids: dict[str, tuple[str, ...]] = {}

    def read(path: Path) -> Rankings:
        part = read_rankings(path, roster=roster, codes=codes, handout=handout, lenient=lenient, **ids)
        if len(paths) > 1:
            ids.update(papers=part.papers, graders=part.graders)
        return part

    parts = read_all(paths, read)
    return parts[0] if len(parts) == 1 else _together(parts, lenient)


def _together(parts: Sequence[Rankings], lenient: bool) -> Rankings:
    last = parts[-1]
    doubtful = sum((part.doubtful for part in parts), NO_DOUBT)
    doubtful.raise_if_most(next((part.path for part in parts if part.doubtful.doubtful), last.path))
    again, continued, differing = _said_again(parts)
    code_of = {paper: code for code, paper in (last.codes or {}).items()}
    problems = [_problem(parts, double, code_of) for double in differing]
    if problems and not lenient:
        raise FileError(problems)
    out = [np.zeros(len(part.profile), bool) for part in parts]
    for double in (*again, *differing):
        out[double.part][double.ballot] = True
    for double in continued:
        out[double.before][double.earlier] = True
    profiles = [part.profile.some(~gone) for part, gone in zip(parts, out, strict=True)]
    profile = Profile.concatenate(profiles, last.profile.n_papers, last.profile.authored)
    # Whose ballot in one file was lost may have another elsewhere.
    heard = {last.graders[at] for at in np.unique(profile.grader).tolist()}
    harmed = [who for part in parts for who in (*part.lost, *part.part)]
    harmed += [double.grader for double in differing]
    return replace(
        last,
        path=parts[0].path,
        profile=profile,
        reading_notes=(
            *(note for part in parts for note in part.reading_notes),
            *_notes(parts, again, SAME),
            *_notes(parts, continued, LONGER),
        ),
        dropped=(*(problem for part in parts for problem in part.dropped), *problems),
        ballot=None,
        lost=tuple(dict.fromkeys(who for who in harmed if who not in heard)),
        part=tuple(dict.fromkeys(who for who in harmed if who in heard)),
        blank=tuple(dict.fromkeys(who for part in parts for who in part.blank if who not in heard)),
    )


@dataclass(frozen=True)
class _Double:
    """A ballot that speaks about papers of an earlier one of the same grader."""

    grader: str
    part: int
    ballot: int
    before: int
    """The file of the earlier one, ..."""
    earlier: int
    """... and its number there."""
    papers: tuple[int, ...]
    """Those that both rank."""


def _said_again(parts: Sequence[Rankings]) -> tuple[list[_Double], list[_Double], list[_Double]]:
    """Ballots that are in an earlier file already, those that continue one, and those that rank its papers otherwise.

    One paper in common is no harm, because nothing is compared twice by it.
    """
    same: list[_Double] = []
    longer: list[_Double] = []
    other: list[_Double] = []
    known: dict[tuple[int, str], list[tuple[int, int, dict[int, int]]]] = {}
    for part, ballot, key, levels in _of_several(parts):
        ballots = known.setdefault(key, [])
        for at, (before, earlier, its) in enumerate(ballots):
            both = [paper for paper in levels if paper in its]
            if before == part or (len(both) < 2 and levels != its):
                continue
            found = _Double(parts[-1].graders[key[0]], part, ballot, before, earlier, tuple(both))
            if _levels(levels, both) != _levels(its, both):
                other.append(found)
            elif len(both) == len(levels):
                same.append(found)
            elif len(both) == len(its):
                longer.append(found)
                ballots[at] = (part, ballot, levels)
            else:
                other.append(found)
            break
        else:
            ballots.append((part, ballot, levels))
    return same, longer, other


def _levels(levels: Mapping[int, int], papers: Sequence[int]) -> list[int]:
    """The levels of some papers, counted among these alone."""
    some = [levels[paper] for paper in papers]
    number = {level: at for at, level in enumerate(sorted({*some}))}
    return [number[level] for level in some]


def _of_several(parts: Sequence[Rankings]) -> Iterator[tuple[int, int, tuple[int, str], dict[int, int]]]:
    """The ballots of graders who are in several files: where, whose and how called, and the level of each paper."""
    files = np.concatenate([np.unique(part.profile.grader) for part in parts])
    several = np.bincount(files, minlength=parts[-1].profile.n_graders) > 1
    for at, part in enumerate(parts):
        profile, levels = part.profile, part.profile.tie_levels
        for ballot in np.flatnonzero(several[profile.grader]).tolist():
            begin, end = profile.start[ballot], profile.start[ballot + 1]
            ranks = dict(zip(profile.papers[begin:end].tolist(), levels[begin:end].tolist(), strict=True))
            called = (part.ballot[ballot] if part.ballot is not None else "") or FIRST
            yield at, ballot, (int(profile.grader[ballot]), called), ranks


def _problem(parts: Sequence[Rankings], double: _Double, code_of: Mapping[str, str]) -> Problem:
    """Two ballots that contradict each other; papers are named as graders see them."""
    papers = [parts[-1].papers[at] for at in double.papers]
    names = [shown(code_of.get(paper, paper)) for paper in papers]
    cause = (
        f"{shown(double.grader)} has handed in two different rankings of {shortlist(names)} (the other is in "
        f"{parts[double.before].path})"
    )
    cure = "keep one of the two, or tell ballots apart by a column ballot"
    return Problem(parts[double.part].path, None, "grader", cause, cure)


def _notes(parts: Sequence[Rankings], doubles: Sequence[_Double], words: Words) -> Iterator[str]:
    """Say for every two files who has ballots in both, and which of these count."""
    pairs: dict[tuple[int, int], list[str]] = {}
    for double in doubles:
        pairs.setdefault((double.part, double.before), []).append(shown(double.grader))
    for (part, before), names in pairs.items():
        say, count = words[len(names) > 1]
        yield f"{parts[part].path}: {shortlist(names)} {say} {parts[before].path}{count}"
