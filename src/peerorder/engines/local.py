"""Many independent tasks on the cores of this machine, results as they come."""

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import TypeVar

from peerorder.core.cores import cores
from peerorder.core.errors import InputError, PartlyDone
from peerorder.core.translation import gettext as _

__all__ = ["default_workers", "run_tasks"]

T = TypeVar("T")
R = TypeVar("R")

# Enough waiting tasks to keep every worker busy, few enough that an interrupt has little to cancel.
WAITING_A_WORKER = 4


def default_workers() -> int:
    """As many as there are cores."""
    return cores()


def run_tasks(function: Callable[[T], R], tasks: Sequence[T], workers: int | None = None) -> Iterator[tuple[T, R]]:
    """Pairs of task and result, in the order in which they are done.

    With one worker everything runs in this process. ``function`` must be importable by name. Closing
    the iterator, or an interrupt while waiting on it, drops what has not begun.
    """
    if workers is None:
        workers = default_workers()
    if workers < 1:
        raise InputError(_("the number of workers is {workers}; it must be at least 1").format(workers=workers))
    if workers == 1 or len(tasks) < 2:
        for task in tasks:
            yield task, function(task)
        return
    # Fresh processes, not forks: forking a process that has threads is not safe.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(min(workers, len(tasks)), context, initializer=_leave_interrupts_to_the_parent)
    try:
        todo = iter(tasks)
        running: dict[Future[R], T] = {}
        while True:
            for task in todo:
                with _interrupts_held_back():
                    running[pool.submit(function, task)] = task
                if len(running) >= WAITING_A_WORKER * workers:
                    break
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                yield running.pop(future), future.result()
    except BrokenProcessPool:
        raise PartlyDone(_("a worker process was killed, perhaps for want of memory; try fewer `workers`")) from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """No Ctrl-C in here: a process started in here never sees one, not even while it still loads its modules."""
    if not hasattr(signal, "pthread_sigmask"):  # pragma: no cover -- Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
