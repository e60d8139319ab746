"""The first pass over rankings larger than memory: all checks, Borda's sums, and ballots kept for further passes."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from peerorder.core.arrays import Int32Array, IntArray
from peerorder.core.partitions import Arrays
from peerorder.core.profile import Profile
from peerorder.core.scratch import load_arrays, save_arrays
from peerorder.core.translation import gettext as _
from peerorder.files.formats.problems import FileError, Problem, shown
from peerorder.files.streaming import sources
from peerorder.files.streaming.ballots import (
    GRADER,
    OWN_PAPER,
    REPEATED_PAPER,
    SPLIT_BALLOT,
    SPLIT_GRADER,
    make_ballots,
)
from peerorder.files.streaming.identifiers import ID_COLUMNS, Identifiers, plain_ids
from peerorder.files.streaming.sources import BALLOT, Source, Stretch
from peerorder.rules.borda import add_ballots

__all__ = ["KeptPartition", "RowPartition", "Rows", "Survey", "Surveyed", "kept_parts", "split_grader"]

NOTHING = np.zeros(0, np.int64)
# About, of a row among kept ballots.
BYTES_KEPT = 5
# No class is as large.
HIGHEST = 2**31 - 1


class Rows(NamedTuple):
    """Rows of whole graders."""

    source: Source
    before: int
    """The rows before these in the file."""
    columns: Any
    name: str
    """Another one for every batch."""


@dataclass(frozen=True)
class RowPartition:
    """Some of the rows, as the files have them."""

    number: int
    stretches: tuple[Stretch, ...]

    def __str__(self) -> str:
        return ", ".join(map(str, self.stretches))

    def batches(self) -> Iterator[Rows]:
        """Yield the rows in batches."""
        count = 0
        for stretch in self.stretches:
            for before, columns in stretch.batches():
                yield Rows(stretch.source, before, columns, f"{self.number}-{count}")
                count += 1


@dataclass(frozen=True)
class KeptPartition:
    """Some of the ballots, as the first pass kept them."""

    number: int
    paths: tuple[Path, ...]
    n_papers: int
    paper_numbers: Path | None = None
    """The number of the paper of every id, where some ids are of graders alone."""

    def __str__(self) -> str:
        return f"partition {self.number}"

    def batches(self) -> Iterator[Profile]:
        """Yield all of its ballots as one profile; graders are numbered in it from 0."""
        parts = [load_arrays(path) for path in self.paths]
        papers, sizes, owner = (np.concatenate([part[index] for part in parts]) for index in (0, 1, 3))
        levels = None
        if any(len(part[2]) for part in parts):
            levels = np.concatenate([part[2] if len(part[2]) else _positions(part[1]) for part in parts])
        if self.paper_numbers is not None:
            papers = load_arrays(self.paper_numbers)[0][papers]
        start = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
        grader = np.cumsum(np.diff(owner, prepend=owner[:1]) != 0).astype(np.int32)
        yield Profile.checked(papers, start, self.n_papers, grader, levels)

    def graders(self) -> tuple[Int32Array, IntArray]:
        """Return the number of the id of every grader, in the order of the profile, and how many ballots each has."""
        owners: Int32Array = np.concatenate([np.zeros(0, np.int32), *(load_arrays(path)[3] for path in self.paths)])
        begins = np.flatnonzero(np.append(True, owners[1:] != owners[:-1])[: len(owners)])
        return owners[begins], np.diff(begins, append=len(owners))


def kept_parts(folder: Path) -> list[tuple[Path, ...]]:
    """Return the files of ballots in partitions, which depend on the ballots alone and are about equal."""
    paths = sorted(folder.glob("*.ballots"), key=lambda path: [*map(int, path.stem.split("-"))])
    sizes = np.cumsum([path.stat().st_size for path in paths])
    most = max(1, round(sizes[-1] / (sources.PARTITION * BYTES_KEPT / sources.BYTES_A_ROW)))
    part = (sizes - 1) * most // sizes[-1]
    return [tuple(paths[index] for index in np.flatnonzero(part == number)) for number in np.unique(part)]


class Surveyed(NamedTuple):
    """What the first pass finds, as arrays over all ids."""

    words: IntArray
    """Borda's sums, as ``rules.borda`` packs them."""
    rankings: Int32Array
    """The ballots that rank each paper."""
    seen: NDArray[np.uint8]
    """What each id stands for: a grader, or a paper that somebody listed without a rank."""
    totals: IntArray
    """Rows, ballots, ballots of several papers, doubtful ones, the highest rank, a grader in two places or -1."""


