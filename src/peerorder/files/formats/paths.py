"""Paths as people give them: text, or anything path-like."""

from collections.abc import Callable, Sequence
from functools import wraps
from os import PathLike
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

__all__ = ["AnyPath", "as_path", "as_paths", "takes_path"]

AnyPath = str | PathLike[str]

P = ParamSpec("P")
R = TypeVar("R")


def takes_path(read: Callable[Concatenate[Path, P], R]) -> Callable[Concatenate[AnyPath, P], R]:
    """Let a reader take its first parameter, a path, as text or as anything path-like."""

    @wraps(read)
    def reader(path: AnyPath, *args: Any, **options: Any) -> R:
        return read(Path(path), *args, **options)

    return cast("Callable[Concatenate[AnyPath, P], R]", reader)


def as_path(path: AnyPath | None) -> Path | None:
    """Return a path, or None for none."""
    return None if path is None else Path(path)


def as_paths(paths: AnyPath | Sequence[AnyPath] | None) -> tuple[Path, ...]:
    """Return several paths, or one, or none."""
    if paths is None:
        return ()
    return (Path(paths),) if isinstance(paths, (str, PathLike)) else tuple(map(Path, paths))
