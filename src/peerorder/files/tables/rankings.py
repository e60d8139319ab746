"""Rankings as people send them, long (a row a paper) or wide (a row a grader), become a profile."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from peerorder.core.arrays import Int32Array, IntArray, frozen
from peerorder.core.graph import first_row_with_repeat
from peerorder.core.profile import Profile
from peerorder.core.text import shortlist
from peerorder.files.formats.arrow import empty_at, encode, numbers, places_in
from peerorder.files.formats.kinds import GRADERS, GRADES, LETTERS, STUDENTS, kind_with
from peerorder.files.formats.paths import takes_path
from peerorder.files.formats.problems import FileError, Problem, Problems, shown
from peerorder.files.formats.sheets import Column, read_sheet, where
from peerorder.files.tables.ballots import ballots_of, grouped, levels_of, repeats
from peerorder.files.tables.codes import looks_like_code
from peerorder.files.tables.column_aliases import OF_RANKINGS, renamed
from peerorder.files.tables.entries import Entries, Mask, entries_of, is_of_rankings, missing_columns
from peerorder.files.tables.handouts import Handout
from peerorder.files.tables.ids import Alike, check_ids, lookalikes
from peerorder.files.tables.ranks import NO_DOUBT, DoubtfulRanks, read_ranks, refuse_mixed_comparisons, refuse_points
from peerorder.files.tables.roster import Roster

__all__ = ["Rankings", "read_rankings"]

RESULTS = (GRADES, GRADERS, STUDENTS, LETTERS)


@dataclass(frozen=True, eq=False)
class Rankings:
    """What the graders said, and what the numbers of the profile stand for."""

    path: Path
    profile: Profile
    paper_ids: Any
    """The id of every paper, as an arrow array."""
    grader_ids: Any
    """The id of every grader, likewise."""
    not_judged: int
    """Papers that a grader was given and said nothing about."""
    notes: tuple[str, ...] = ()
    dropped: tuple[Problem, ...] = ()
    ballot: Column | None = None
    """What every ballot of the profile is called, where the file says so."""
    lost: tuple[str, ...] = ()
    """Graders of whom nothing was read, because all of their rows were left out."""
    part: tuple[str, ...] = ()
    """Graders of whom a part was left out."""
    blank: tuple[str, ...] = ()
    """Graders who are in it and judged no paper."""
    doubtful: DoubtfulRanks = NO_DOUBT
    """Ballots whose ranks may be points."""

    @cached_property
    def papers(self) -> tuple[str, ...]:
        """The id of every paper."""
        return tuple(self.paper_ids.to_pylist())

    @cached_property
    def graders(self) -> tuple[str, ...]:
        """The id of every grader."""
        return tuple(self.grader_ids.to_pylist())


@takes_path
def read_rankings(
    path: Path,
    *,
    roster: Roster | None = None,
    codes: Mapping[str, str] | None = None,
    papers: tuple[str, ...] = (),
    graders: tuple[str, ...] = (),
    handout: Handout | None = None,
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
        Ids that there are besides.
    handout
        Who was asked to rank what. Graders and papers of it take part, and nobody but staff may rank anything else.
    lenient
        Leave out rows with problems and say which, where otherwise all problems of the file are raised at once.
    """
    sheet = read_sheet(path, is_of_rankings)
    if missing := missing_columns(sheet):
        if (kind := kind_with(sheet.header)) in RESULTS:
            cause = f"this file has {kind.called}, as `grade` writes them, and no rankings"
            raise FileError([Problem(path, None, None, cause, "leave it out, or move it to another folder")])
        sheet = renamed(sheet, is_of_rankings, missing, OF_RANKINGS)
    problems = Problems(path, sheet.problems)
    if handout is not None:
        papers, graders = papers + handout.papers, graders + handout.graders
    known = _Known(roster, codes, papers, graders, handout)
    entries = entries_of(sheet, problems, known.paper_names)
    checked = _check(entries, known, problems)
    dropped = problems.raise_or_drop(lenient)
    lost, part = _harmed(entries, checked.good, sheet.left_out.get("grader"))
    notes = [*sheet.notes, *entries.notes]
    if not checked.good.all():
        # As if the bad rows were not there: an id that is in these alone is none.
        checked = _check(entries.some(checked.good), known, Problems(path))
    if not len(checked.good):
        notes.append(f"{path}: " + ("every row of it is left out" if dropped else "it has a header but no rankings"))
    return Rankings(
        path=path,
        profile=checked.profile(),
        paper_ids=checked.papers,
        grader_ids=checked.graders,
        not_judged=len(checked.rank) - int(np.count_nonzero(checked.rank)),
        notes=(*notes, *checked.notes),
        dropped=dropped,
        ballot=checked.called(),
        lost=lost,
        part=part,
        blank=checked.blank(),
        doubtful=checked.doubtful,
    )


