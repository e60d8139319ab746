"""Rankings as people send them, long (one row per paper) or wide (one row per grader), read into a profile."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from peerorder.core.arrays import Int32Array, freeze
from peerorder.core.graph import first_row_with_repeat
from peerorder.core.profile import Profile
from peerorder.core.text import shortlist
from peerorder.core.translation import gettext as _, translate
from peerorder.files.formats.arrow import empty_at, encode, numbers, places_in, strings
from peerorder.files.formats.kinds import GRADERS, GRADES, LETTERS, STUDENTS, kind_with
from peerorder.files.formats.paths import takes_path
from peerorder.files.formats.problems import FileError, Problem, Problems, shown
from peerorder.files.formats.sheets import Column, read_sheet, where
from peerorder.files.tables.ballots import Ballots, ballots_of, grouped, levels_of, repeats
from peerorder.files.tables.codes import looks_like_code
from peerorder.files.tables.column_aliases import OF_RANKINGS, apply_aliases
from peerorder.files.tables.entries import Entries, Mask, entries_of, is_of_rankings, missing_columns
from peerorder.files.tables.handouts import Handout
from peerorder.files.tables.ids import SimilarIds, check_ids, lookalikes
from peerorder.files.tables.ranks import NO_DOUBT, DoubtfulRanks, read_ranks, refuse_mixed_comparisons, refuse_points
from peerorder.files.tables.roster import Roster
from peerorder.files.tables.row_problems import RowProblems
from peerorder.rounds.round import People, Round

__all__ = ["Rankings", "read_rankings"]

RESULTS = (GRADES, GRADERS, STUDENTS, LETTERS)


@dataclass(frozen=True, eq=False)
class Rankings(Round):
    """A round as read from one file of rankings, and what is needed to merge several."""

    path: Path = field(kw_only=True)
    ballot: Column | None = None
    """The name of every ballot of the profile, where the file has names."""
    doubtful: DoubtfulRanks = NO_DOUBT
    """Ballots whose ranks may be points."""


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
    """Read the rankings in a file.

    Parameters
    ----------
    roster
        Who takes part and what they wrote. Without it, everybody in the file and in ``papers`` and ``graders`` does,
        and a grader with the id of a paper wrote it.
    codes
        The paper behind every code, where the file holds codes.
    papers, graders
        More ids.
    handout
        Who was asked to rank what. Graders and papers of it take part, and nobody but staff may rank anything else.
    lenient
        Skip rows with problems and report them; otherwise all problems of the file are raised together.
    """
    sheet = read_sheet(path, is_of_rankings)
    if missing := missing_columns(sheet):
        if (kind := kind_with(sheet.header)) in RESULTS:
            cause = _("this file has {content}, as written by grade, and no rankings").format(
                content=translate(kind.called)
            )
            raise FileError([Problem(path, None, None, cause, _("omit it, or move it to another folder"))])
        sheet = apply_aliases(sheet, is_of_rankings, missing, OF_RANKINGS)
    if handout is not None:
        papers, graders = papers + handout.papers, graders + handout.graders
    known = _Known(roster, codes, papers, graders, handout)
    of_sheet = Problems(path, sheet.problems)
    entries = entries_of(sheet, of_sheet, known.paper_names)
    notes = [*sheet.notes, *entries.notes]
    problems = RowProblems(path, entries.rows, of_sheet.collected)
    checked = _check(entries, known, problems)
    dropped = problems.raise_or_drop(lenient)
    lost, part = _affected_graders(entries, problems.good, sheet.left_out.get("grader"))
    if not problems.good.all():
        # As if the bad rows did not exist: ids that only they have do not count.
        entries = entries.some(problems.good)
        problems = RowProblems(path, entries.rows)
        checked = _check(entries, known, problems)
    if not len(entries.rows):
        text = _("{file}: every row was skipped") if dropped else _("{file}: it has a header but no rankings")
        notes.append(text.format(file=path))
    return checked.rankings(
        path=path,
        staff=freeze(np.zeros(len(checked.graders), bool)) if roster is None else roster.staff,
        people=None if roster is None else People(roster.name, roster.email, roster.link),
        codes=codes,
        reading_notes=(*notes, *problems.notes),
        dropped=dropped,
        lost=lost,
        part=part,
    )


@dataclass(frozen=True, eq=False)
class _Known:
    """Ids that are known apart from those in the file."""

    roster: Roster | None
    codes: Mapping[str, str] | None
    papers: tuple[str, ...]
    graders: tuple[str, ...]
    handout: Handout | None

    def paper_names(self) -> tuple[Iterable[str], bool]:
        """Return papers as graders call them, and whether there are no others."""
        if self.codes is not None:
            return self.codes, True
        return (self.papers, False) if self.roster is None else (self.roster.papers, True)


@dataclass(frozen=True, eq=False)
class _Checked:
    """Entries in numbers; those of bad entries are meaningless."""

    papers: Any
    graders: Any
    authored: Int32Array
    ballots: Ballots
    paper: Int32Array
    """In the order of the ballots, in each by rank."""
    rank: Int32Array
    doubtful: DoubtfulRanks

    def rankings(self, **read: Any) -> Rankings:
        """Return the rankings of entries that are all good, with what else was read."""
        listed, grader, called = np.diff(self.ballots.begin), self.ballots.grader, self.ballots.called
        paper, rank, sizes = self.paper, self.rank, listed
        if not rank.all():
            judged = rank > 0
            of = np.repeat(np.arange(len(sizes)), sizes)[judged]
            paper, rank, sizes = paper[judged], rank[judged], np.bincount(of, minlength=len(sizes))
        used = sizes > 0
        start = np.concatenate([[0], np.cumsum(sizes[used])])
        levels = levels_of(rank, start)
        # What nobody else can write to need not be copied.
        profile = Profile(
            freeze(paper),
            freeze(start),
            len(self.papers),
            grader=freeze(grader[used]),
            authored=self.authored,
            levels=None if levels is None else freeze(levels),
        )
        blank = np.setdiff1d(grader[~used & (listed > 0)], grader[used]) if not used.all() else grader[:0]
        return Rankings(
            profile=profile,
            paper_ids=self.papers,
            grader_ids=self.graders,
            blank=tuple(self.graders[index].as_py() for index in blank.tolist()),
            ballot=None if called is None else Column(called.codes[used], called.words),
            doubtful=self.doubtful,
            **read,
        )


def _check(entries: Entries, known: _Known, problems: RowProblems) -> _Checked:
    """Find all problems of the entries."""
    good = problems.good
    good &= entries.good
    check_ids(problems, entries.grader, "grader")
    check_ids(problems, entries.paper, entries.paper_column, ~entries.said)
    rank = read_ranks(entries, problems)
    graders, grader = _graders(entries, known, problems)
    papers, paper = _papers(entries, known, problems)
    if known.roster is not None:
        authored, free = known.roster.authored, known.roster.staff[grader]
    else:
        both, different = encode(pa.concat_arrays([papers, graders]))
        authored, free = both[len(papers) :].copy(), np.zeros(len(grader), bool)
        authored[authored >= len(papers)] = -1
        problems.notes += lookalikes(problems.path, different)
    for index in where((authored[grader] == paper) & good & entries.said) if len(authored) else ():
        cause = _("{grader} ranks {paper}, which is their own paper").format(
            grader=shown(entries.grader[index]), paper=shown(entries.paper[index])
        )
        cure = _("delete it, because nobody ranks their own paper or their team's")
        problems.refuse(index, entries.paper_column(index), cause, cure)
    if known.handout is not None:
        handed = known.handout.rows(graders, papers)
        pairs = grader.astype(np.int64) * len(papers) + paper
        foreign = ~np.isin(pairs, handed.grader * len(papers) + handed.paper) & (rank > 0) & ~free
        for index in where(foreign & good & entries.said):
            cause = _("{grader} was not asked to rank {paper} (see {file})").format(
                grader=shown(entries.grader[index]), paper=shown(entries.paper[index]), file=known.handout.path
            )
            cure = _("correct the code or ID, or name the other hand-outs with `handout`")
            problems.refuse(index, entries.paper_column(index), cause, cure)
    ballots = ballots_of(grader, len(graders), entries.ballot)
    kept = good & entries.said
    listed = np.diff(ballots.some(entries.said & (ballots.of >= 0)).begin)
    if not kept.all():
        ballots, paper, rank = ballots.some(kept), paper[kept], rank[kept]
    papers_by_rank, ranks = grouped(ballots.of, paper, rank)
    doubtful = refuse_points(entries, kept, ballots, rank, ranks, listed, problems)
    refuse_mixed_comparisons(entries, kept, ballots, rank, problems)
    if first_row_with_repeat(papers_by_rank, ballots.begin) >= 0:
        for index, before in np.flatnonzero(kept)[[*repeats(ballots, paper, len(papers))]].tolist():
            cause = _("{grader} has already ranked {paper} in row {row}").format(
                grader=shown(entries.grader[index]), paper=shown(entries.paper[index]), row=entries.rows[before]
            )
            cure = _('delete one of the rows, or, if these are two ballots, add a column "ballot"')
            problems.refuse(index, entries.paper_column(index), cause, cure)
    return _Checked(papers, graders, authored, ballots, papers_by_rank, ranks, doubtful)


def _affected_graders(entries: Entries, good: Mask, unread: Column | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the graders of whom nothing remains without the bad entries, and those who lose a part.

    ``unread`` are the graders of rows without entries.
    """
    column = entries.grader
    names = [*unread.texts] if unread is not None else []
    if good.all() and not names:
        return (), ()
    names += column.words.take(numbers(np.unique(column.codes[~good]))).to_pylist()
    left = {*column.words.take(numbers(np.unique(column.codes[good]))).to_pylist()}
    affected = [*dict.fromkeys(filter(None, names))]
    return tuple(who for who in affected if who not in left), tuple(who for who in affected if who in left)


