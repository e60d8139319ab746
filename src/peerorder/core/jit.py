"""The one place that compiles: ``@kernel`` is numba's ``njit``, cached on disk, without the GIL.

Kernels are plain loops over arrays; each has a slow, obviously right twin in the tests. Randomness
comes in as a ``numpy.random.Generator``, so a kernel draws from the same stream as the rest. Division by zero
gives infinity as in NumPy; checking every divisor would keep loops from being compiled to vectors.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba

__all__ = ["is_compiled", "kernel"]


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a loop over arrays at its first call; later processes load it from the disk."""
    compiled: Callable[..., Any]
    try:
        compiled = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    except RuntimeError:
        # Neither the installation nor the home directory can be written to: compile anew in every process.
        compiled = numba.njit(nogil=True, error_model="numpy")(function)
    return compiled


def is_compiled(function: Callable[..., Any]) -> bool:
    """Whether a kernel has been compiled already: in this process, or by an earlier one that left it on the disk."""
    dispatcher: Any = function
    if dispatcher.signatures:
        return True
    source = Path(dispatcher.py_func.__code__.co_filename)
    folder = dispatcher.stats.cache_path
    kept = Path(folder).glob(f"*.{dispatcher.__name__}-*.nbi") if folder else ()
    # An index from before the last change of the source is out of date.
    return any(index.stat().st_mtime >= source.stat().st_mtime for index in kept)