@dataclass(frozen=True, eq=False)
class _Known:
    """Which ids there are besides those in the file."""

    roster: Roster | None
    codes: Mapping[str, str] | None
    papers: tuple[str, ...]
    graders: tuple[str, ...]
    handout: Handout | None

    def paper_names(self) -> tuple[Iterable[str], bool]:
        """Papers as graders call them, and whether there are no others."""
        if self.codes is not None:
            return self.codes, True
        return (self.papers, False) if self.roster is None else (self.roster.papers, True)


@dataclass(frozen=True, eq=False)
class _Checked:
    """Entries in numbers; those of entries that are not good mean nothing."""

    good: Mask
    papers: Any
    graders: Any
    authored: Int32Array
    grader: Int32Array
    """Of every ballot."""
    begin: IntArray
    paper: Int32Array
    """In the order of the ballots, in each by rank."""
    rank: Int32Array
    ballot: Column | None
    notes: tuple[str, ...]
    doubtful: DoubtfulRanks

    def called(self) -> Column | None:
        """What the ballots of the profile are called."""
        if self.ballot is None:
            return None
        return Column(self.ballot.codes[self._used()], self.ballot.words)

    def blank(self) -> tuple[str, ...]:
        """Graders with ballots on which no paper has a rank, and no others."""
        used = self._used()
        silent = ~used & (np.diff(self.begin) > 0)
        blank = np.setdiff1d(self.grader[silent], self.grader[used]) if silent.any() else np.flatnonzero(silent)
        return tuple(self.graders[at].as_py() for at in blank.tolist())

    def _used(self) -> Mask:
        used: Mask = np.diff(self.begin) > 0
        # The last rank of a ballot is its worst.
        used[used] = self.rank[self.begin[1:][used] - 1] > 0
        return used

    def profile(self) -> Profile:
        """The profile of entries that are all good."""
        paper, rank, sizes = self.paper, self.rank, np.diff(self.begin)
        if not rank.all():
            judged = rank > 0
            of = np.repeat(np.arange(len(sizes)), sizes)[judged]
            paper, rank, sizes = paper[judged], rank[judged], np.bincount(of, minlength=len(sizes))
        used = sizes > 0
        start = np.concatenate([[0], np.cumsum(sizes[used])])
        levels = levels_of(rank, start)
        # What nobody else can write to need not be copied.
        return Profile(
            frozen(paper),
            frozen(start),
            len(self.papers),
            grader=frozen(self.grader[used]),
            authored=self.authored,
            levels=None if levels is None else frozen(levels),
        )


def _check(entries: Entries, known: _Known, problems: Problems) -> _Checked:
    """Find everything that is wrong with the entries."""
    good = entries.good.copy()
    notes = check_ids(problems, good, entries.rows, entries.grader, lambda _: "grader")
    notes += check_ids(problems, good, entries.rows, entries.paper, entries.paper_column, ~entries.said)
    rank, understood = read_ranks(entries, problems, good)
    notes += understood
    graders, grader = _graders(entries, known, problems, good)
    papers, paper, taken = _papers(entries, known, problems, good)
    notes += taken
    if known.roster is not None:
        authored = known.roster.authored
    else:
        both, different = encode(pa.concat_arrays([papers, graders]))
        authored = both[len(papers) :].copy()
        authored[authored >= len(papers)] = -1
        notes += lookalikes(problems.path, different)
    _no_own_papers(entries, problems, good, grader, paper, authored)
    if known.handout is not None:
        handed = _handed(known.handout, graders, papers)
        free = known.roster.staff[grader] if known.roster is not None else np.zeros(len(grader), bool)
        pairs = grader.astype(np.int64) * len(papers) + paper
        _only_handed_out(entries, problems, good, (rank > 0) & ~free & ~np.isin(pairs, handed), known.handout)
    ballots = ballots_of(grader, len(graders), entries.ballot)
    kept = good & entries.said
    listed = np.bincount(ballots.of[entries.said & (ballots.of >= 0)], minlength=len(ballots.grader))
    if not kept.all():
        ballots, paper, rank = ballots.some(kept), paper[kept], rank[kept]
    begin = ballots.begin
    papers_by_rank, ranks = grouped(ballots.of, paper, rank)
    doubtful, doubts = refuse_points(entries, kept, ballots, rank, ranks, listed, problems, good)
    notes += doubts
    refuse_mixed_comparisons(entries, kept, ballots, rank, problems, good)
    if first_row_with_repeat(papers_by_rank, begin) >= 0:
        _name_doubles(entries, problems, good, np.flatnonzero(kept), repeats(ballots, paper, len(papers)))
    return _Checked(
        good, papers, graders, authored, ballots.grader, begin, papers_by_rank, ranks, ballots.called, notes, doubtful
    )


