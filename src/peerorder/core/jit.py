"""The one place that compiles: ``@kernel`` is numba's ``njit``, cached on disk, without the GIL.

Kernels are plain loops over arrays; each has a slow, obviously right twin in the tests. Randomness
comes in as a ``numpy.random.Generator``, so a kernel draws from the same stream as the rest. Division by zero
gives infinity as in NumPy; checking every divisor would keep loops from being compiled to vectors.

Importing numba takes longer than most commands need, so it is imported when a kernel is first called.
"""

import hashlib
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, cached_property, partial, update_wrapper
from numbers import Number
from pathlib import Path
from typing import Any

__all__ = [
    "Intrinsic",
    "cache_folder",
    "is_compiled",
    "is_loaded",
    "kernel",
    "prefetch",
    "processor",
    "subroutine",
    "uncompiled",
    "watch",
]

# Kernels and subroutines of all modules that were imported, in the order of their definition.
FUNCTIONS: list["Kernel"] = []
INTRINSICS: list["Intrinsic"] = []


class Kernel:
    """A function that numba compiles at its first call; all other attributes are those of numba's dispatcher.

    A kernel that calls another finds it among its globals as one of these, and numba takes ``_numba_type_`` for it.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.py_func = function
        update_wrapper(self, function)

    @cached_property
    def dispatcher(self) -> Any:
        """Numba's own function."""
        import numba

        _register_intrinsics()
        try:
            dispatcher: Any = numba.njit(cache=True, nogil=True, error_model="numpy")(self.py_func)
        except RuntimeError:
            # Neither the installation nor the home directory can be written to: compile anew in every process.
            return numba.njit(nogil=True, error_model="numpy")(self.py_func)
        # Another version of numba may lack what this needs; then it loads kernels in its own way.
        if hasattr(dispatcher._cache, "_load_overload"):
            dispatcher._cache.load_overload = partial(_load, dispatcher._cache)
        file: Any = getattr(dispatcher._cache, "_cache_file", None)
        if hasattr(file, "_source_stamp"):
            # Numba's own stamp is that of the kernel's file alone.
            file._source_stamp = (file._source_stamp, _digest(self))
        return dispatcher

    @property
    def _numba_type_(self) -> Any:
        return self.dispatcher._numba_type_

    def __call__(self, *arguments: Any) -> Any:
        return self.dispatcher(*arguments)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.dispatcher, name)

    def __reduce__(self) -> str:
        return self.py_func.__qualname__


def _parts(kernel: "Kernel") -> "list[Kernel | Intrinsic]":
    """Return all functions that are compiled into a kernel, itself first."""
    parts: dict[Kernel | Intrinsic, None] = {}
    todo: list[Kernel | Intrinsic] = [kernel]
    while todo:
        function = todo.pop()
        if function not in parts and isinstance(function, Kernel):
            called = map(function.py_func.__globals__.get, function.py_func.__code__.co_names)
            todo += [each for each in called if isinstance(each, Kernel | Intrinsic)]
        parts[function] = None
    return list(parts)


def _digest(kernel: "Kernel") -> str:
    """Return a digest of what a kernel is compiled from, apart from the types of its arguments.

    These are the files of its functions, their constants, which may be of other files, and the fields of the named
    tuples that their parameters are annotated with.
    """
    functions = [each.py_func if isinstance(each, Kernel) else each.function for each in _parts(kernel)]
    digest = hashlib.sha256()
    for file in sorted({Path(function.__code__.co_filename) for function in functions}):
        if file.is_file():
            digest.update(file.read_bytes())
    for function in functions:
        constants = {name: function.__globals__.get(name) for name in function.__code__.co_names}
        fields = {name: getattr(each, "_fields", None) for name, each in function.__annotations__.items()}
        values = [item for item in {**constants, **fields}.items() if isinstance(item[1], Number | tuple)]
        digest.update(repr(values).encode())
    return digest.hexdigest()


