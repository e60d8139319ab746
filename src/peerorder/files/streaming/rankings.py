"""``StreamedRankings``: rankings in files that are never in memory together, for rules that merge them by sums."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from peerorder.core.arrays import AnyIntArray, FloatArray, IntArray, freeze
from peerorder.core.errors import InputError
from peerorder.core.partitions import Reduction
from peerorder.core.scratch import load_arrays, save_arrays
from peerorder.core.translation import gettext as _
from peerorder.engines.engine import Engine
from peerorder.engines.reduction import reduce_partitions
from peerorder.engines.workspace import open_workspace
from peerorder.files.formats.problems import FileError, shown
from peerorder.files.rounds import as_input, numbered
from peerorder.files.streaming.ballots import HEARD, PAPER
from peerorder.files.streaming.identifiers import Identifiers, find_identifiers, plain_ids
from peerorder.files.streaming.sources import Stretch, open_sources, partitions_of
from peerorder.files.streaming.survey import KeptPartition, RowPartition, Survey, Surveyed, kept_parts, split_grader
from peerorder.files.tables.ranks import DoubtfulRanks
from peerorder.rounds.round import Input
from peerorder.rules.borda import unpack

__all__ = ["SharedFile", "StreamedRankings", "stream_rankings"]

Progress = Callable[[int, int | None], None]
# What a pass holds of an entry, and of every paper or grader, at most.
BYTES_AN_ENTRY, BYTES_AN_ID = 48, 48


@dataclass(frozen=True)
class SharedFile:
    """An array in a file that every process reads."""

    path: Path

    def load(self) -> FloatArray:
        """Return the array; not read-only, because kernels were compiled for arrays that are not."""
        array: FloatArray = load_arrays(self.path)[0]
        return array


@dataclass(frozen=True, eq=False)
class StreamedRankings:
    """Rankings after a first pass; see ``core.partitions`` for what rules do with them."""

    engine: Engine
    folder: Path
    """For what goes from pass to pass; all workers reach it."""
    identifiers: Identifiers
    surveyed: Surveyed
    partitions: Sequence[RowPartition]
    inputs: dict[str, Input]
    progress: Progress
    _shares: Iterator[int] = field(default_factory=count, repr=False)
    _passes: Iterator[int] = field(default_factory=lambda: count(1), repr=False)

    @cached_property
    def paper_numbers(self) -> IntArray:
        """The numbers of those ids that are papers."""
        return np.flatnonzero((self.surveyed.rankings > 0) | (self.surveyed.seen & PAPER > 0))

    def _of_papers(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return what belongs to papers from values for all ids."""
        return values if self.n_papers == self.identifiers.size else values[self.paper_numbers]

    @property
    def n_papers(self) -> int:
        """The number of papers, including those that were listed and never ranked."""
        return len(self.paper_numbers)

    @cached_property
    def n_graders(self) -> int:
        """The number of graders who rank something."""
        return int(np.count_nonzero(self.surveyed.seen & HEARD))

    def paper_ids(self, papers: IntArray) -> Any:
        """Return the ids of these papers, as an arrow array."""
        return self.identifiers.ids(papers if self.n_papers == self.identifiers.size else self.paper_numbers[papers])

    def graders(self) -> tuple[Any, IntArray]:
        """Return graders who rank something, in the order of the partitions: ids, and numbers of ballots."""
        numbers, ballots = zip(*(partition.graders() for partition in self.kept), strict=True)
        return self.identifiers.ids(np.concatenate(numbers).astype(np.int64)), np.concatenate(ballots)

    @cached_property
    def rankings(self) -> AnyIntArray:
        """The number of ballots that rank each paper."""
        return freeze(self._of_papers(self.surveyed.rankings))

    @cached_property
    def borda_sums(self) -> IntArray:
        """For every paper 2 wins + ties, and the number of comparisons."""
        return freeze(unpack(self._of_papers(self.surveyed.words)))

    @cached_property
    def kept(self) -> list[KeptPartition]:
        """The ballots without the rows that they were in, kept by a second pass."""
        survey = Survey(self.identifiers, self.folder)
        again = reduce_partitions(self.engine, survey, self.partitions, self.folder, self.progress)
        if any((one != two).any() for one, two in zip(self.surveyed, again, strict=True)):
            raise InputError(_("the rankings changed while they were read; leave them until the command is done"))
        numbers = None
        if self.n_papers < self.identifiers.size:
            # Ids of graders alone are not among the papers of any ballot.
            numbers = self.folder / "papers.numbers"
            of_id = np.zeros(self.identifiers.size, np.int32)
            of_id[self.paper_numbers] = np.arange(self.n_papers, dtype=np.int32)
            save_arrays(numbers, (of_id,))
        parts = enumerate(kept_parts(self.folder))
        return [KeptPartition(index, paths, self.n_papers, numbers) for index, paths in parts]

    def reduce(self, reduction: Reduction) -> Any:
        """Add up over all ballots."""
        result = reduce_partitions(self.engine, reduction, self.kept, self.folder)
        self.progress(next(self._passes), None)
        return result

    def share(self, name: str, array: FloatArray) -> SharedFile:
        """Write an array for all workers; it replaces the one of that name."""
        # Under a new name, because a worker that was thought to be lost may still be reading the old one.
        for old in self.folder.glob(f"{name}-*.shared"):
            old.unlink()
        shared = SharedFile(self.folder / f"{name}-{next(self._shares)}.shared")
        save_arrays(shared.path, (array,))
        return shared


