"""A deadline rush on PostgreSQL: a class saves and hands in its rankings within two minutes, beside a bare view."""

from collections.abc import Iterator

from benchmarks.timing import Line

__all__ = ["lines"]


def lines(repeat: int) -> Iterator[Line]:
    # Loaded here, because it needs the web app, which other benchmarks do without.
    from benchmarks.rush import contest

    return contest.lines(repeat)
