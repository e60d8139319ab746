"""The pictures of the monitor, as numbers for SVG; colours are the style sheet's."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from peerorder.web.monitor.student_state import State

WIDTH, HEIGHT = 600.0, 120.0


@dataclass(frozen=True)
class Bar:
    """A part of the bar of everybody."""

    state: str
    x: str
    width: str


@dataclass(frozen=True)
class Curve:
    """How many had handed in when."""

    points: str
    begin: datetime
    end: datetime
    done: int
    of: int


def bars(counts: Mapping[State, int]) -> list[Bar]:
    """Side by side, as wide as there are many."""
    total = sum(counts.values())
    found, x = [], 0.0
    for state, many in counts.items():
        width = WIDTH * many / total if total else 0.0
        if many:
            found.append(Bar(state, f"{x:.1f}", f"{width:.1f}"))
        x += width
    return found


def curve(finished: list[tuple[datetime, int]], of: int, now: datetime) -> Curve | None:
    """Steps from the first hour in which somebody handed in until now; None before there are two hours to compare."""
    if not finished or not of:
        return None
    # To the hour, so that the picture stays the same while nothing happens.
    hour_now = now.replace(minute=0, second=0, microsecond=0)
    begin, end = finished[0][0], max(hour_now, finished[-1][0]) + timedelta(hours=1)
    if end - begin <= timedelta(hours=1):
        return None
    span = (end - begin).total_seconds()
    points, y = [(0.0, HEIGHT)], HEIGHT
    for hour, many in finished:
        x = WIDTH * (hour - begin).total_seconds() / span
        points.append((x, y))
        y = HEIGHT - HEIGHT * min(many, of) / of
        points.append((x, y))
    points.append((WIDTH, y))
    return Curve(" ".join(f"{x:.1f},{y:.1f}" for x, y in points), begin, now, finished[-1][1], of)
