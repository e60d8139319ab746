"""The entries of a file of rankings, one paper on one ballot each: its rows in long form, its cells in wide form."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from peerorder.core.arrays import IntArray
from peerorder.core.text import shortlist
from peerorder.core.translation import gettext as _
from peerorder.files.formats.arrow import numbers, strings
from peerorder.files.formats.problems import Problems, shown
from peerorder.files.formats.sheets import Column, Sheet, column_of
from peerorder.files.tables.ordinals import ordinal

__all__ = ["Entries", "Mask", "entries_of", "is_of_rankings", "missing_columns"]

COLUMNS = ("grader", "paper", "rank", "score", "ballot")
PAIRS = (("winner", "loser"), ("candidate_chosen", "candidate_not_chosen"))
"""Columns of files of comparisons, the better paper first."""
NAMES = frozenset([*COLUMNS, "judge", "tie", *(name for pair in PAIRS for name in pair)])

Mask = NDArray[np.bool_]
KnownPapers = Callable[[], tuple[Iterable[str], bool]]
"""Returns papers, or their codes, that are known apart from those in the file, and whether these are all papers."""

PLACE = re.compile(r"(?:place|rank)?[ _-]?0*(\d{1,6})(?:st|nd|rd|th|\.)?", re.ASCII)
TIED = {"": False, "no": False, "n": False, "false": False, "0": False}
TIED |= {"yes": True, "y": True, "true": True, "1": True, "tie": True, "tied": True, "draw": True, "x": True}
# With blanks around it, because ids may have a = in them.
TIE = re.compile(r"(?:^|\s+)=(?:\s+|$)")
# Other ways to write a tie, where the parts are papers and the whole is none.
MAYBE_TIE = re.compile(r"\s*[=,;/&]\s*")


@dataclass(frozen=True, eq=False)
class Entries:
    """One paper on one ballot each, as in the file."""

    grader: Column
    ballot: Column | None
    paper: Column
    rank: Column
    rows: IntArray
    good: Mask
    """Whether each entry has no known problem."""
    said: Mask
    """Whether each entry names a paper; in wide form, a grader with none has one entry that does not."""
    label: Column | None = None
    """In wide form and of comparisons, the column of the file."""
    scored: bool = False
    """Whether the column rank holds scores, where more is better."""
    notes: tuple[str, ...] = ()

    def paper_column(self, index: int) -> str:
        """Return the name of the column with the paper of an entry."""
        return self.label[index] if self.label is not None else "paper"

    def some(self, kept: Mask) -> "Entries":
        """Return some of the entries, with their ids alone."""
        return Entries(
            self.grader.some(kept),
            self.ballot.some(kept) if self.ballot is not None else None,
            self.paper.some(kept),
            self.rank.some(kept),
            self.rows[kept],
            self.good[kept],
            self.said[kept],
            self.label.some(kept) if self.label is not None else None,
            self.scored,
        )


def is_of_rankings(name: str) -> bool:
    """Return whether a column of this name may belong to rankings."""
    return name in NAMES or _place(name) is not None


def _place(name: str) -> int | None:
    """Return the place that a column of this name is for."""
    match = PLACE.fullmatch(name)
    return int(match[1]) if match else ordinal(name)


def _pair(sheet: Sheet) -> tuple[str, str] | None:
    """Return the columns of a file of comparisons."""
    return next((pair for pair in PAIRS if {*pair} <= {*sheet.columns} and "paper" not in sheet), None)


def missing_columns(sheet: Sheet) -> list[str]:
    """Return what a sheet lacks to be one of rankings, in whichever form is nearest."""
    if _pair(sheet) is not None:
        return []
    wide = "paper" not in sheet and any(_place(name) is not None for name in sheet.columns)
    wanted = ["grader"] if wide else ["grader", "paper", *([] if "score" in sheet else ["rank", "score"])]
    return [name for name in wanted if name not in sheet]


def entries_of(sheet: Sheet, problems: Problems, known: KnownPapers = lambda: ((), False)) -> Entries:
    """Return the entries of a sheet in long or in wide form, or of comparisons of two papers."""
    places = {name: place for name in sheet.columns if (place := _place(name)) is not None}
    if "grader" in sheet and "paper" not in sheet and places:
        _check_places(sheet, places)
        return _from_wide(sheet, places, problems, known)
    if (pair := _pair(sheet)) is not None:
        return _from_comparisons(sheet, pair, problems)
    scored = "score" in sheet and "rank" not in sheet
    sheet.need(_("a file of rankings"), ["grader", "paper", *([] if scored else ["rank"])])
    every = np.ones(len(sheet), bool)
    return Entries(
        sheet["grader"],
        sheet.columns.get("ballot"),
        sheet["paper"],
        sheet["score" if scored else "rank"],
        sheet.rows,
        every,
        every,
        scored=scored,
    )


def _from_comparisons(sheet: Sheet, pair: tuple[str, str], problems: Problems) -> Entries:
    """Return the entries of comparisons, a ballot of two papers per row; without judges, all are by one judge."""
    rows = np.repeat(np.arange(len(sheet)), 2)
    good, tied = np.ones(len(sheet), bool), np.zeros(len(sheet), bool)
    if "tie" in sheet:
        said = [TIED.get(text.lower()) for text in sheet["tie"].texts]
        good = np.array([each is not None for each in said], bool)[sheet["tie"].codes]
        tied = np.array([bool(each) for each in said], bool)[sheet["tie"].codes]
        for index in np.flatnonzero(~good).tolist():
            cause = _("{text} does not say whether it is a tie").format(text=shown(sheet["tie"][index]))
            problems.add(int(sheet.rows[index]), "tie", cause, _("write yes or no"))
    second = np.where(tied, 0, 1)
    better, worse = sheet[pair[0]], sheet[pair[1]]
    papers = pa.concat_arrays([better.words, worse.words])
    codes = np.stack([better.codes, len(better.words) + worse.codes], 1).reshape(-1)
    judge = next((sheet[name] for name in ("judge", "grader") if name in sheet), None)
    notes = (
        ()
        if judge is not None
        else (_("{file}: it has no column judge, so all comparisons count as by one judge").format(file=sheet.path),)
    )
    return Entries(
        _column(["judge"], np.zeros(len(rows), np.int64)) if judge is None else _take(judge, rows),
        _column([str(row) for row in sheet.rows.tolist()], rows),
        column_of(papers.take(numbers(codes))),
        _column(["1", "2"], np.stack([np.zeros_like(second), second], 1).reshape(-1)),
        sheet.rows[rows],
        good[rows],
        np.ones(len(rows), bool),
        _column([*pair], np.tile([0, 1], len(sheet))),
        notes=notes,
    )


def _check_places(sheet: Sheet, places: Mapping[str, int]) -> None:
    problems = Problems(sheet.path)
    names: dict[int, str] = {}
    for name, place in places.items():
        if place < 1:
            problems.add(None, name, _("this is not a place"), _("name the column for the best paper 1"))
        if (other := names.setdefault(place, name)) != name:
            problems.add(
                None,
                name,
                _("the column {other} is also for place {place}").format(other=other, place=place),
                _("keep one of the two"),
            )
    problems.raise_if_any()


def _from_wide(sheet: Sheet, places: Mapping[str, int], problems: Problems, known: KnownPapers) -> Entries:
    """Return the long form of a wide sheet: one column per place, with the paper, or tied papers joined by =."""
    rows, papers, labels = [], [], []
    numbers = {"": 0}
    ties = _ties(sheet, places, problems, known)
    for number, name in enumerate(places):
        column = sheet[name]
        tied = [ties.papers[text] for text in column.texts]
        # The papers of text t are flat[first[t]:first[t + 1]].
        flat = np.array([numbers.setdefault(text, len(numbers)) for parts in tied for text in parts], np.int32)
        first = np.concatenate([[0], np.cumsum([len(parts) for parts in tied])]).astype(np.int64)
        total = np.diff(first)[column.codes]
        index = np.repeat(np.arange(len(sheet)), total)
        within = np.arange(len(index)) - np.repeat(np.cumsum(total) - total, total)
        rows.append(index)
        papers.append(flat[first[column.codes[index]] + within])
        labels.append(np.full(len(index), number))
    silent = np.setdiff1d(np.arange(len(sheet)), np.concatenate(rows))
    row = np.concatenate([*rows, silent])
    order = np.argsort(row, kind="stable")
    row = row[order]
    paper = np.concatenate([*papers, np.zeros(len(silent), np.int32)])[order]
    label = np.concatenate([*labels, np.full(len(silent), len(places))])[order]
    ballot = sheet.columns.get("ballot")
    return Entries(
        _take(sheet["grader"], row),
        _take(ballot, row) if ballot is not None else None,
        _column(list(numbers), paper),
        _column([*map(str, places.values()), ""], label),
        sheet.rows[row],
        _check_one_row_per_ballot(sheet, problems)[row] & ~np.isin(paper, [numbers[text] for text in ties.doubtful]),
        paper > 0,
        _column([*places, ""], label),
        notes=ties.notes,
    )


@dataclass(frozen=True)
class _Ties:
    """The papers in the cells of a wide sheet."""

    papers: dict[str, list[str]]
    """The papers in every text."""
    doubtful: frozenset[str] = frozenset()
    """Texts that may be a paper or a tie; they are problems."""
    notes: tuple[str, ...] = ()


def _ties(sheet: Sheet, places: Iterable[str], problems: Problems, known: KnownPapers) -> _Ties:
    """Split cells into papers.

    A tie is written ``p1 = p2``. One like ``p1=p2`` or ``p1, p2`` is understood where its parts are papers that are
    known, or are alone in a cell elsewhere in the file. Where the papers are not known, it is a problem if some
    of its parts are papers, or if it occurs once and other cells have no such signs; otherwise it is an id.
    """
    texts = dict.fromkeys(text for name in places for text in sheet[name].texts)
    split = {text: [text] if text else [] for text in texts}
    signed = [text for text in texts if MAYBE_TIE.search(text)]
    split |= {text: [*filter(None, TIE.split(text))] for text in signed}
    maybe = {text: parts for text in signed if len(parts := [*filter(None, MAYBE_TIE.split(text))]) > 1}
    maybe = {text: parts for text, parts in maybe.items() if len(split[text]) == 1}
    if not maybe:
        return _Ties(split)
    cells = Counter(text for name in places for text in sheet[name].tolist())
    papers, whole = known()
    known_names = {*map(str.casefold, papers)}
    if not whole:
        known_names.update(part.casefold() for text, parts in split.items() if text not in maybe for part in parts)
    taken, doubtful = [], set()
    for text, parts in maybe.items():
        if text.casefold() in known_names:
            continue
        if all(part.casefold() in known_names for part in parts):
            split[text] = parts
            taken.append(_("{text} as {meaning}").format(text=shown(text), meaning=" = ".join(map(shown, parts))))
        elif not whole and (
            any(part.casefold() in known_names for part in parts) or (cells[text] == 1 and known_names)
        ):
            doubtful.add(text)
    for name in places if doubtful else ():
        for index, text in enumerate(sheet[name].tolist()):
            if text in doubtful:
                cure = _("write {tie} with spaces if it is one, or correct the ID").format(
                    tie=" = ".join(map(shown, maybe[text]))
                )
                problems.add(int(sheet.rows[index]), name, _("{text} looks like a tie").format(text=shown(text)), cure)
    notes = (_("{file}: read as ties: {names}").format(file=sheet.path, names=shortlist(taken)),) if taken else ()
    return _Ties(split, frozenset(doubtful), notes)


def _check_one_row_per_ballot(sheet: Sheet, problems: Problems) -> Mask:
    """Report graders with two rows, whose places would be mixed; return which rows are good."""
    good = np.ones(len(sheet), bool)
    ballot = sheet.columns.get("ballot")
    grader = sheet["grader"].codes.astype(np.int64)
    key = grader if ballot is None else grader * max(len(ballot.words), 1) + ballot.codes
    different, first, of = np.unique(key, return_index=True, return_inverse=True)
    if len(different) < len(sheet):
        again = (first[of] != np.arange(len(sheet))) & ~sheet["grader"].empty
        for index in np.flatnonzero(again):
            problems.add(
                int(sheet.rows[index]),
                "grader",
                _("{grader} already has row {row}").format(
                    grader=shown(sheet["grader"][int(index)]), row=sheet.rows[first[of[index]]]
                ),
                _('delete one of the rows, or, if these are two ballots, add a column "ballot"'),
            )
        good &= ~again
    return good


def _take(column: Column, index: IntArray) -> Column:
    return Column(column.codes[index], column.words)


def _column(texts: list[str], codes: NDArray[np.integer[Any]]) -> Column:
    """Return a column of texts that may not all be used, or not in this order."""
    return column_of(strings(texts).take(numbers(codes)))
