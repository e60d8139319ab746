"""The worker: does what is queued, and what is due by the clock."""

import logging
import math
import secrets
import threading
import time
from collections.abc import Callable

from django.db import close_old_connections, connections
from django_tasks_db.management.commands.db_worker import Worker

from peerorder.web.jobs import services

__all__ = ["CLOCK", "Clock", "at_every_tick", "work"]

TICK = 5.0
logger = logging.getLogger("peerorder.worker")

CLOCK: list[Callable[[], object]] = [services.sweep, services.tidy]
"""What is done at every tick; each takes no harm from being done twice, or at once by several workers."""


def at_every_tick(call: Callable[[], object]) -> Callable[[], object]:
    """Put a function on the clock; it lives in the module ``background`` of its app."""
    CLOCK.append(call)
    return call


class Clock(threading.Thread):
    """Says that its worker is alive, and does what is due."""

    def __init__(self, worker: str, tick: float | None = None) -> None:
        super().__init__(name="clock", daemon=True)
        self._worker = worker
        self._tick = TICK if tick is None else tick
        self._last = -math.inf
        self._stopped = threading.Event()

    def run(self) -> None:
        """Until the worker stops."""
        while not self._stopped.is_set():
            for call in CLOCK:
                self._beat()
                self._do(call)
            self._stopped.wait(self._tick)
        connections.close_all()

    def _beat(self) -> None:
        """At most once a tick, but between things that take long too: the worker is alive all the while."""
        now = time.monotonic()
        if now - self._last >= 0.9 * self._tick:
            self._last = now
            self._do(lambda: services.beat(self._worker))

    def _do(self, call: Callable[[], object]) -> None:
        close_old_connections()
        try:
            call()
        except Exception:
            logger.exception("the clock could not do something; it tries again")
        close_old_connections()

    def stop(self) -> None:
        """After what it is doing."""
        self._stopped.set()


def work(*, name: str | None = None, interval: float = 0.5, signals: bool = True) -> None:
    """Work until told to stop by a signal, which the work in hand may finish."""
    name = name or secrets.token_hex(16)
    # The first sign comes before any work: who has given none is dead.
    services.beat(name)
    clock = Clock(name)
    worker = Worker(
        queue_names=["*"],
        interval=interval,
        batch=False,
        backend_name="default",
        startup_delay=False,
        max_tasks=None,
        worker_id=name,
        excluded_queue_names=[],
    )
    if signals:
        worker.configure_signals()
    clock.start()
    try:
        worker.run()
    finally:
        clock.stop()
        clock.join(timeout=TICK)
        services.bury(name)