@contextmanager
def stream_rankings(
    engine: Engine,
    paths: Sequence[Path],
    folder: Path,
    progress: Progress = lambda done, total: None,  # noqa: ARG005
) -> Iterator[StreamedRankings]:
    """Read rankings once, and check every row.

    ``folder`` is where all workers can write; what is written there is removed at the end.
    """
    sources = open_sources(paths)
    stretches = partitions_of(sources)
    with open_workspace(engine, folder) as workspace, ThreadPoolExecutor(1) as hashing:
        inputs = {role: hashing.submit(as_input, path) for role, path in numbered("rankings", paths).items()}
        scratch = workspace.folder
        identifiers = find_identifiers(engine, sources, stretches, scratch)
        _check_memory(engine, stretches, identifiers)
        rows = [RowPartition(index, some) for index, some in enumerate(stretches)]
        surveyed = reduce_partitions(engine, Survey(identifiers), rows, scratch, progress)
        _check(surveyed, paths[0], stretches, identifiers)
        known = {role: each.result() for role, each in inputs.items()}
        yield StreamedRankings(engine, scratch, identifiers, surveyed, rows, known, progress)


def _check_memory(engine: Engine, partitions: Sequence[Sequence[Stretch]], identifiers: Identifiers) -> None:
    """Raise InputError if a partition needs more memory than a worker may use."""
    limit = engine.memory_limit
    rows = max((sum(stretch.rows for stretch in some) for some in partitions), default=0)
    needed = identifiers.size * BYTES_AN_ID + rows * BYTES_AN_ENTRY
    if limit is not None and needed > limit:
        text = _("a partition needs {needed:.1f} GB, but a worker may use {limit:.1f} GB; give workers more memory")
        raise InputError(text.format(needed=needed / 1e9, limit=limit / 1e9))


def _check(surveyed: Surveyed, path: Path, partitions: Sequence[Sequence[Stretch]], identifiers: Identifiers) -> None:
    _rows, ballots, several, doubtful, highest, split = surveyed.totals.tolist()
    if split >= 0:
        raise _locate(identifiers.ids(np.array([split]))[0], partitions)
    if not ballots:
        raise InputError(_("{file}: no paper found; write one row for every paper that was ranked").format(file=path))
    if not several:
        text = _("{file}: no grader ranks two papers, so nothing can be compared; collect rankings of two or more")
        raise InputError(text.format(file=path))
    DoubtfulRanks(several, doubtful, highest).raise_if_most(path)


def _locate(grader: Any, partitions: Sequence[Sequence[Stretch]]) -> FileError:
    """Return the error for a grader who is in two partitions, with the second place."""
    places = []
    for stretch in (each for some in partitions for each in some):
        for row, batch in stretch.batches(("grader",)):
            same = pc.equal(plain_ids(batch.column("grader")), grader)
            if pc.any(same).as_py():
                places.append((stretch.source, row + int(np.argmax(same.to_numpy(zero_copy_only=False)))))
    source, row = places[-1]
    return split_grader(shown(str(grader.as_py())), source, row)
