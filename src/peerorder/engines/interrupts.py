"""Ctrl-C reaches every process of a terminal; workers leave it to the process that started them."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker

__all__ = ["held_back"]


@contextmanager
def held_back() -> Iterator[None]:
    """No Ctrl-C in here: threads and processes started in here never see one, not even while they load modules."""
    if not hasattr(signal, "pthread_sigmask"):  # pragma: no cover -- Windows
        yield
        return
    # The first process that is started brings this one along, which then would let interrupts through.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
