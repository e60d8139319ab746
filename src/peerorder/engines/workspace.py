"""``Workspace``: an engine, and a folder that all of its workers reach for what is too large for a task."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from peerorder.engines.engine import Engine, map_tasks

__all__ = ["Workspace", "open_workspace"]

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True)
class Workspace:
    """The workers of a rule; see ``core.workers``."""

    engine: Engine
    folder: Path

    def run(self, function: Callable[[T], R], tasks: Sequence[T]) -> list[R]:
        """Run tasks, and return their results in order."""
        results = dict(map_tasks(self.engine, function, tasks))
        return [results[task] for task in tasks]


@contextmanager
def open_workspace(engine: Engine, beside: Path) -> Iterator[Workspace]:
    """Make a folder inside another one, and remove it at the end."""
    # Workers elsewhere are in other folders of their own.
    with TemporaryDirectory(dir=beside.absolute(), prefix=".peerorder-") as name:
        yield Workspace(engine, Path(name))
