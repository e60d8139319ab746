"""Ctrl-C reaches every process of a terminal; workers leave it to the process that started them."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["held_back"]


@contextmanager
def held_back() -> Iterator[None]:
    """No Ctrl-C in here: threads and processes started in here never see one, not even while they load modules."""
    if not hasattr(signal, "pthread_sigmask"):  # pragma: no cover -- Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