def _graders(entries: Entries, known: _Known, problems: RowProblems) -> tuple[Any, Int32Array]:
    """Return all graders, and the number of the grader of every entry."""
    column = entries.grader
    if known.roster is None:
        return _all_known(known.graders, column.words, column.codes)
    words = strings(known.roster.students)
    numbers = places_in(words, column.words)
    for index in where((numbers < 0)[column.codes] & ~column.empty) if (numbers < 0).any() else ():
        why = known.roster.no_student(column[index], _("correct the ID, or add this grader to the roster"))
        problems.refuse(index, "grader", *why)
    return words, numbers[column.codes]


def _papers(entries: Entries, known: _Known, problems: RowProblems) -> tuple[Any, Int32Array]:
    """Return all papers, and the number of the paper of every entry."""
    column = entries.paper
    words, paper = column.words, column.codes
    if known.codes is not None:
        words, paper = _behind_codes(entries, known.codes, problems)
    if known.roster is None:
        return _all_known(known.papers, words, paper)
    known_papers = strings(known.roster.papers)
    numbers = places_in(known_papers, words)[paper]
    if (numbers < 0).any() and known.codes is None:
        _check_for_codes(problems.path, column.texts, numbers[~column.empty])
    for index in where((numbers < 0) & ~column.empty):
        # Empty where there is not even a code.
        if said := words[int(paper[index])].as_py():
            why = known.roster.no_paper(said, _("correct the ID, or add its author to the roster"))
            problems.refuse(index, entries.paper_column(index), *why)
    return known_papers, numbers


