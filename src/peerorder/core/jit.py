"""The one place that compiles: ``@kernel`` is numba's ``njit``, cached on disk, without the GIL.

Kernels are plain loops over arrays; each has a slow, obviously right twin in the tests. Randomness
comes in as a ``numpy.random.Generator``, so a kernel draws from the same stream as the rest. Division by zero
gives infinity as in NumPy; checking every divisor would keep loops from being compiled to vectors.

Importing numba takes longer than most commands need, so it is imported when a kernel is first called.
"""

import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, cached_property, partial, update_wrapper
from pathlib import Path
from typing import Any

__all__ = [
    "LANES",
    "add_beyond",
    "cache_folder",
    "divide_by",
    "exponentiate",
    "is_compiled",
    "is_loaded",
    "kernel",
    "multiply_by_sum",
    "pick_each",
    "prefetch",
    "processor",
    "subroutine",
    "uncompiled",
    "watch",
]

# Kernels and subroutines of all modules that were imported, in the order of their definition.
FUNCTIONS: list["Kernel"] = []


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
    """Compile a function into the kernels of the same file that call it; numba's cache notices no other file."""
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
        self.function(*arguments)

    @property
    def _numba_type_(self) -> Any:
        from numba.core.registry import cpu_target

        return cpu_target.typing_context.resolve_value_type(self.generate())


INTRINSICS: list[Intrinsic] = []


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

# Vectors. Loops of a length that the compiler knows are unrolled before it looks for vectors, and it finds none in
# what is left unless it can tell that no two arrays overlap. So what is done to all lanes at once is written by hand;
# processors with shorter vectors take several.
LANES = 16


def _add_beyond(sums: Any, value: Any, bound: Any, base: Any, step: Any) -> None:
    """Add ``value`` to the ``LANES`` numbers of ``sums``, from the first j for which base + j * step >= bound."""
    for j in range(LANES):
        if base + j * step >= bound:
            sums[j] += value


def _generate_add_beyond() -> Any:
    from numba.core import types
    from numba.extending import intrinsic

    def typed(_context, sums, value, bound, base, step):  # type: ignore[no-untyped-def]
        def generate(context, builder, sign, arguments):  # type: ignore[no-untyped-def]
            v = _Vectors(context, builder)
            sums = v.lanes_of(sign.args[0], arguments[0], 0)
            value, bound, base, step = (v.splat(each) for each in arguments[1:])
            at = builder.add(base, builder.mul(step, v.constant(base.type, range(LANES))))
            beyond = builder.icmp_signed(">=", at, bound)
            added = builder.select(beyond, value, v.constant(value.type, [0.0] * LANES))
            v.store(builder.fadd(v.load(sums), added), sums)
            return context.get_dummy_value()

        return types.none(sums, sums.dtype, types.int32, types.int32, types.int32), generate

    return intrinsic(typed)


add_beyond = Intrinsic(_add_beyond, _generate_add_beyond)


def _multiply_by_sum(products: Any, terms: Any, value: Any) -> None:
    """Multiply the ``LANES`` numbers of ``products`` by terms + value."""
    for j in range(LANES):
        products[j] *= terms[j] + value


def _generate_multiply_by_sum() -> Any:
    from numba.core import types
    from numba.extending import intrinsic

    def typed(_context, products, terms, value):  # type: ignore[no-untyped-def]
        def generate(context, builder, sign, arguments):  # type: ignore[no-untyped-def]
            v = _Vectors(context, builder)
            products, terms = (v.lanes_of(sign.args[at], arguments[at], 0) for at in range(2))
            factor = builder.fadd(v.load(terms), v.splat(arguments[2]))
            v.store(builder.fmul(v.load(products), factor), products)
            return context.get_dummy_value()

        return types.none(products, terms, terms.dtype), generate

    return intrinsic(typed)


multiply_by_sum = Intrinsic(_multiply_by_sum, _generate_multiply_by_sum)


def _pick_each(chances: Any, strengths: Any, level: Any) -> None:
    """Go one stage on in ``LANES`` products of chances to be picked, for a paper of these ``strengths[level]``.

    The rows of ``chances`` are the sums of strengths so far, the product of these, and that of the strengths.
    """
    for j in range(LANES):
        chances[0, j] += strengths[level, j]
        chances[1, j] *= chances[0, j]
        chances[2, j] *= strengths[level, j]


def _generate_pick_each() -> Any:
    from numba.core import types
    from numba.extending import intrinsic

    def typed(_context, chances, strengths, level):  # type: ignore[no-untyped-def]
        def generate(context, builder, sign, arguments):  # type: ignore[no-untyped-def]
            v = _Vectors(context, builder)
            sums, left, picked = (v.lanes_of(sign.args[0], arguments[0], row) for row in range(3))
            own = v.load(v.lanes_of(sign.args[1], arguments[1], arguments[2]))
            own = builder.fpext(own, v.load(sums).type)
            total = builder.fadd(v.load(sums), own)
            v.store(total, sums)
            v.store(builder.fmul(v.load(left), total), left)
            v.store(builder.fmul(v.load(picked), own), picked)
            return context.get_dummy_value()

        return types.none(chances, strengths, types.intp), generate

    return intrinsic(typed)


pick_each = Intrinsic(_pick_each, _generate_pick_each)