def _load(cache: Any, signature: Any, context: Any) -> Any:
    """Load a kernel from the disk as numba does, but without its compiler.

    That takes as long as importing numba, and imports half of SciPy. The compiler loads it
    when a kernel is not on the disk.
    """
    from numba.core.runtime.nrt import rtsys

    rtsys.initialize(context)
    with cache._guard_against_spurious_io_errors():
        return cache._load_overload(signature, context)


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a loop over arrays at its first call; later processes load it from the disk."""
    return _register(Kernel(function))


class Subroutine(Kernel):
    """A function that numba compiles into the kernels that call it; called from Python it is plain Python.

    A kernel that only kernels call would be compiled with entries from Python and from C, and kept on the disk, for
    nobody: that takes as long as compiling what it does.
    """

    @cached_property
    def dispatcher(self) -> Any:
        """Numba's own function, which cannot be called from Python."""
        import numba

        _register_intrinsics()
        return numba.njit(  # type: ignore[call-overload]
            nogil=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True
        )(self.py_func)

    def __call__(self, *arguments: Any) -> Any:
        return self.py_func(*arguments)


def subroutine(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function into the kernels that call it."""
    return _register(Subroutine(function))


def _register(function: Kernel) -> Kernel:
    FUNCTIONS.append(function)
    return function


class Intrinsic:
    """A function whose code in kernels is written by hand; called from Python it is plain Python."""

    def __init__(self, function: Callable[..., None], generate: Callable[[], Any]) -> None:
        self.function = function
        self.generate = cache(generate)
        update_wrapper(self, function)
        INTRINSICS.append(self)

    def __call__(self, *arguments: Any) -> None:
        """Do what it means, in Python."""
        self.function(*arguments)

    @property
    def _numba_type_(self) -> Any:
        from numba.core.registry import cpu_target

        return cpu_target.typing_context.resolve_value_type(self.generate())


def _register_intrinsics() -> None:
    """Let numba know all intrinsics, as it must before it compiles a kernel with them."""
    for each in INTRINSICS:
        each.generate()


def _prefetch(array: Any, index: Any) -> None:
    """Ask for the cache line of ``array[index]``, which the kernel will soon write to, without waiting for it."""


def _generate_prefetch() -> Any:
    from llvmlite import ir
    from numba.core import cgutils, types
    from numba.extending import intrinsic

    def typed(_context, array, index):  # type: ignore[no-untyped-def]
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

    return intrinsic(typed)


prefetch = Intrinsic(_prefetch, _generate_prefetch)


def is_loaded() -> bool:
    """Return whether numba has been imported, so that calling a kernel costs no import."""
    return "numba" in sys.modules


def is_compiled(function: Callable[..., Any]) -> bool:
    """Return whether a kernel has been compiled, in this process or by an earlier one that left it on the disk."""
    dispatcher: Any = function
    if dispatcher.signatures:
        return True
    if cache_folder(function) is None:
        return False
    # Numba's own index: empty for another source or another version, and with the processor in the keys.
    kept = dispatcher._cache._cache_file._load_index()
    processor = dispatcher.targetctx.codegen().magic_tuple()
    return any(key[1] == processor for key in kept)


@cache
def processor() -> str:
    """Return the name of this processor and its features, as compiled code depends on them."""
    from numba.core.registry import cpu_target

    _triple, name, features = cpu_target.target_context.codegen().magic_tuple()
    return f"{name} {hashlib.blake2b(features.encode(), digest_size=4).hexdigest()}"


def cache_folder(function: Callable[..., Any]) -> Path | None:
    """Return the folder in which a kernel is kept, None if no folder is writable."""
    dispatcher: Any = function
    folder = dispatcher.stats.cache_path
    return Path(folder) if folder else None


def uncompiled(modules: Sequence[str] | None = None) -> list[Kernel]:
    """Return the functions of these modules, or of all modules imported so far, that are not compiled yet."""
    kernels = [
        each
        for each in FUNCTIONS
        if not isinstance(each, Subroutine)
        and (str(each.__module__).startswith("peerorder.") if modules is None else each.__module__ in modules)
        and not is_compiled(each)
    ]
    parts = {part: None for each in kernels for part in _parts(each) if isinstance(part, Kernel)}
    return [part for part in parts if isinstance(part, Subroutine) or not is_compiled(part)]


@contextmanager
def watch(compiled: Callable[[Callable[..., Any]], None]) -> Iterator[None]:
    """Call ``compiled`` with every function that numba compiles meanwhile, in any thread."""
    from numba.core import event

    class Listener(event.Listener):
        def on_start(self, event: Any) -> None:
            pass

        def on_end(self, event: Any) -> None:
            compiled(event.data["dispatcher"].py_func)

    with event.install_listener("numba:compile", Listener()):
        yield
