"""Ranks as people write them, and numbers that are not ranks.

A cell of the column rank may say 1, 1.0, 1st or first; n/a and - mean that the paper was not judged. Letters, points
and several comparisons in one ballot are reported with the cure, in one line per ballot.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from peerorder.core.arrays import Int32Array, IntArray
from peerorder.core.text import shortlist
from peerorder.core.translation import gettext as _, message, ngettext, translate
from peerorder.files.formats.problems import FileError, Problem, shown
from peerorder.files.formats.sheets import where
from peerorder.files.tables.ballots import Ballots
from peerorder.files.tables.entries import Entries, Mask
from peerorder.files.tables.ordinals import ordinal
from peerorder.files.tables.row_problems import RowProblems

__all__ = ["NO_DOUBT", "DoubtfulRanks", "read_ranks", "refuse_mixed_comparisons", "refuse_points"]

NAMED = 6
# If the best rank on a ballot is higher, and more than twice the number of papers, it is not a rank.
LEAST_POINTS = 10
# 3 and 3.0, which spreadsheets make of it.
RANK = re.compile(r"\+?0*(\d{1,9})([.,]0*)?", re.ASCII)
SCORE = re.compile(r"([+-]?\d{1,15}(?:[.,]\d{1,15})?)\s*%?", re.ASCII)
NOT_JUDGED = ("", "not judged")
# What others write for the same.
NOTHING = ("n/a", "na", "-", "\u2013", "\u2014", "none", "null", "nan")
POINTS_CURE = message(
    "if these are points, where more is better, name the column score; if ranks, write 1 for the best"
)


@dataclass(frozen=True)
class DoubtfulRanks:
    """The number of ballots whose ranks may be points: no paper is first, or a rank exceeds the number of papers."""

    ballots: int = 0
    """The number of ballots with several papers."""
    doubtful: int = 0
    highest: int = 0
    """The highest rank on any ballot."""

    def __add__(self, other: "DoubtfulRanks") -> "DoubtfulRanks":
        """Add those of two files."""
        highest = max(self.highest, other.highest)
        return DoubtfulRanks(self.ballots + other.ballots, self.doubtful + other.doubtful, highest)

    def raise_if_most(self, path: Path) -> None:
        """Raise FileError if most ballots, and more than two, are doubtful."""
        if self.doubtful <= max(2, self.ballots / 2):
            return
        cause = _(
            "ranks go up to {highest:,}, and {doubtful:,} of {ballots:,} ballots have no rank 1, or a "
            "rank larger than the number of their papers"
        ).format(highest=self.highest, doubtful=self.doubtful, ballots=self.ballots)
        raise FileError([Problem(path, None, "rank", cause, translate(POINTS_CURE))])


NO_DOUBT = DoubtfulRanks()


def read_ranks(entries: Entries, problems: RowProblems) -> Int32Array:
    """Return the rank of every entry, 0 where the paper was not judged; report texts that are not ranks."""
    column = entries.rank
    if entries.scored:
        values, wrong = _scores(column.texts)
        _refuse_texts(entries, wrong, _not_scores, problems)
        return values[column.codes]
    # Each different text once: a rank in digits, one in words, or nothing.
    lower = [text.lower() for text in column.texts]
    digits = np.array([int(match[1]) if (match := RANK.fullmatch(text)) else -1 for text in lower], np.int64)
    words = np.array([0 if RANK.fullmatch(text) else ordinal(text) or 0 for text in lower], np.int64)
    silent = np.array([text in NOT_JUDGED or text in NOTHING for text in lower], bool)
    _refuse_texts(entries, (digits < 0) & (words == 0) & ~silent, _not_ranks, problems)
    understood = [
        _("{text} as {meaning}").format(text=shown(text), meaning=word or _("not judged"))
        for text, word in zip(column.texts, words.tolist(), strict=True)
        if word or text.lower() in NOTHING
    ]
    if understood:
        problems.notes.append(
            _("{file}, column rank: read {texts}").format(file=problems.path, texts=shortlist(understood, NAMED))
        )
    shift = _from_zero(entries, (digits == 0)[column.codes], problems) if (digits == 0).any() else 0
    return np.where(digits >= 0, digits + shift, words).astype(np.int32)[column.codes]


def _scores(texts: Sequence[str]) -> tuple[Int32Array, Mask]:
    """Return scores as ranks, ties included and 0 where there is none, and which texts are not numbers.

    Only the order on a ballot counts, so scores may be ranked among those of all ballots.
    """
    matches = [SCORE.fullmatch(text) for text in texts]
    empty = [text.lower() in NOT_JUDGED or text.lower() in NOTHING for text in texts]
    numbers = np.array([float(match[1].replace(",", ".")) if match else np.nan for match in matches])
    known = ~np.isnan(numbers)
    ranks = np.zeros(len(texts), np.int32)
    ranks[known] = 1 + np.unique(-numbers[known], return_inverse=True)[1]
    return ranks, ~known & ~np.array(empty, bool)


def _not_scores(texts: Sequence[str]) -> tuple[str, str, str]:
    """Return the column, the cause and the cure for texts that are not scores."""
    cause = ngettext("{texts} is not a number", "{texts} are not numbers", len(texts))
    cure = _("write points, where more is better, or leave the cell empty if the paper was not judged")
    return "score", cause.format(texts=shortlist(texts, NAMED)), cure


def _not_ranks(texts: Sequence[str]) -> tuple[str, str, str]:
    """Return the column, the cause and the cure for texts that are not ranks."""
    cause = ngettext("{texts} is not a rank", "{texts} are not ranks", len(texts))
    cure = _("write 1 for the best, 2 for the next and so on, or leave the cell empty if the paper was not judged")
    return "rank", cause.format(texts=shortlist(texts, NAMED)), cure


def _refuse_texts(
    entries: Entries, wrong: Mask, complaint: Callable[[Sequence[str]], tuple[str, str, str]], problems: RowProblems
) -> None:
    """Report texts that cannot be read, in one line per ballot."""
    if not wrong.any():
        return
    column = entries.rank
    for position in _by_ballot(entries, np.flatnonzero(wrong[column.codes])):
        texts = list(dict.fromkeys(column[index] for index in position.tolist()))
        problems.refuse(position, *complaint([*map(shown, texts)]))


def _from_zero(entries: Entries, zero: Mask, problems: RowProblems) -> int:
    """Return what to add to all ranks: 1 where every ballot counts from 0. Report ballots where only some do."""
    ballots = _by_ballot(entries, where(entries.said & problems.good))
    zeros = [int(zero[index].sum()) for index in ballots]
    if len(ballots) > 1 and all(count == 1 for count in zeros):
        problems.notes.append(
            _("{file}, column rank: every ballot counts from 0, so 0 is read as the best").format(file=problems.path)
        )
        return 1
    for index, count in zip(ballots, zeros, strict=True):
        if count:
            cause = _("this ballot counts from 0") if count == 1 else _("0 is not a rank")
            cure = _("add 1 to each rank, or leave the cell empty if 0 means not judged")
            problems.refuse(index[zero[index]], "rank", cause, cure)
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
    """Report ballots whose ranks look like points: all far larger than the number of papers.

    ``ballots`` and ``rank`` are those of the entries that are kept; ``by_rank`` are the ranks in the order of the
    ballots, in each from the best, after those that were not judged; ``listed`` is how many papers each lists, judged
    or not. Where the ranks of most ballots of a file may be points, FileError is raised. Notes name graders whose ranks
    may be points, and are read as ranks.
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
    result = DoubtfulRanks(int(several.sum()), int(doubtful.sum()), int(rank.max()))
    result.raise_if_most(problems.path)
    for ballot in np.flatnonzero(beyond).tolist():
        mine = ballots.of == ballot
        said = rank[mine & (rank > 0)]
        index = np.flatnonzero(kept)[mine]
        who = shown(entries.grader[int(index[0])])
        cause = ngettext(
            "the ranks of {grader} go from {lowest:,} to {highest:,} on a ballot of {count} paper",
            "the ranks of {grader} go from {lowest:,} to {highest:,} on a ballot of {count} papers",
            len(said),
        ).format(grader=who, lowest=said.min(), highest=said.max(), count=len(said))
        problems.refuse(index, "rank", cause, translate(POINTS_CURE))
    odd = np.flatnonzero(several & ~beyond & (best > 1) & (worst > listed)).tolist()
    if odd:
        graders = [entries.grader[int(np.flatnonzero(kept)[ballots.of == ballot][0])] for ballot in odd]
        names = shortlist([*map(shown, graders)], NAMED)
        problems.notes.append(
            _(
                "{file}, column rank: {graders} gave no paper rank 1, and ranks larger than the number of "
                "papers, as if they were points; they are read as ranks, the lowest as the best"
            ).format(file=problems.path, graders=names)
        )
    return result


