"""Ranks as people write them, and numbers that are none.

A cell of the column rank may say 1, 1.0, 1st or first; n/a and - mean that the paper was not judged. Letters, points
and several comparisons that stand in one ballot are refused with the cure, in one line for a ballot.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from peerorder.core.arrays import Int32Array, IntArray
from peerorder.core.text import shortlist
from peerorder.files.formats.problems import FileError, Problem, shown
from peerorder.files.formats.sheets import where
from peerorder.files.tables.ballots import Ballots
from peerorder.files.tables.entries import Entries, Mask
from peerorder.files.tables.ordinals import ordinal
from peerorder.files.tables.row_problems import RowProblems

__all__ = ["NO_DOUBT", "DoubtfulRanks", "read_ranks", "refuse_mixed_comparisons", "refuse_points"]

NAMED = 6
# Where the best rank on a ballot is higher, and more than twice the number of papers, it is no rank.
LEAST_POINTS = 10
# 3 and 3.0, which spreadsheets make of it.
RANK = re.compile(r"\+?0*(\d{1,9})([.,]0*)?", re.ASCII)
SCORE = re.compile(r"([+-]?\d{1,15}(?:[.,]\d{1,15})?)\s*%?", re.ASCII)
NOT_JUDGED = ("", "not judged")
# What others write for the same.
NOTHING = ("n/a", "na", "-", "\u2013", "\u2014", "none", "null", "nan")
POINTS_CURE = "if these are points, where more is better, name the column score; if ranks, write 1 for the best"
CURE = "write 1 for the best, 2 for the next and so on, or leave it empty if it was not judged"


@dataclass(frozen=True)
class DoubtfulRanks:
    """Of how many ballots the ranks may be points: no paper is first, or a rank is beyond the number of papers."""

    ballots: int = 0
    """Of several papers, among which these were looked for."""
    doubtful: int = 0
    highest: int = 0
    """The highest rank on any ballot."""

    def __add__(self, other: "DoubtfulRanks") -> "DoubtfulRanks":
        """Those of two files together."""
        highest = max(self.highest, other.highest)
        return DoubtfulRanks(self.ballots + other.ballots, self.doubtful + other.doubtful, highest)

    def raise_if_most(self, path: Path) -> None:
        """Refuse rankings as a whole where most ballots, and more than two, are doubtful."""
        if self.doubtful <= max(2, self.ballots / 2):
            return
        cause = (
            f"ranks go up to {self.highest:,}, and {self.doubtful:,} of {self.ballots:,} ballots have no rank 1, or a "
            "rank beyond the number of their papers"
        )
        raise FileError([Problem(path, None, "rank", cause, POINTS_CURE)])


NO_DOUBT = DoubtfulRanks()


def read_ranks(entries: Entries, problems: RowProblems) -> Int32Array:
    """Return the rank of every entry, 0 where the paper was not judged; complain about what is no rank."""
    column = entries.rank
    if entries.scored:
        values, wrong = _scores(column.texts)
        cure = "write points, where more is better, or leave it empty if it was not judged"
        _refuse_texts(entries, wrong, "score", ("a number", "numbers"), cure, problems)
        return values[column.codes]
    # Each different text once: a rank in digits, one in words, or nothing.
    lower = [text.lower() for text in column.texts]
    digits = np.array([int(match[1]) if (match := RANK.fullmatch(text)) else -1 for text in lower], np.int64)
    words = np.array([0 if RANK.fullmatch(text) else ordinal(text) or 0 for text in lower], np.int64)
    silent = np.array([text in NOT_JUDGED or text in NOTHING for text in lower], bool)
    _refuse_texts(entries, (digits < 0) & (words == 0) & ~silent, "rank", ("a rank", "ranks"), CURE, problems)
    understood = [
        f"{shown(text)} as {word or 'not judged'}"
        for text, word in zip(column.texts, words.tolist(), strict=True)
        if word or text.lower() in NOTHING
    ]
    if understood:
        problems.notes.append(f"{problems.path}, column rank: read {shortlist(understood, NAMED)}")
    shift = _from_zero(entries, (digits == 0)[column.codes], problems) if (digits == 0).any() else 0
    return np.where(digits >= 0, digits + shift, words).astype(np.int32)[column.codes]


def _scores(texts: Sequence[str]) -> tuple[Int32Array, Mask]:
    """Return scores as ranks, equal ones alike and 0 where there is none, and which texts are no numbers.

    Only the order on a ballot counts, so scores may be ranked among those of all ballots.
    """
    matches = [SCORE.fullmatch(text) for text in texts]
    empty = [text.lower() in NOT_JUDGED or text.lower() in NOTHING for text in texts]
    numbers = np.array([float(match[1].replace(",", ".")) if match else np.nan for match in matches])
    known = ~np.isnan(numbers)
    ranks = np.zeros(len(texts), np.int32)
    ranks[known] = 1 + np.unique(-numbers[known], return_inverse=True)[1]
    return ranks, ~known & ~np.array(empty, bool)


def _refuse_texts(
    entries: Entries, wrong: Mask, name: str, noun: tuple[str, str], cure: str, problems: RowProblems
) -> None:
    """Complain about texts that cannot be read, in one line for a ballot."""
    if not wrong.any():
        return
    column = entries.rank
    for at in _by_ballot(entries, np.flatnonzero(wrong[column.codes])):
        texts = list(dict.fromkeys(column[index] for index in at.tolist()))
        several = len(texts) > 1
        cause = f"{shortlist([*map(shown, texts)], NAMED)} {'are' if several else 'is'} not {noun[several]}"
        problems.refuse(at, name, cause, cure)


def _from_zero(entries: Entries, zero: Mask, problems: RowProblems) -> int:
    """Return what to add to all ranks: 1 where every ballot counts from 0. Complain where only some do."""
    ballots = _by_ballot(entries, where(entries.said & problems.good))
    zeros = [int(zero[at].sum()) for at in ballots]
    if len(ballots) > 1 and all(count == 1 for count in zeros):
        problems.notes.append(f"{problems.path}, column rank: every ballot counts from 0, so 0 is read as the best")
        return 1
    for at, count in zip(ballots, zeros, strict=True):
        if count:
            cause = "this ballot counts from 0" if count == 1 else "0 is not a rank"
            cure = "add 1 to each rank, or leave it empty if 0 means not judged"
            problems.refuse(at[zero[at]], "rank", cause, cure)
    return 0


def refuse_points(
    entries: Entries,
    kept: Mask,
    ballots: Ballots,
    rank: Int32Array,
    by_rank: Int32Array,
    listed: IntArray,
    problems: RowProblems,
) -> DoubtfulRanks:
    """Complain about ballots whose ranks look like points: all of them far beyond the number of papers.

    ``ballots`` and ``rank`` are those of the entries that are kept; ``by_rank`` are the ranks in the order of the
    ballots, in each from the best, after those that were not judged; ``listed`` is how many papers each lists, judged
    or not. Where the ranks of most ballots of a file may be points, the file is refused as a whole. Notes name graders
    whose ranks may be points, and are read as ranks.
    """
    if entries.scored or entries.label is not None or not len(rank):
        return NO_DOUBT
    begin = ballots.begin
    sizes = np.diff(begin) - np.bincount(ballots.of[rank == 0], minlength=len(ballots.grader))
    best, worst = by_rank[np.where(sizes > 0, begin[1:] - sizes, 0)], by_rank[begin[1:] - 1]
    several = sizes > 1
    beyond = several & (best > np.maximum(LEAST_POINTS, 2 * sizes))
    # A gap of one rank is where a paper was taken out.
    doubtful = several & ((best > 1) | (worst > listed + 1))
    found = DoubtfulRanks(int(several.sum()), int(doubtful.sum()), int(rank.max()))
    found.raise_if_most(problems.path)
    for ballot in np.flatnonzero(beyond).tolist():
        mine = ballots.of == ballot
        said = rank[mine & (rank > 0)]
        at = np.flatnonzero(kept)[mine]
        who = shown(entries.grader[int(at[0])])
        cause = f"the ranks of {who} go from {said.min():,} to {said.max():,} on a ballot of {len(said)} papers"
        problems.refuse(at, "rank", cause, POINTS_CURE)
    odd = np.flatnonzero(several & ~beyond & (best > 1) & (worst > listed)).tolist()
    if odd:
        graders = [entries.grader[int(np.flatnonzero(kept)[ballots.of == ballot][0])] for ballot in odd]
        names = shortlist([*map(shown, graders)], NAMED)
        problems.notes.append(
            f"{problems.path}, column rank: {names} ranked no paper 1, and gave ranks beyond the number of papers, as "
            "points are; they are read as ranks, the lowest as the best"
        )
    return found


def refuse_mixed_comparisons(
    entries: Entries, kept: Mask, ballots: Ballots, rank: Int32Array, problems: RowProblems
) -> None:
    """Complain about graders whose ranks begin anew, as 1, 2, 1, 2: several ballots without a column ballot."""
    if entries.scored or entries.ballot is not None or entries.label is not None or not len(rank):
        return
    mixed = np.flatnonzero(begins_anew(ballots.of, rank, len(ballots.grader)))
    if not len(mixed):
        return
    entry = np.flatnonzero(kept)
    first = ballots.of == mixed[0]
    who = shown(entries.grader[int(entry[first][0])])
    begin = ", ".join(map(str, rank[first][:4].tolist()))
    more = f", and {len(mixed) - 1:,} more have such ranks" if len(mixed) > 1 else ""
    cause = f"{who} has the ranks {begin} ..., as if several ballots were one{more}"
    cure = "tell ballots apart by a column ballot; where these are ties, write the same ballot in all rows of a grader"
    problems.refuse(entry[np.isin(ballots.of, mixed)], "rank", cause, cure)


def begins_anew(of: Int32Array, rank: Int32Array, n_ballots: int) -> Mask:
    """Return which ballots have, in the order of the file, the ranks 1 to m and again 1 to m, twice or more."""
    times = np.maximum(np.bincount(of[rank == 1], minlength=n_ballots), 1)
    if times.max(initial=1) == 1:
        return times > 1
    sizes = np.bincount(of, minlength=n_ballots)
    found: Mask = (times > 1) & (sizes > times) & (sizes % times == 0)
    at = np.flatnonzero(found[of])
    at = at[np.argsort(of[at], kind="stable")]
    many = sizes[found]
    position = np.arange(len(at)) - np.repeat(np.cumsum(many) - many, many)
    wrong = rank[at] != position % (sizes // times)[of[at]] + 1
    found[of[at[wrong]]] = False
    return found


def _by_ballot(entries: Entries, at: IntArray | Sequence[int]) -> list[IntArray]:
    """The entries of each ballot, of some entries; in the order of the file."""
    at = np.asarray(at, np.int64)
    key = entries.grader.codes[at].astype(np.int64)
    if entries.ballot is not None:
        key = key * max(len(entries.ballot.words), 1) + entries.ballot.codes[at]
    order = np.argsort(key, kind="stable")
    ends = np.flatnonzero(np.diff(key[order])) + 1
    return [part for part in np.split(at[order], ends) if len(part)]
