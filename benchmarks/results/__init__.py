"""A class of 10,000 in the web app: the job of its result beside ``peerorder grade``, and the pages of the result."""

from collections.abc import Iterator

from benchmarks.timing import Line

__all__ = ["lines"]


def lines(repeat: int) -> Iterator[Line]:
    # Loaded here, because it needs the web app, which other benchmarks do without.
    from benchmarks.results import contest

    return contest.lines(repeat)
