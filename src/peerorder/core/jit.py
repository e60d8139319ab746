"""The one place that compiles: ``@kernel`` is numba's ``njit``, cached on disk, without the GIL.

Kernels are plain loops over arrays; each has a slow, obviously right twin in the tests. Randomness
comes in as a ``numpy.random.Generator``, so a kernel draws from the same stream as the rest. Division by zero
gives infinity as in NumPy; checking every divisor would keep loops from being compiled to vectors.

A process for which ``sys.modules["numba"]`` is None does without: kernels stay plain Python there. Loading the compiler
takes longer than reading a small file, and the sandbox of the web app has no place for what it compiles.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

COMPILES = sys.modules.get("numba", True) is not None

if COMPILES:
    import numba
    from llvmlite import ir
    from numba.core import cgutils, types
    from numba.extending import intrinsic

__all__ = ["COMPILES", "is_compiled", "kernel", "prefetch"]


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a loop over arrays at its first call; later processes load it from the disk."""
    if not COMPILES:
        return function
    compiled: Callable[..., Any]
    try:
        compiled = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    except RuntimeError:
        # Neither the installation nor the home directory can be written to: compile anew in every process.
        compiled = numba.njit(nogil=True, error_model="numpy")(function)
    return compiled


def _prefetch(_context, array, index):  # type: ignore[no-untyped-def]
    """Ask for the cache line of ``array[index]``, which the kernel will soon write to, without waiting for it."""

    def generate(context, builder, sign, arguments):  # type: ignore[no-untyped-def]
        begin = context.make_array(sign.args[0])(context, builder, arguments[0]).data
        index = context.cast(builder, arguments[1], sign.args[1], types.intp)
        line = builder.bitcast(builder.gep(begin, [index]), cgutils.voidptr_t)
        word = ir.IntType(32)
        form = ir.FunctionType(ir.VoidType(), [line.type, word, word, word])
        ask = builder.module.declare_intrinsic("llvm.prefetch", (line.type,), form)
        # To write to, to be kept in all caches, and data.
        builder.call(ask, [line, *(ir.Constant(word, value) for value in (1, 3, 1))])
        return context.get_dummy_value()

    return types.none(array, index), generate


prefetch: Callable[..., None] = intrinsic(_prefetch) if COMPILES else lambda _array, _index: None


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