@dataclass(frozen=True)
class Survey:
    """The reduction of the first pass; ``keep`` is the folder for ballots, where further passes need them."""

    identifiers: Identifiers
    keep: Path | None = None

    def start(self) -> Surveyed:
        """Return arrays for nothing read yet."""
        size = self.identifiers.size
        nothing = np.zeros(size, np.int64), np.zeros(size, np.int32), np.zeros(size, np.uint8)
        return Surveyed(*nothing, np.array([0, 0, 0, 0, 0, -1]))

    def add(self, state: Surveyed, batch: Rows) -> Surveyed:
        """Check a batch of rows, and add what its ballots say."""
        columns = batch.columns
        grader, paper = (self._numbers(batch, name) for name in ID_COLUMNS)
        rank = _ranks(batch)
        ballot = NOTHING
        if BALLOT in columns.schema.names:
            ballot = columns.column(BALLOT).dictionary_encode().indices.fill_null(-1).cast(pa.int64()).to_numpy()
        rows = len(grader)
        papers, levels, owner = (np.empty(rows, np.int32) for _ in range(3))
        start, doubts = np.empty(rows + 1, np.int64), np.zeros(3, np.int64)
        ballots, ties, problem, row = make_ballots(
            grader, ballot, paper, rank, state.seen, papers, levels, start, owner, doubts
        )
        if problem:
            raise self._error(problem, batch, row)
        start = start[: ballots + 1]
        papers, levels, owner = papers[: start[-1]], levels[: start[-1]], owner[:ballots]
        add_ballots(papers, start, levels, ties, state.words, state.rankings)
        state.totals[:4] += rows, ballots, *doubts[:2]
        state.totals[4] = max(state.totals[4], doubts[2])
        if self.keep is not None:
            # In ballots without ties, levels are positions.
            kept = levels if ties else np.zeros(0, np.int32)
            save_arrays(self.keep / f"{batch.name}.ballots", (papers, np.diff(start).astype(np.int32), kept, owner))
        return state

    def merge(self, state: Arrays, other: Arrays) -> Surveyed:
        """Add two parts; a grader who is in both is remembered."""
        one, two = Surveyed(*state), Surveyed(*other)
        both = one.seen & two.seen & GRADER
        if both.any():
            one.totals[5] = int(np.argmax(both))
        one.totals[:4] += two.totals[:4]
        one.totals[4:] = np.maximum(one.totals[4:], two.totals[4:])
        np.add(one.words, two.words, out=one.words)
        np.add(one.rankings, two.rankings, out=one.rankings)
        np.bitwise_or(one.seen, two.seen, out=one.seen)
        return one

    def finish(self, state: Arrays) -> Surveyed:
        """Return the arrays by their names."""
        return Surveyed(*state)

    def _numbers(self, batch: Rows, name: str) -> IntArray:
        column = plain_ids(batch.columns.column(name))
        empty = column.is_null() if pa.types.is_integer(column.type) else pc.equal(column, "").fill_null(True)
        if (column.null_count or not pa.types.is_integer(column.type)) and pc.any(empty).as_py():
            row = int(np.argmax(empty.to_numpy(zero_copy_only=False)))
            raise _problem(batch, row, name, _("this cell is empty"), _("write the ID, or delete the row"))
        numbers = self.identifiers.numbers(column)
        # Kernels trust what they are given.
        if len(numbers) and (numbers.min() < 0 or numbers.max() >= self.identifiers.size):
            row = int(np.argmax((numbers < 0) | (numbers >= self.identifiers.size)))
            cause = _("this ID is not within the limits that the file declares, or the file has changed since")
            raise _problem(batch, row, name, cause, _("write the file again, and leave it until the command is done"))
        return numbers

    def _error(self, problem: int, batch: Rows, row: int) -> FileError:
        grader, paper = (shown(str(batch.columns.column(name)[row].as_py())) for name in ID_COLUMNS)
        if problem == OWN_PAPER:
            cause = _("{grader} ranks {paper}, which is their own paper").format(grader=grader, paper=paper)
            return _problem(batch, row, "paper", cause, _("delete it, because nobody ranks their own paper"))
        if problem == REPEATED_PAPER:
            cause = _("{grader} has already ranked {paper}").format(grader=grader, paper=paper)
            cure = _('delete one of the rows, or, if these are two ballots, add a column "ballot"')
            return _problem(batch, row, "paper", cause, cure)
        if problem == SPLIT_BALLOT:
            cause = _("the rows of a ballot by {grader} are not next to each other").format(grader=grader)
            return _problem(batch, row, BALLOT, cause, _("sort the rows by grader and ballot"))
        assert problem == SPLIT_GRADER
        return split_grader(grader, batch.source, batch.before + row)


def split_grader(grader: str, source: Source, row: int) -> FileError:
    """Return the error for a grader whose rows are in two places; this is the second one."""
    cause = _("there are rows by {grader} elsewhere, too").format(grader=grader)
    cure = _("sort the rows by grader, so that those of one grader are next to each other and in one file")
    return FileError([Problem(source.path, source.header + row + 1, "grader", cause, cure)])


def _positions(sizes: Int32Array) -> Int32Array:
    """Return the position of every paper on its ballot."""
    ends = np.cumsum(sizes)
    return (np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - sizes, sizes)).astype(np.int32)


def _problem(batch: Rows, row: int, column: str, cause: str, cure: str) -> FileError:
    return FileError([Problem(batch.source.path, batch.source.header + batch.before + row + 1, column, cause, cure)])


def _ranks(batch: Rows) -> IntArray:
    """Return ranks, 0 where a paper was not judged."""
    column = batch.columns.column("rank")
    if pa.types.is_floating(column.type):
        # A column of whole numbers with gaps, as data frames write it.
        column = column.cast(pa.float64())
        column = pc.if_else(pc.is_nan(column), None, column)
    wrong = pc.or_(pc.less(column, 1), pc.greater(column, HIGHEST))
    if pa.types.is_floating(column.type):
        wrong = pc.or_(wrong, pc.not_equal(column, pc.floor(column)))
    if pc.any(wrong).as_py():
        row = int(np.argmax(wrong.fill_null(False).to_numpy(zero_copy_only=False)))
        cause = _("{rank} is not a rank").format(rank=column[row].as_py())
        raise _problem(batch, row, "rank", cause, _("write 1 for the best, and nothing if the paper was not judged"))
    ranks: IntArray = column.fill_null(0).cast(pa.int64()).to_numpy(zero_copy_only=False)
    return ranks
