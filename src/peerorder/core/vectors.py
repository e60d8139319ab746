"""Vectors in kernels: what is done to ``LANES`` numbers at once.

The compiler unrolls loops of a known length before it tries to vectorise them, and does not vectorise what is left
unless it can tell that no two arrays overlap. So these few are written in LLVM's intermediate representation;
processors with shorter vectors take several. Each has its meaning in Python above it.
"""

import math
from collections.abc import Callable, Iterable
from typing import Any

from peerorder.core.jit import Intrinsic

__all__ = ["LANES", "add_beyond", "divide_by", "exponentiate", "multiply_by_sum", "pick_each"]

LANES = 16
LOG_2 = math.log(2)
# An exponent is cut off here, and e^x is (1 + about x / 2^10)^(2^10).
FARTHEST = 25.0
SQUARINGS = 10


class _Vectors:
    """Vectors of ``LANES`` numbers in LLVM's intermediate representation."""

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
        return self.builder.shuffle_vector(
            first, nothing, self.ir.Constant(self.ir.VectorType(word, LANES), [0] * LANES)
        )


def _intrinsic(generate: Callable[..., None], *kinds: str) -> Callable[[], Any]:
    """Return what makes numba's side of a function.

    ``kinds`` says what its arguments are: an array, a number like those of the first array, or an integer type.
    """

    def make() -> Any:
        from numba.core import types
        from numba.extending import intrinsic

        def signature(*given: Any) -> Any:
            def build(context, builder, sign, arguments):  # type: ignore[no-untyped-def]
                generate(_Vectors(context, builder), builder, sign, arguments)
                return context.get_dummy_value()

            other = {"number": given[0].dtype, "int32": types.int32, "intp": types.intp}
            each = (array if kind == "array" else other[kind] for array, kind in zip(given, kinds, strict=True))
            return types.none(*each), build

        # Numba asks for as many names as there are arguments.
        typed: dict[int, Callable[..., Any]] = {
            2: lambda _context, a, b: signature(a, b),
            3: lambda _context, a, b, c: signature(a, b, c),
            5: lambda _context, a, b, c, d, e: signature(a, b, c, d, e),
        }
        return intrinsic(typed[len(kinds)])

    return make


def _add_beyond(sums: Any, value: Any, bound: Any, base: Any, step: Any) -> None:
    """Add ``value`` to the ``LANES`` numbers of ``sums``, from the first j for which base + j * step >= bound."""
    for j in range(LANES):
        if base + j * step >= bound:
            sums[j] += value


def _generate_add_beyond(v, builder, sign, arguments):  # type: ignore[no-untyped-def]
    sums = v.lanes_of(sign.args[0], arguments[0], 0)
    value, bound, base, step = (v.splat(each) for each in arguments[1:])
    at = builder.add(base, builder.mul(step, v.constant(base.type, range(LANES))))
    beyond = builder.icmp_signed(">=", at, bound)
    added = builder.select(beyond, value, v.constant(value.type, [0.0] * LANES))
    v.store(builder.fadd(v.load(sums), added), sums)


add_beyond = Intrinsic(_add_beyond, _intrinsic(_generate_add_beyond, "array", "number", "int32", "int32", "int32"))


def _multiply_by_sum(products: Any, terms: Any, value: Any) -> None:
    """Multiply the ``LANES`` numbers of ``products`` by terms + value."""
    for j in range(LANES):
        products[j] *= terms[j] + value


def _generate_multiply_by_sum(v, builder, sign, arguments):  # type: ignore[no-untyped-def]
    products, terms = (v.lanes_of(sign.args[at], arguments[at], 0) for at in range(2))
    factor = builder.fadd(v.load(terms), v.splat(arguments[2]))
    v.store(builder.fmul(v.load(products), factor), products)


multiply_by_sum = Intrinsic(_multiply_by_sum, _intrinsic(_generate_multiply_by_sum, "array", "array", "number"))


def _pick_each(chances: Any, strengths: Any, level: Any) -> None:
    """Go one stage on in ``LANES`` products of chances to be picked, for a paper of these ``strengths[level]``.

    The rows of ``chances`` are the sums of strengths so far, the product of these, and that of the strengths.
    """
    for j in range(LANES):
        chances[0, j] += strengths[level, j]
        chances[1, j] *= chances[0, j]
        chances[2, j] *= strengths[level, j]


