"""The one place that compiles: ``@kernel`` is numba's ``njit``, cached on disk, without the GIL.

Kernels are plain loops over arrays; each has a slow, obviously right twin in the tests. Randomness
comes in as a ``numpy.random.Generator``, so a kernel draws from the same stream as the rest.
"""

from collections.abc import Callable
from typing import Any

import numba

__all__ = ["kernel"]


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a loop over arrays at its first call; later processes load it from the disk."""
    compiled: Callable[..., Any]
    try:
        compiled = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:
        # Neither the installation nor the home directory can be written to: compile anew in every process.
        compiled = numba.njit(nogil=True)(function)
    return compiled
