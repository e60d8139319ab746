"""How many cores there are: one answer for processes and threads alike."""

import os

__all__ = ["cores"]


def cores() -> int:
    """The cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