def _generate_pick_each(v, builder, sign, arguments):  # type: ignore[no-untyped-def]
    sums, left, picked = (v.lanes_of(sign.args[0], arguments[0], row) for row in range(3))
    own = v.load(v.lanes_of(sign.args[1], arguments[1], arguments[2]))
    own = builder.fpext(own, v.load(sums).type)
    total = builder.fadd(v.load(sums), own)
    v.store(total, sums)
    v.store(builder.fmul(v.load(left), total), left)
    v.store(builder.fmul(v.load(picked), own), picked)


pick_each = Intrinsic(_pick_each, _intrinsic(_generate_pick_each, "array", "array", "intp"))


def _divide_by(chances: Any, stages: Any, logs: Any) -> None:
    """Divide the ``LANES`` numbers of ``chances`` by ``stages``, add the logarithms of powers of two to ``logs``.

    So products of any length neither overflow nor vanish: what stays in ``chances`` is between 1 and 2. ``stages``
    become 1.
    """
    for j in range(LANES):
        half, power = math.frexp(chances[j] / stages[j])
        chances[j] = 2 * half
        logs[j] += LOG_2 * (power - 1)
        stages[j] = 1.0


def _generate_divide_by(v, builder, sign, arguments):  # type: ignore[no-untyped-def]
    chances, stages, logs = (v.lanes_of(sign.args[at], arguments[at], 0) for at in range(3))
    ratio = builder.fdiv(v.load(chances), v.load(stages))
    # The bits of a positive number: 11 of the exponent, which is 1023 for a number from 1 to 2, and 52 of the fraction.
    words = v.ir.VectorType(v.ir.IntType(64), LANES)
    bits = builder.bitcast(ratio, words)
    fraction, exponent_of_1, shift = (v.constant(words, [n] * LANES) for n in (2**52 - 1, 1023 << 52, 52))
    v.store(builder.bitcast(builder.or_(builder.and_(bits, fraction), exponent_of_1), ratio.type), chances)
    short = v.ir.VectorType(v.ir.IntType(32), LANES)
    power = builder.sub(builder.trunc(builder.lshr(bits, shift), short), v.constant(short, [1023] * LANES))
    old = v.load(logs)
    added = builder.fmul(builder.sitofp(power, old.type), v.constant(old.type, [LOG_2] * LANES))
    v.store(builder.fadd(old, added), logs)
    v.store(v.constant(ratio.type, [1.0] * LANES), stages)


divide_by = Intrinsic(_divide_by, _intrinsic(_generate_divide_by, "array", "array", "array"))


def _exponentiate(points: Any, top: Any) -> None:
    """Set the ``LANES`` numbers of ``points`` to e^(points - top) to three thousandths, within e^-25 and e^25.

    (1 + y)^1024 is e^(1024 (y - y^2/2 + ...)), so y = x/1024 + (x/1024)^2/2 is right up to the cube.
    """
    for j in range(LANES):
        y = min(max(points[j] - top, -FARTHEST), FARTHEST) / 2**SQUARINGS
        points[j] = (1 + y + y * y / 2) ** 2**SQUARINGS


def _generate_exponentiate(v, builder, sign, arguments):  # type: ignore[no-untyped-def]
    points = v.lanes_of(sign.args[0], arguments[0], 0)
    far = builder.fsub(v.load(points), v.splat(arguments[1]))
    numbers = (-FARTHEST, FARTHEST, 0.5**SQUARINGS, 0.5, 1.0)
    least, most, part, half, one = (v.constant(far.type, [number] * LANES) for number in numbers)
    y = builder.fmul(v.clip(far, least, most), part)
    power = builder.fadd(builder.fadd(one, y), builder.fmul(builder.fmul(y, y), half))
    for _ in range(SQUARINGS):
        power = builder.fmul(power, power)
    v.store(power, points)


exponentiate = Intrinsic(_exponentiate, _intrinsic(_generate_exponentiate, "array", "number"))
