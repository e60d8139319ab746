"""One hostile student with 16 connections, and what everybody else notices of it, behind nginx as documented."""

from collections.abc import Iterator

from benchmarks.timing import Line

__all__ = ["lines"]


def lines(repeat: int) -> Iterator[Line]:
    # Loaded here, because it needs the web app, which other benchmarks do without.
    from benchmarks.hostile import contest

    return contest.lines(repeat)