def refuse_mixed_comparisons(
    entries: Entries, kept: Mask, ballots: Ballots, rank: Int32Array, problems: RowProblems
) -> None:
    """Report graders whose ranks start again, as 1, 2, 1, 2: several ballots without a column ballot."""
    if entries.scored or entries.ballot is not None or entries.label is not None or not len(rank):
        return
    mixed = np.flatnonzero(begins_anew(ballots.of, rank, len(ballots.grader)))
    if not len(mixed):
        return
    entry = np.flatnonzero(kept)
    first = ballots.of == mixed[0]
    who = shown(entries.grader[int(entry[first][0])])
    begin = ", ".join(map(str, rank[first][:4].tolist()))
    if len(mixed) == 1:
        cause = _("{grader} has the ranks {ranks} ..., as if several ballots were one")
    else:
        cause = _(
            "{grader} has the ranks {ranks} ..., as if several ballots were one, and {count:,} more have such ranks"
        )
    cause = cause.format(grader=who, ranks=begin, count=len(mixed) - 1)
    cure = _(
        'add a column "ballot" to distinguish them; if these are ties, write the same ballot in all rows of a grader'
    )
    problems.refuse(entry[np.isin(ballots.of, mixed)], "rank", cause, cure)


def begins_anew(of: Int32Array, rank: Int32Array, n_ballots: int) -> Mask:
    """Return which ballots have, in the order of the file, the ranks 1 to m and again 1 to m, twice or more."""
    times = np.maximum(np.bincount(of[rank == 1], minlength=n_ballots), 1)
    if times.max(initial=1) == 1:
        return times > 1
    sizes = np.bincount(of, minlength=n_ballots)
    result: Mask = (times > 1) & (sizes > times) & (sizes % times == 0)
    index = np.flatnonzero(result[of])
    index = index[np.argsort(of[index], kind="stable")]
    number = sizes[result]
    position = np.arange(len(index)) - np.repeat(np.cumsum(number) - number, number)
    wrong = rank[index] != position % (sizes // times)[of[index]] + 1
    result[of[index[wrong]]] = False
    return result


def _by_ballot(entries: Entries, index: IntArray | Sequence[int]) -> list[IntArray]:
    """Return some entries grouped by ballot, in the order of the file."""
    index = np.asarray(index, np.int64)
    key = entries.grader.codes[index].astype(np.int64)
    if entries.ballot is not None:
        key = key * max(len(entries.ballot.words), 1) + entries.ballot.codes[index]
    order = np.argsort(key, kind="stable")
    ends = np.flatnonzero(np.diff(key[order])) + 1
    return [part for part in np.split(index[order], ends) if len(part)]
