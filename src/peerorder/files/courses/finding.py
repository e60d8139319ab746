"""Where courses are: a folder each, or rows of files with a column ``course``."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from peerorder.core.errors import InputError
from peerorder.core.text import shortlist
from peerorder.core.translation import gettext as _
from peerorder.files.courses.names import folder_names
from peerorder.files.formats.parts import Part, split_file
from peerorder.files.formats.problems import FileError, Problem, shown
from peerorder.files.tables.folders import TABLES, files_in
from peerorder.files.tables.merging import read_all

__all__ = ["Course", "courses_in_folders", "courses_in_rows", "is_of_folders", "tables_beside"]

# Tables by their names, alone or with a number, as handout-2.csv; every other table of a course has rankings.
NAMED = re.compile(r"(roster|handout|codes|anchors|overrides)(?:[-_ ]?\d+)?", re.IGNORECASE)
SEVERAL = ("handout", "anchors")
# A course without decisions of staff is nothing unusual; one without a roster, where others have one, is.
OPTIONAL = ("overrides",)


@dataclass(frozen=True)
class Course:
    """A course, and where its files are: a folder, or parts of files by their roles."""

    name: str
    folder: str
    """A safe name for the folder of its results."""
    size: int
    """How long it takes, roughly: the bytes of its files, or its rows."""
    source: Path | None = None
    parts: tuple[tuple[str, Part], ...] = ()
    missing: tuple[tuple[str, Path], ...] = ()
    """Files, with their roles, that have no row of this course."""

    def files(self) -> dict[str, Any]:
        """Return its files, as ``read_round`` takes them; raise InputError if some are missing, or too many."""
        if self.source is not None:
            return _files_by_name(self.source)
        for role, path in self.missing:
            if role not in OPTIONAL:
                cause = _("it has no row of the course {course}").format(course=self.name)
                raise FileError([Problem(path, None, "course", cause, _("add its rows, or correct its name"))])
        return _by_role((role, part.path) for role, part in self.parts)


def is_of_folders(paths: Sequence[Path]) -> bool:
    """Return whether these are folders with a folder for every course; otherwise they are files, or their folders."""
    return all(path.is_dir() and any(_folders(path)) for path in paths)


def courses_in_folders(paths: Iterable[Path], taken: Sequence[str] = ()) -> list[Course]:
    """Return the courses in these folders, one per folder inside; hidden ones are not read."""
    sources: dict[str, Path] = {}
    for path in paths:
        for folder in _folders(path):
            if folder.name in sources:
                text = _("{folder} and {other} are both the course {course}; rename one of the two")
                raise InputError(text.format(folder=folder, other=sources[folder.name], course=folder.name))
            sources[folder.name] = folder
    names = folder_names(sources, taken)
    return [Course(name, names[name], _bytes(source), source) for name, source in sources.items()]


def tables_beside(paths: Iterable[Path]) -> tuple[str, ...]:
    """Return a note for every one of these folders with tables beside the folders of its courses."""
    text = _("{folder}: not read: {names}; put each into the folder of its course")
    return tuple(
        text.format(folder=folder, names=shortlist([shown(each.name) for each in tables]))
        for folder in paths
        if (tables := [each for each in sorted(folder.iterdir()) if each.is_file() and each.suffix.lower() in TABLES])
    )


def courses_in_rows(
    files: Mapping[str, Sequence[Path]], store: Path, taken: Sequence[str] = ()
) -> tuple[list[Course], tuple[Problem, ...]]:
    """Return the courses in these files, by their roles, and problems of rows that are in no course.

    The rows are stored by course in the folder ``store``, which must exist as long as the courses are used.
    """
    roles = [(role, path) for role, paths in files.items() for path in (files_in(paths) if paths else ())]
    number = {path: index for index, (_, path) in enumerate(roles)}
    read = read_all([*number], lambda path: split_file(path, store / f"{number[path]}.arrow"))
    split = {path: parts for path, (parts, _) in zip(number, read, strict=True)}
    courses = [*dict.fromkeys(course for parts in split.values() for course in parts)]
    names = folder_names(courses, taken)
    result = []
    for course in courses:
        parts = tuple((role, split[path][course]) for role, path in roles if course in split[path])
        there = {role for role, _ in parts}
        missing = tuple((role, path) for role, path in roles if role not in there)
        result.append(Course(course, names[course], sum(part.length for _, part in parts), None, parts, missing))
    return result, tuple(problem for _, problems in read for problem in problems)


def _files_by_name(folder: Path) -> dict[str, Any]:
    tables = files_in([folder])
    roles = [((match[1].lower() if (match := NAMED.fullmatch(path.stem)) else "rankings"), path) for path in tables]
    if all(role != "rankings" for role, _ in roles):
        cause = _("this folder contains no rankings, only {files}").format(
            files=", ".join(path.name for path in tables)
        )
        raise FileError([Problem(folder, None, None, cause, _("put the rankings of the course into it"))])
    return _by_role(roles)


def _by_role(roles: Iterable[tuple[str, Path]]) -> dict[str, Any]:
    result: dict[str, list[Path]] = {}
    for role, path in roles:
        result.setdefault(role, []).append(path)
    for role, paths in result.items():
        if len(paths) > 1 and role not in ("rankings", *SEVERAL):
            text = _("{file} and {other} are both read as {role}; keep one of the two")
            raise InputError(text.format(file=paths[0], other=paths[1], role=role))
    return {role: paths if role in ("rankings", *SEVERAL) else paths[0] for role, paths in result.items()}


def _folders(path: Path) -> list[Path]:
    try:
        return sorted(each for each in path.iterdir() if each.is_dir() and not each.name.startswith("."))
    except OSError as error:
        cause = _("this folder cannot be read ({error})").format(error=error.strerror or error)
        raise FileError([Problem(path, None, None, cause, _("check its permissions"))]) from None


def _bytes(folder: Path) -> int:
    """Return the size of the files in a folder; 0 where it cannot be read, which its reader will report."""
    try:
        with os.scandir(folder) as files:
            return sum(each.stat().st_size for each in files if each.is_file())
    except OSError:
        return 0