def _harmed(entries: Entries, good: Mask, unread: Column | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The graders of whom nothing is left without the entries that are not good, and those who lose a part.

    ``unread`` are those of rows of which there are no entries.
    """
    column = entries.grader
    names = [*unread.texts] if unread is not None else []
    if good.all() and not names:
        return (), ()
    names += column.words.take(numbers(np.unique(column.codes[~good]))).to_pylist()
    left = {*column.words.take(numbers(np.unique(column.codes[good]))).to_pylist()}
    harmed = [*dict.fromkeys(filter(None, names))]
    return tuple(who for who in harmed if who not in left), tuple(who for who in harmed if who in left)


def _graders(entries: Entries, known: _Known, problems: Problems, good: Mask) -> tuple[Any, Int32Array]:
    """All graders, and the number of every entry's."""
    column = entries.grader
    if known.roster is None:
        return _all_known(known.graders, column.words, column.codes)
    words = pa.array(known.roster.students, pa.string())
    numbers = places_in(words, column.words)
    alike: Alike | None = None
    for at in where((numbers < 0)[column.codes] & ~column.empty) if (numbers < 0).any() else ():
        if alike is None:
            alike = Alike(known.roster.students)
        but, cure = alike.told(column[at], "correct the id, or add this grader to the roster")
        cause = f"{shown(column[at])} is not on the roster {known.roster.path}{but}"
        problems.add(int(entries.rows[at]), "grader", cause, cure)
        good[at] = False
    return words, numbers[column.codes]


def _papers(entries: Entries, known: _Known, problems: Problems, good: Mask) -> tuple[Any, Int32Array, tuple[str, ...]]:
    """All papers, the number of every entry's, and notes."""
    column = entries.paper
    notes: tuple[str, ...] = ()
    words, paper = column.words, column.codes
    if known.codes is not None:
        words, paper, notes = _behind_codes(entries, known.codes, problems, good)
    if known.roster is None:
        return *_all_known(known.papers, words, paper), notes
    there = pa.array(known.roster.papers, pa.string())
    numbers = places_in(there, words)[paper]
    if (numbers < 0).any():
        if known.codes is None:
            _no_forgotten_codes(problems.path, column.texts, numbers[~column.empty])
        _no_unknown_papers(entries, known.roster, problems, good, words, paper, numbers)
    return there, numbers, notes


def _behind_codes(
    entries: Entries, codes: Mapping[str, str], problems: Problems, good: Mask
) -> tuple[Any, Int32Array, tuple[str, ...]]:
    """The papers behind the codes, none where there is no such code, that of every entry, and notes.

    Codes never differ in case alone, so whoever types them in small letters, or with blanks, is understood.
    """
    column = entries.paper
    behind = [codes.get(text, "") for text in column.texts]
    unknown = [at for at, text in enumerate(column.texts) if text and text not in codes]
    if not unknown:
        return pa.array(behind, pa.string()), column.codes, ()
    alike, taken, wrong = Alike(codes), [], []
    for at in unknown:
        if (meant := alike.find(column.texts[at])) is None:
            wrong.append(at)
        else:
            behind[at] = codes[meant]
            taken.append(f"{shown(column.texts[at])} as {meant}")
    for at in where(np.isin(column.codes, wrong)) if wrong else ():
        cause = f"there is no code {shown(column[at])}"
        cure = "correct it, or give the file of codes that was handed out"
        problems.add(int(entries.rows[at]), entries.paper_column(at), cause, cure)
        good[at] = False
    said = f"{problems.path}: codes in other letters are taken: {shortlist(taken)}"
    # Two ways to write a code are one paper.
    merged, words = encode(pa.array(behind, pa.string()))
    return words, merged[column.codes], (said,) if taken else ()


def _no_forgotten_codes(path: Path, texts: tuple[str, ...], numbers: Int32Array) -> None:
    """Refuse a file of codes where nobody said what is behind them: no row of it can be read."""
    said = [text for text in texts if text]
    if len(said) > 1 and (numbers < 0).all() and all(map(looks_like_code, said)):
        cause = f"its papers, such as {said[0]}, are not on the roster and look like codes"
        raise FileError([Problem(path, None, None, cause, "add `codes` codes.csv, the file that says what is behind")])


def _no_unknown_papers(
    entries: Entries, roster: Roster, problems: Problems, good: Mask, words: Any, paper: Int32Array, numbers: Int32Array
) -> None:
    alike = Alike(roster.papers)
    for at in where((numbers < 0) & ~entries.paper.empty):
        said = words[int(paper[at])].as_py()
        if not said:
            continue  # not even a code
        but, cure = alike.told(said, "correct the id, or add its author to the roster")
        cause = f"nobody on the roster {roster.path} handed in the paper {shown(said)}{but}"
        if said in roster.student_number:
            cause += f" ({roster.paper_in_words(said)})"
        problems.add(int(entries.rows[at]), entries.paper_column(at), cause, cure)
        good[at] = False


def _all_known(more: tuple[str, ...], words: Any, codes: Int32Array) -> tuple[Any, Int32Array]:
    """Without a roster: ids that there are besides, then all in the file; and the number of every entry's."""
    if not more and empty_at(words) < 0:
        return words, codes
    besides = pa.array(list(dict.fromkeys(more)), pa.string())
    if empty_at(words) >= 0:
        different = encode(pa.concat_arrays([besides, words.filter(pc.not_equal(words, ""))]))[1]
        return different, places_in(different, words)[codes]
    numbers, different = encode(pa.concat_arrays([besides, words]))
    return different, numbers[len(besides) :][codes]


def _no_own_papers(
    entries: Entries, problems: Problems, good: Mask, grader: Int32Array, paper: Int32Array, authored: Int32Array
) -> None:
    if not len(authored):
        return
    for at in where((authored[grader] == paper) & good & entries.said):
        problems.add(
            int(entries.rows[at]),
            entries.paper_column(at),
            f"{shown(entries.grader[at])} ranks {shown(entries.paper[at])}, which is their own paper",
            "delete it, because nobody ranks their own or their team's",
        )
        good[at] = False


def _handed(handout: Handout, graders: Any, papers: Any) -> IntArray:
    """The pairs of a grader and a paper that were handed out, each as one number."""
    who, what = handout.numbers(graders, papers)
    there = (who >= 0) & (what >= 0)
    return who[there] * len(papers) + what[there]


def _only_handed_out(entries: Entries, problems: Problems, good: Mask, foreign: Mask, handout: Handout) -> None:
    for at in where(good & entries.said & foreign):
        problems.add(
            int(entries.rows[at]),
            entries.paper_column(at),
            f"{shown(entries.paper[at])} was not handed out to {shown(entries.grader[at])} in {handout.path}",
            "correct it, or give every hand-out of the round",
        )
        good[at] = False


def _name_doubles(
    entries: Entries, problems: Problems, good: Mask, kept: IntArray, doubles: Iterable[tuple[int, int]]
) -> None:
    """Complain about papers that are on one ballot twice."""
    for row, before in ((int(kept[at]), int(kept[other])) for at, other in doubles):
        problems.add(
            int(entries.rows[row]),
            entries.paper_column(row),
            f"{shown(entries.grader[row])} ranks {shown(entries.paper[row])} in row {entries.rows[before]} already",
            "delete one of the two, or tell ballots apart by a column ballot",
        )
        good[row] = False
