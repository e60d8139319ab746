"""The worker: runs the jobs of all queues, and the periodic functions."""

import logging
import math
import secrets
import signal
import threading
import time
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue
from types import FrameType

from django.db import close_old_connections, connections

from peerorder.web.hooks import Hook
from peerorder.web.jobs import services
from peerorder.web.jobs.models import Job
from peerorder.web.jobs.registry import QUEUES

TICK = 5.0
# How long to wait after an error, which is most likely a database that does not answer.
PAUSE = 5.0
logger = logging.getLogger("peerorder.worker")

periodic: Hook[Callable[[], object]] = Hook([services.sweep, services.purge])
"""Functions to call at every tick, registered in the modules ``background``; several workers may call one at once."""


class Scheduler(threading.Thread):
    """Sends the heartbeats of a worker, and calls the periodic functions."""

    def __init__(self, worker: str) -> None:
        super().__init__(name="scheduler", daemon=True)
        self._heartbeat = partial(services.heartbeat, worker)
        self._stopped = threading.Event()

    def run(self) -> None:
        """Tick until stopped."""
        last = -math.inf
        while not self._stopped.is_set():
            for function in periodic:
                # One heartbeat a tick is enough, unless the functions take long.
                if time.monotonic() - last >= 0.9 * TICK:
                    last = time.monotonic()
                    self._call(self._heartbeat)
                self._call(function)
            self._stopped.wait(TICK)
        connections.close_all()

    def _call(self, function: Callable[[], object]) -> None:
        close_old_connections()
        try:
            if not self._stopped.is_set():
                function()
        except Exception:
            logger.exception("a periodic function failed; it is called again at the next tick")

    def stop(self) -> None:
        """Stop after the function in hand, and wait for it a while."""
        self._stopped.set()
        self.join(timeout=TICK)


class Worker:
    """Runs one job of each queue at a time, in a thread for each queue."""

    def __init__(self, name: str, interval: float) -> None:
        self._name, self._interval = name, interval
        self._in_hand: dict[str, Job | None] = dict.fromkeys(QUEUES)
        self._interrupted: set[str] = set()
        self._claiming = threading.Lock()
        self._stopped = threading.Event()
        self._threads = [
            threading.Thread(target=self._run_queue, args=(queue,), name=queue, daemon=True) for queue in QUEUES
        ]

    def start(self) -> None:
        """Start to claim jobs."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Claim no more jobs, and wait for those in hand."""
        self._stopped.set()
        for thread in self._threads:
            thread.join()

    def _run_queue(self, queue: str) -> None:
        while not self._stopped.is_set():
            try:
                close_old_connections()
                pause = 0.0 if self._run_next(queue) else self._interval
            except Exception:
                logger.exception("the queue %r is interrupted; it goes on in a moment", queue)
                pause = PAUSE
            self._stopped.wait(pause)
        connections.close_all()

    def _run_next(self, queue: str) -> bool:
        """Run the next job of a queue; return whether there was one."""
        if queue in self._interrupted:
            services.put_back_lost(self._name, queue)
            self._in_hand[queue] = None
        # Until this has come to its end: the database may go at any moment.
        self._interrupted.add(queue)
        with self._claiming:
            others = [job for job in self._in_hand.values() if job is not None]
            if not any(map(services.is_suspect, others)):
                self._in_hand[queue] = services.claim(self._name, queue, alone=not others)
        job = self._in_hand[queue]
        if job is not None:
            services.run(job)
        self._in_hand[queue] = None
        self._interrupted.discard(queue)
        return job is not None


def work(*, name: str | None = None, interval: float = 0.5, signals: bool = True) -> None:
    """Work until a signal comes, then finish the jobs in hand."""
    name = name or secrets.token_hex(16)
    told: SimpleQueue[int] = SimpleQueue()

    def tell(number: int, _frame: FrameType | None) -> None:
        # Nothing else here may wait for a lock: the main thread may hold it.
        told.put(number)
        # Somebody who presses Ctrl-C again does not want to wait.
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    if signals:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, tell)
    # The first heartbeat comes before any work: a worker without one is dead.
    services.heartbeat(name)
    connections.close_all()
    worker, scheduler = Worker(name, interval), Scheduler(name)
    scheduler.start()
    worker.start()
    try:
        told.get()
    finally:
        # Heartbeats go on until the last job is finished.
        worker.stop()
        scheduler.stop()
        services.forget_worker(name)
