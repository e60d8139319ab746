"""Charts of reports and of the web app: SVG that fits every width, with classes that ``charts.css`` gives a look.

A drawing that is made smaller for a phone makes its words too small to read. Here only lines, dots and areas stretch,
in a drawing of their own, in thousandths of its width and height; the words around it are placed by percent.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from peerorder.reports.markup import Markup, element, joined

__all__ = [
    "Axis",
    "band",
    "bars",
    "chart",
    "count_axis",
    "dots",
    "line",
    "place_axis",
    "shares",
    "steps",
    "strip",
    "value_axis",
    "whiskers",
]

# The width and height of a drawing in units.
UNITS = 1000
TICKS = 6

Point = tuple[float, float]


@dataclass(frozen=True)
class Axis:
    """One side of a chart: its ends, which may be the wrong way round, its ticks and what it shows."""

    first: float
    last: float
    ticks: tuple[tuple[float, str], ...]
    title: str
    inside: bool = False
    """Whether the words of ticks at its ends stand between these, since they are long."""

    def share(self, value: float) -> float:
        """How far along a value is, from 0 to 1."""
        return (value - self.first) / (self.last - self.first)

    def unit(self, value: float) -> str:
        """The same in the units of a drawing."""
        return f"{UNITS * self.share(value):.1f}"

    def flipped(self) -> "Axis":
        """The same axis from its other end."""
        return Axis(self.last, self.first, self.ticks, self.title)


def place_axis(n: int, title: str) -> Axis:
    """Places from 1 to n, the best at the beginning."""
    step = _step(n / TICKS)
    inner = [place for place in range(step, n, step) if 1 + 0.35 * step < place < n - 0.35 * step]
    return Axis(0.5, n + 0.5, tuple((place, f"{place:,}") for place in sorted({1, *inner, n})), title)


def value_axis(low: float, high: float, title: str) -> Axis:
    """Numbers from low to high, widened to round ends."""
    step = _step(max(high - low, 1) / TICKS)
    first, last = math.floor(low / step), math.ceil(high / step)
    last += first == last
    return Axis(
        first * step, last * step, tuple((index * step, f"{index * step:,}") for index in range(first, last + 1)), title
    )


def count_axis(most: int, title: str) -> Axis:
    """How many there are, from none."""
    return value_axis(0, max(most, 1), title)


def _step(rough: float) -> int:
    """The next whole number of the form 1, 2 or 5 times a power of ten."""
    size: int = 10 ** max(math.floor(math.log10(max(rough, 1))), 0)
    return next(step * size for step in (1, 2, 5, 10) if step * size >= rough or step == 10)


def chart(label: str, across: Axis, up: Axis, *marks: Markup, caption: str, size: str = "") -> Markup:
    """A figure; ``label`` is what a screen reader says instead, ``size`` may be ``low``, ``short`` or ``thin``."""
    rules = "".join(f"M0 {_down(up, value)}H{UNITS}" for value, _ in up.ticks)
    drawing = element("svg", _path(rules, "grid"), *marks, viewBox=f"0 0 {UNITS} {UNITS}", preserveAspectRatio="none")
    words = [
        *(_word(text, across.share(value), 1, _side(across, value)) for value, text in across.ticks),
        *(_word(text, 0, 1 - up.share(value), "up") for value, text in up.ticks),
        _word(up.title, 0, 0, "up-title"),
        _word(across.title, 0.5, 1, "across-title"),
    ]
    plot = element("svg", drawing, *words, class_=f"plot {size}".rstrip(), role="img", aria_label=label)
    return element("figure", plot, element("figcaption", caption))


def _word(text: str, x: float, y: float, class_: str) -> Markup:
    return element("text", text, x=_percent(x), y=_percent(y), class_=class_) if text else joined()


def _side(axis: Axis, value: float) -> str:
    """Long words at the ends of an axis stay between them."""
    return {axis.first: "across begin", axis.last: "across end"}.get(value, "across") if axis.inside else "across"


def _percent(share: float) -> str:
    return f"{100 * share:.4g}%"


def dots(points: Iterable[Point], across: Axis, up: Axis, class_: str = "dots") -> Markup:
    """A dot each; a line without length has round ends, which stay round however the drawing is stretched."""
    return _path("".join(f"M{across.unit(x)} {_down(up, y)}h0" for x, y in points), class_)


def whiskers(intervals: Iterable[tuple[float, float, float]], across: Axis, up: Axis) -> Markup:
    """An upright line each, from low to high."""
    return _path("".join(f"M{across.unit(x)} {_down(up, a)}V{_down(up, b)}" for x, a, b in intervals), "whiskers")


def line(points: Sequence[Point], across: Axis, up: Axis) -> Markup:
    """One line through all points."""
    return _path("M" + "L".join(f"{across.unit(x)} {_down(up, y)}" for x, y in points), "curve")


def steps(points: Sequence[Point], across: Axis, up: Axis) -> Markup:
    """A line that keeps every height until the next point, and the last to the end."""
    result = "".join(f"H{across.unit(x)}V{_down(up, y)}" for x, y in points)
    return _path(f"M0 {_down(up, up.first)}{result}H{UNITS}", "curve")


def band(intervals: Sequence[tuple[float, float, float]], across: Axis, up: Axis, class_: str = "band") -> Markup:
    """The area between all low and all high ends."""
    there = [f"{across.unit(x)} {_down(up, a)}" for x, a, _ in intervals]
    back = [f"{across.unit(x)} {_down(up, b)}" for x, _, b in reversed(intervals)]
    return _path("M" + "L".join(there + back) + "Z", class_)


def bars(counts: Iterable[tuple[float, float, float]], across: Axis, up: Axis) -> Markup:
    """A bar each: from where, to where, how high."""
    base = _down(up, up.first)
    result = [
        f"M{across.unit(a)} {base}V{_down(up, height)}H{across.unit(b)}V{base}Z" for a, b, height in counts if height
    ]
    return _path("".join(result), "bars")


def strip(low: float, high: float, index: float) -> Markup:
    """An interval and a value as shares of a whole, for a cell of a table that has them in words."""
    return element(
        "svg",
        element("rect", class_="interval", x=_percent(low), width=_percent(high - low)),
        element("rect", class_="dot", x=_percent(index)),
        class_="strip",
        aria_hidden="true",
    )


def shares(parts: Iterable[tuple[str, int]]) -> Markup:
    """Parts of a whole side by side, of a class each; a list beside it says how many they are."""
    counts = [(class_, count) for class_, count in parts if count]
    total, x, result = sum(count for _, count in counts), 0, []
    for class_, count in counts:
        result.append(
            element("rect", class_=class_, x=_percent(x / total), width=_percent(count / total), height="100%")
        )
        x += count
    return element("svg", *result, class_="shares", aria_hidden="true")


def _down(axis: Axis, value: float) -> str:
    """Units from the top, since drawings count downwards."""
    return f"{UNITS - UNITS * axis.share(value):.1f}"


def _path(d: str, class_: str) -> Markup:
    return joined(element("path", d=d, class_=class_)) if d else joined()
