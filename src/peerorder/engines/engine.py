"""``Engine``: where tasks run. And ``map_tasks``: many independent tasks on any engine, results as they come."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from typing import Any, ClassVar, Self, TypeVar

from peerorder.core.errors import PartlyDone
from peerorder.core.registry import Entry
from peerorder.core.text import shortlist
from peerorder.core.translation import ngettext

__all__ = ["Engine", "EngineEntry", "TasksGivenUp", "WorkerLost", "map_tasks"]

T = TypeVar("T")
R = TypeVar("R")

# Enough waiting tasks to keep every worker busy, few enough that an interrupt has little to cancel.
WAITING_A_WORKER = 4
# Tasks are sent together where every worker still gets this many batches, so that all end at about the same time.
BATCHES_A_WORKER = 16
# A task that kills its worker as often as this is reported; once may be somebody else's fault.
TRIES = 3
# More names than this are counted.
NAMED = 5


class WorkerLost(Exception):
    """The process that ran a task died; raised by the task's future."""


class TasksGivenUp(PartlyDone):
    """Some tasks killed their workers, as often as they were tried; all others are done."""


class Engine(ABC):
    """Workers that run tasks. A context manager: at its end, everything that it started has stopped."""

    name: str
    workers: int
    """How many tasks run at the same time."""
    tries: int = 1
    """How often a task has been tried once its future raises WorkerLost."""
    batch: int = 1
    """How many tasks are sent together at most, where there are many: for engines where sending one costs time."""
    memory_limit: int | None = None
    """How many bytes a worker may use; None where nothing is known."""

    @abstractmethod
    def submit(self, function: Callable[..., R], *arguments: Any) -> "Future[R]":
        """Run a task: a function that is importable by name, and small arguments that can be pickled.

        A task may run twice, so it must not change anything but its result.
        """

    @abstractmethod
    def close(self) -> None:
        """Stop everything that this engine started; drop what has not begun."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass(frozen=True, kw_only=True, repr=False)
class EngineEntry(Entry):
    """An engine by its name; other packages add theirs by the entry point group ``peerorder.engines``."""

    function: ClassVar[str] = "open"

    open: Callable[[int | None, str | None], Engine]
    """Called with the number of workers and the address of a scheduler, None for either that was not given."""


def run_batch(function: Callable[[T], R], tasks: Sequence[T]) -> list[R]:
    """Run some tasks one after the other."""
    return [function(task) for task in tasks]


def map_tasks(engine: Engine, function: Callable[[T], R], tasks: Sequence[T]) -> Iterator[tuple[T, R]]:
    """Yield pairs of task and result, in the order in which they are done.

    Closing the iterator, or an interrupt while waiting on it, drops what has not begun. A task that kills its
    worker does not stop the others.

    Raises
    ------
    TasksGivenUp
        After everything else was yielded, if tasks killed their worker three times.
    """
    suspects: list[T] = []
    running: dict[Future[list[R]], Sequence[T]] = {}
    size = max(1, min(engine.batch, len(tasks) // (BATCHES_A_WORKER * engine.workers)))
    todo = (tasks[begin : begin + size] for begin in range(0, len(tasks), size))
    try:
        while True:
            for batch in todo:
                future = engine.submit(run_batch, function, batch)
                running[future] = batch
                # What runs in this process is done at once, and must not wait for others.
                if future.done() or len(running) >= WAITING_A_WORKER * engine.workers:
                    break
            if not running:
                break
            done = wait(running, return_when=FIRST_COMPLETED).done
            while done:
                future = done.pop()
                batch = running.pop(future)
                try:
                    results = future.result()
                except WorkerLost:
                    suspects.extend(batch)
                    continue
                del future  # a cluster keeps a result for as long as its future exists
                yield from zip(batch, results, strict=True)
        failed = []
        for task in suspects:
            # Alone, so that it is clear which task kills: a worker may die with more than one task.
            tries = min(engine.tries, TRIES - 1)
            while tries < TRIES:
                future = engine.submit(run_batch, function, [task])
                running[future] = [task]
                try:
                    results = future.result()
                except WorkerLost:
                    tries += engine.tries
                else:
                    yield task, results[0]
                    break
                finally:
                    del running[future], future
            else:
                failed.append(str(task))
    finally:
        for future in running:
            future.cancel()
    if failed:
        text = ngettext(
            "{count:,} task killed its worker {tries} times, perhaps for want of memory (try fewer `workers`), and was "
            "given up: {tasks}",
            "{count:,} tasks killed their workers {tries} times each, perhaps for want of memory (try fewer "
            "`workers`), and were given up: {tasks}",
            len(failed),
        )
        raise TasksGivenUp(text.format(count=len(failed), tries=TRIES, tasks=shortlist(failed, NAMED)))
