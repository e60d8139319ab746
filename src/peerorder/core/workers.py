"""``Workers``: processes that share the work of a rule, here or on other machines."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

__all__ = ["Workers"]

T = TypeVar("T")
R = TypeVar("R")


class Workers(Protocol):
    """Processes that run tasks; what is large goes through files in a folder that every one reaches."""

    @property
    def folder(self) -> Path:
        """A folder for what is large, removed at the end."""
        ...

    def run(self, function: Callable[[T], R], tasks: Sequence[T]) -> list[R]:
        """Run tasks, each of which may run twice, and return their results in order."""
        ...