def _behind_codes(entries: Entries, codes: Mapping[str, str], problems: RowProblems) -> tuple[Any, Int32Array]:
    """Return the papers of the codes, none where there is no such code, and that of every entry.

    No two codes differ only in case, so codes in lower case, or with spaces, are understood.
    """
    column = entries.paper
    behind = [codes.get(text, "") for text in column.texts]
    unknown = [index for index, text in enumerate(column.texts) if text and text not in codes]
    if not unknown:
        return strings(behind), column.codes
    similar, taken, wrong = SimilarIds(codes), [], []
    for index in unknown:
        if (meant := similar.find(column.texts[index])) is None:
            wrong.append(index)
        else:
            behind[index] = codes[meant]
            taken.append(_("{text} as {meaning}").format(text=shown(column.texts[index]), meaning=meant))
    for index in where(np.isin(column.codes, wrong)) if wrong else ():
        cause = _("{text} is not one of the codes").format(text=shown(column[index]))
        cure = _("correct it, or check that `codes` is the file that assign wrote")
        problems.refuse(index, entries.paper_column(index), cause, cure)
    if taken:
        problems.notes.append(
            _("{file}: read codes as they were handed out: {names}").format(file=problems.path, names=shortlist(taken))
        )
    # Two ways to write a code are one paper.
    merged, words = encode(strings(behind))
    return words, merged[column.codes]


def _check_for_codes(path: Path, texts: tuple[str, ...], numbers: Int32Array) -> None:
    """Raise FileError if the file has codes but no file of codes was given: no row could be read."""
    said = [text for text in texts if text]
    if len(said) > 1 and (numbers < 0).all() and all(map(looks_like_code, said)):
        cause = _("its papers, such as {paper}, are not on the roster and look like codes").format(paper=said[0])
        raise FileError(
            [Problem(path, None, None, cause, _("add `codes` codes.csv, which says which paper each code stands for"))]
        )


def _all_known(more: tuple[str, ...], words: Any, codes: Int32Array) -> tuple[Any, Int32Array]:
    """Return, without a roster, more ids and then all in the file; and the number of every entry's id."""
    if not more and empty_at(words) < 0:
        return words, codes
    extra = strings(dict.fromkeys(more))
    if empty_at(words) >= 0:
        different = encode(pa.concat_arrays([extra, words.filter(pc.not_equal(words, ""))]))[1]
        return different, places_in(different, words)[codes]
    numbers, different = encode(pa.concat_arrays([extra, words]))
    return different, numbers[len(extra) :][codes]
