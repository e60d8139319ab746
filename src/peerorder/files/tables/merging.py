"""Merging rankings in several files: returned forms, and later rankings.

Rankings of a grader in different files are different ballots. But a form that was sent twice counts once. If it was
sent again with more papers, as when papers are added late, and both agree on what they share, the longer one counts.
Two that differ on the same papers are a problem, as in one file, unless a column ballot distinguishes them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import numpy as np

from peerorder.core.profile import Profile
from peerorder.core.text import shortlist
from peerorder.core.translation import gettext as _, ngettext
from peerorder.files.formats.problems import FileError, Problem, shown
from peerorder.files.formats.writing import provenance_path
from peerorder.files.tables.handouts import Handout, read_handout
from peerorder.files.tables.rankings import Rankings, read_rankings
from peerorder.files.tables.ranks import NO_DOUBT
from peerorder.files.tables.roster import Roster

__all__ = ["read_all", "read_all_handouts", "read_all_rankings"]

# The name of a ballot without a name; forms of version 0.3 have it.
FIRST = "1"
# A file with many problems must not hide those of all others.
AT_ONCE = 3

File = TypeVar("File")


def read_all(paths: Sequence[Path], read: Callable[[Path], File]) -> list[File]:
    """Read every file, or raise the problems of all files together, the first few of each file first."""
    result: list[File] = []
    turns: list[tuple[int, Problem]] = []
    for path in paths:
        try:
            result.append(read(path))
        except FileError as error:
            kinds: dict[tuple[str | None, str], int] = {}
            for problem in error.problems:
                kind = kinds.setdefault((problem.column, problem.cause), len(kinds))
                turns.append((kind // AT_ONCE, problem))
    if turns:
        raise FileError(problem for _, problem in sorted(turns, key=lambda each: each[0]))
    return result


def read_all_handouts(
    paths: Sequence[Path],
    codes: Mapping[str, str] | None = None,
    lenient: bool = False,
    roster: Roster | None = None,
    top_ups: Mapping[Path, bool | None] | None = None,
) -> Handout | None:
    """Read the hand-outs in all of these files as one; None where there are none.

    ``top_ups`` says which files are top-ups; None where this is not known.
    """
    asked = top_ups or {}
    joined: Handout | None = None
    for more in read_all(paths, lambda path: read_handout(path, codes, lenient, bool(asked.get(path)), roster)):
        if joined is None:
            joined = more
            continue
        if asked.get(more.path, False) is None and not {*joined.graders}.isdisjoint(more.graders):
            note = _(
                "{file}: its papers count as required, so graders who ranked none of these have done less; if this is "
                "a top-up, put {provenance} in the same folder"
            ).format(file=more.path, provenance=provenance_path(more.path).name)
            joined = replace(joined, notes=(*joined.notes, note))
        joined = joined.join(more)
    return joined


def read_all_rankings(
    paths: Sequence[Path],
    *,
    roster: Roster | None = None,
    codes: Mapping[str, str] | None = None,
    handout: Handout | None = None,
    lenient: bool = False,
) -> Rankings:
    """Read the rankings in all of these files, with the same numbers."""
    ids: dict[str, tuple[str, ...]] = {}

    def read(path: Path) -> Rankings:
        part = read_rankings(path, roster=roster, codes=codes, handout=handout, lenient=lenient, **ids)
        if len(paths) > 1:
            ids.update(papers=part.papers, graders=part.graders)
        return part

    parts = read_all(paths, read)
    return parts[0] if len(parts) == 1 else _merge(parts, lenient)


def _merge(parts: Sequence[Rankings], lenient: bool) -> Rankings:
    last = parts[-1]
    doubtful = sum((part.doubtful for part in parts), NO_DOUBT)
    doubtful.raise_if_most(next((part.path for part in parts if part.doubtful.doubtful), last.path))
    again, continued, differing = _find_doubles(parts)
    code_of = {paper: code for code, paper in (last.codes or {}).items()}
    problems = [_problem(parts, double, code_of) for double in differing]
    if problems and not lenient:
        raise FileError(problems)
    out = [np.zeros(len(part.profile), bool) for part in parts]
    for double in (*again, *differing):
        out[double.part][double.ballot] = True
    for double in continued:
        out[double.before][double.earlier] = True
    profiles = [part.profile.select(~gone) for part, gone in zip(parts, out, strict=True)]
    profile = Profile.concatenate(profiles, last.profile.n_papers, last.profile.authored)
    # A grader who lost a ballot in one file may have another elsewhere.
    remaining = {last.graders[index] for index in np.unique(profile.grader).tolist()}
    affected = [who for part in parts for who in (*part.lost, *part.part)]
    affected += [double.grader for double in differing]
    return replace(
        last,
        path=parts[0].path,
        profile=profile,
        reading_notes=(
            *(note for part in parts for note in part.reading_notes),
            *_notes(parts, again, _same_in_both),
            *_notes(parts, continued, _longer_in_one),
        ),
        dropped=(*(problem for part in parts for problem in part.dropped), *problems),
        ballot=None,
        lost=tuple(dict.fromkeys(who for who in affected if who not in remaining)),
        part=tuple(dict.fromkeys(who for who in affected if who in remaining)),
        blank=tuple(dict.fromkeys(who for part in parts for who in part.blank if who not in remaining)),
    )


@dataclass(frozen=True)
class _Double:
    """A ballot that ranks papers of an earlier ballot by the same grader."""

    grader: str
    part: int
    ballot: int
    before: int
    """The file of the earlier one, ..."""
    earlier: int
    """... and its number there."""
    papers: tuple[int, ...]
    """Those that both rank."""


def _find_doubles(parts: Sequence[Rankings]) -> tuple[list[_Double], list[_Double], list[_Double]]:
    """Return ballots that repeat an earlier one, those that extend one, and those that contradict one.

    One paper in common does no harm, because nothing is compared twice.
    """
    same: list[_Double] = []
    longer: list[_Double] = []
    other: list[_Double] = []
    known: dict[tuple[int, str], list[tuple[int, int, dict[int, int]]]] = {}
    for part, ballot, key, levels in _of_several(parts):
        ballots = known.setdefault(key, [])
        for index, (before, earlier, its) in enumerate(ballots):
            both = [paper for paper in levels if paper in its]
            if before == part or (len(both) < 2 and levels != its):
                continue
            result = _Double(parts[-1].graders[key[0]], part, ballot, before, earlier, tuple(both))
            if _levels(levels, both) != _levels(its, both):
                other.append(result)
            elif len(both) == len(levels):
                same.append(result)
            elif len(both) == len(its):
                longer.append(result)
                ballots[index] = (part, ballot, levels)
            else:
                other.append(result)
            break
        else:
            ballots.append((part, ballot, levels))
    return same, longer, other


def _levels(levels: Mapping[int, int], papers: Sequence[int]) -> list[int]:
    """Return the levels of some papers, counted among these alone."""
    some = [levels[paper] for paper in papers]
    number = {level: index for index, level in enumerate(sorted({*some}))}
    return [number[level] for level in some]


def _of_several(parts: Sequence[Rankings]) -> Iterator[tuple[int, int, tuple[int, str], dict[int, int]]]:
    """Yield the ballots of graders who are in several files: file, ballot, grader and name, and levels."""
    files = np.concatenate([np.unique(part.profile.grader) for part in parts])
    several = np.bincount(files, minlength=parts[-1].profile.n_graders) > 1
    for index, part in enumerate(parts):
        profile, levels = part.profile, part.profile.tie_levels
        for ballot in np.flatnonzero(several[profile.grader]).tolist():
            begin, end = profile.start[ballot], profile.start[ballot + 1]
            ranks = dict(zip(profile.papers[begin:end].tolist(), levels[begin:end].tolist(), strict=True))
            called = (part.ballot[ballot] if part.ballot is not None else "") or FIRST
            yield index, ballot, (int(profile.grader[ballot]), called), ranks


def _problem(parts: Sequence[Rankings], double: _Double, code_of: Mapping[str, str]) -> Problem:
    """Return the problem of two contradictory ballots; papers are named as graders see them."""
    papers = [parts[-1].papers[index] for index in double.papers]
    names = [shown(code_of.get(paper, paper)) for paper in papers]
    cause = _("{grader} has submitted two different rankings of {names} (the other is in {file})").format(
        grader=shown(double.grader), names=shortlist(names), file=parts[double.before].path
    )
    cure = _('keep one of the two, or, if these are two ballots, add a column "ballot"')
    return Problem(parts[double.part].path, None, "grader", cause, cure)


def _notes(parts: Sequence[Rankings], doubles: Sequence[_Double], text: Callable[[int], str]) -> Iterator[str]:
    """Yield a note for every two files on graders with ballots in both, and which count."""
    pairs: dict[tuple[int, int], list[str]] = {}
    for double in doubles:
        pairs.setdefault((double.part, double.before), []).append(shown(double.grader))
    for (part, before), names in pairs.items():
        yield text(len(names)).format(file=parts[part].path, graders=shortlist(names), earlier=parts[before].path)


def _same_in_both(graders: int) -> str:
    return ngettext(
        "{file}: {graders} has the same ranking in {earlier}; it is counted once",
        "{file}: {graders} have the same rankings in {earlier}; each is counted once",
        graders,
    )


def _longer_in_one(graders: int) -> str:
    return ngettext(
        "{file}: {graders} ranks more papers than in {earlier}, in the same order; only the longer ballot counts",
        "{file}: {graders} rank more papers than in {earlier}, in the same order; only the longer ballots count",
        graders,
    )
