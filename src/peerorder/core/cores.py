"""The number of cores: one answer for processes and threads."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["cores", "limit_cores"]

_MOST: ContextVar[int | None] = ContextVar("most_cores", default=None)


def cores() -> int:
    """Return the number of cores that this process may use."""
    here = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(here, _MOST.get() or here)


@contextmanager
def limit_cores(most: int) -> Iterator[None]:
    """Use at most this many cores in here, where other processes work beside this one."""
    token = _MOST.set(most)
    try:
        yield
    finally:
        _MOST.reset(token)
