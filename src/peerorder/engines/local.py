"""The engine ``local``: processes on the cores of this machine, or this process alone."""

import multiprocessing
import signal
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from threading import RLock
from typing import Any, TypeVar

from peerorder.core.cores import cores
from peerorder.core.errors import InputError
from peerorder.core.translation import gettext as _
from peerorder.engines import interrupts
from peerorder.engines.engine import Engine, EngineEntry, WorkerLost

__all__ = ["LOCAL", "LocalProcesses", "SameProcess", "check_workers", "open_local"]

R = TypeVar("R")


def check_workers(workers: int | None) -> int:
    """Return the number of workers, by default one for each core; raise InputError if it is below 1."""
    if workers is None:
        return cores()
    if workers < 1:
        raise InputError(_("the number of workers is {workers}; it must be at least 1").format(workers=workers))
    return workers


class SameProcess(Engine):
    """Run every task at once, in this process."""

    name = "local"
    workers = 1

    def submit(self, function: Callable[..., R], *arguments: Any) -> "Future[R]":
        """Run a task; its future is done already. An interrupt is raised here."""
        future: Future[R] = Future()
        try:
            future.set_result(function(*arguments))
        except Exception as error:
            future.set_exception(error)
        return future

    def close(self) -> None:
        """Do nothing: nothing was started."""


class LocalProcesses(Engine):
    """Run tasks in processes of this machine, each started when it is first needed.

    Every process is a pool of its own and gets one task at a time. Then the death of a process is the
    failure of one task, and the others never notice; a larger pool fails as a whole.
    """

    name = "local"

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._idle: list[ProcessPoolExecutor | None] = [None] * workers
        self._pools: set[ProcessPoolExecutor] = set()
        self._waiting: deque[tuple[Future[Any], Callable[..., Any], tuple[Any, ...]]] = deque()
        # Entered again where a task is done before its callback is set.
        self._lock = RLock()

    def submit(self, function: Callable[..., R], *arguments: Any) -> "Future[R]":
        """Run a task as soon as a process is idle."""
        future: Future[R] = Future()
        with self._lock:
            self._waiting.append((future, function, arguments))
            self._start_waiting()
        return future

    def close(self) -> None:
        """End all processes, each after the task that it runs now; drop the tasks that wait."""
        with self._lock:
            while self._waiting:
                self._waiting.popleft()[0].cancel()
            pools, self._pools = self._pools, set()
        for pool in pools:
            pool.shutdown(wait=True)

    def _start_waiting(self) -> None:
        while self._idle and self._waiting:
            future, function, arguments = self._waiting.popleft()
            if future.set_running_or_notify_cancel():
                pool = self._idle.pop() or self._new_pool()
                try:
                    with interrupts.held_back():
                        running = pool.submit(function, *arguments)
                except BrokenProcessPool:
                    # The process died while it was idle.
                    self._replace(pool)
                    future.set_exception(WorkerLost())
                else:
                    running.add_done_callback(partial(self._done, pool, future))

    def _new_pool(self) -> ProcessPoolExecutor:
        # A fresh process, not a fork: forking a process that has threads is not safe.
        context = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(1, context, initializer=_leave_interrupts_to_the_parent)
        self._pools.add(pool)
        return pool

    def _replace(self, pool: ProcessPoolExecutor) -> None:
        # A broken pool has ended its process.
        self._pools.discard(pool)
        self._idle.append(None)

    def _done(self, pool: ProcessPoolExecutor, future: "Future[Any]", running: "Future[Any]") -> None:
        error = running.exception()
        lost = isinstance(error, BrokenProcessPool)
        with self._lock:
            if lost:
                self._replace(pool)
            else:
                self._idle.append(pool)
            self._start_waiting()
        if error is not None:
            future.set_exception(WorkerLost() if lost else error)
        else:
            future.set_result(running.result())


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def open_local(workers: int | None, scheduler: str | None) -> Engine:
    """Return processes of this machine; for one worker, this process."""
    if scheduler is not None:
        raise InputError(_("`scheduler` is the address of a Dask cluster; add `engine` dask"))
    count = check_workers(workers)
    return SameProcess() if count == 1 else LocalProcesses(count)


LOCAL = EngineEntry(name="local", summary="Processes on this machine", citation="", open=open_local)