def _divide_by(chances: Any, stages: Any, scale: Any, least: Any, most: Any) -> None:
    """Multiply the ``LANES`` numbers of ``chances`` by scale / stages, within bounds, and set ``stages`` to 1."""
    for j in range(LANES):
        chances[j] = min(max(chances[j] / stages[j] * scale, least), most)
        stages[j] = 1.0


def _generate_divide_by() -> Any:
    from numba.core import types
    from numba.extending import intrinsic

    def typed(_context, chances, stages, scale, least, most):  # type: ignore[no-untyped-def]
        def generate(context, builder, sign, arguments):  # type: ignore[no-untyped-def]
            v = _Vectors(context, builder)
            chances, stages = (v.lanes_of(sign.args[at], arguments[at], 0) for at in range(2))
            scale, least, most = (v.splat(each) for each in arguments[2:])
            ratio = builder.fmul(builder.fdiv(v.load(chances), v.load(stages)), scale)
            v.store(v.clip(ratio, least, most), chances)
            v.store(v.constant(ratio.type, [1.0] * LANES), stages)
            return context.get_dummy_value()

        return types.none(chances, stages, chances.dtype, chances.dtype, chances.dtype), generate

    return intrinsic(typed)


divide_by = Intrinsic(_divide_by, _generate_divide_by)


def _exponentiate(points: Any, middle: Any) -> None:
    """Set the ``LANES`` numbers of ``points`` to e^(points - middle) to three thousandths, within e^-25 and e^25.

    (1 + y)^1024 is e^(1024 (y - y^2/2 + ...)), so y = x/1024 + (x/1024)^2/2 is right up to the cube.
    """
    for j in range(LANES):
        y = min(max(points[j] - middle, -FARTHEST), FARTHEST) / 2**SQUARINGS
        points[j] = (1 + y + y * y / 2) ** 2**SQUARINGS


FARTHEST = 25.0
SQUARINGS = 10


def _generate_exponentiate() -> Any:
    from numba.core import types
    from numba.extending import intrinsic

    def typed(_context, points, middle):  # type: ignore[no-untyped-def]
        def generate(context, builder, sign, arguments):  # type: ignore[no-untyped-def]
            v = _Vectors(context, builder)
            points = v.lanes_of(sign.args[0], arguments[0], 0)
            far = builder.fsub(v.load(points), v.splat(arguments[1]))
            numbers = (-FARTHEST, FARTHEST, 0.5**SQUARINGS, 0.5, 1.0)
            least, most, part, half, one = (v.constant(far.type, [number] * LANES) for number in numbers)
            y = builder.fmul(v.clip(far, least, most), part)
            power = builder.fadd(builder.fadd(one, y), builder.fmul(builder.fmul(y, y), half))
            for _ in range(SQUARINGS):
                power = builder.fmul(power, power)
            v.store(power, points)
            return context.get_dummy_value()

        return types.none(points, points.dtype), generate

    return intrinsic(typed)


exponentiate = Intrinsic(_exponentiate, _generate_exponentiate)


class _Vectors:
    """Vectors of ``LANES`` numbers in LLVM's language."""

    def __init__(self, context: Any, builder: Any) -> None:
        from llvmlite import ir

        self.ir, self.context, self.builder = ir, context, builder

    def lanes_of(self, array_type: Any, array: Any, row: Any) -> Any:
        """Return the pointer to a row of an array whose rows have ``LANES`` numbers."""
        data = self.context.make_array(array_type)(self.context, self.builder, array).data
        word = self.ir.IntType(64)
        row = self.ir.Constant(word, row) if isinstance(row, int) else row
        begin = self.builder.gep(data, [self.builder.mul(row, self.ir.Constant(word, LANES))])
        return self.builder.bitcast(begin, self.ir.VectorType(data.type.pointee, LANES).as_pointer())

    def load(self, pointer: Any) -> Any:
        """Load all lanes; arrays are aligned for their numbers only."""
        return self.builder.load(pointer, align=4)

    def store(self, vector: Any, pointer: Any) -> None:
        """Store all lanes."""
        self.builder.store(vector, pointer, align=4)

    def clip(self, vector: Any, least: Any, most: Any) -> Any:
        """Return the numbers of a vector, or those of the bounds where they are beyond."""
        raised = self.builder.select(self.builder.fcmp_ordered(">", vector, least), vector, least)
        return self.builder.select(self.builder.fcmp_ordered("<", raised, most), raised, most)

    def constant(self, vector_type: Any, values: Iterable[float]) -> Any:
        """Return a vector of these numbers."""
        return self.ir.Constant(vector_type, list(values))

    def splat(self, scalar: Any) -> Any:
        """Return a vector of one number."""
        vector = self.ir.VectorType(scalar.type, LANES)
        nothing, word = self.ir.Constant(vector, self.ir.Undefined), self.ir.IntType(32)
        first = self.builder.insert_element(nothing, scalar, self.ir.Constant(word, 0))
        return self.builder.shuffle_vector(first, nothing, self.ir.Constant(self.ir.VectorType(word, LANES), [0] * LANES))


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
    candidates = [
        each
        for each in FUNCTIONS
        if (str(each.__module__).startswith("peerorder.") if modules is None else each.__module__ in modules)
    ]
    kernels = [each for each in candidates if not isinstance(each, Subroutine) and not is_compiled(each)]
    homes = {each.__module__ for each in kernels}
    return kernels + [each for each in candidates if isinstance(each, Subroutine) and each.__module__ in homes]


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
