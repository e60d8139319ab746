"""A folder stands for the tables in it, as forms come back: many small files in one place."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from peerorder.core.text import shortlist
from peerorder.files.formats.file_types import PARQUET, WORKBOOKS
from peerorder.files.formats.problems import FileError, Problem, shown
from peerorder.files.formats.writing import PROVENANCE, provenance_of

__all__ = ["files_in", "passed_over", "whole_folders"]

# How the name of such a file begins: ~$form.xlsx.
LOCK = "~$"
TABLES = (".csv", ".tsv", *WORKBOOKS, *PARQUET)
# What these commands write is never rankings; a hand-out may have become some.
RESULTS = ("grade", "anchors", "compare", "plan", "simulate")
NAMED = 8


def files_in(paths: Iterable[Path]) -> tuple[Path, ...]:
    """The files, and in the place of a folder the tables in it, by their names; folders in it are left alone.

    What a spreadsheet keeps beside a file that is open just now is passed over, as a shell names it by ``*``.
    """
    return tuple(
        file
        for path in paths
        if not path.name.startswith(LOCK)
        for file in (_tables(path) if path.is_dir() else (path,))
    )


def passed_over(paths: Iterable[Path]) -> tuple[str, ...]:
    """Return a note for every folder with something in it that ``files_in`` does not read, and people may miss."""
    return tuple(
        f"{folder}: not read: {names}; rankings are read from CSV and XLSX files, not from folders inside"
        for folder in paths
        if folder.is_dir() and (names := _named(_sorted_out(folder)[1]))
    )


def whole_folders(paths: Sequence[Path], besides: Iterable[Path] = ()) -> list[Path]:
    """Return the files, and instead of all tables of a folder the folder; not where one of ``besides`` is in it."""
    taken = {path.resolve().parent for path in besides}
    folders: dict[Path, list[Path]] = {}
    for path in paths:
        folders.setdefault(path.parent, []).append(path)
    return [
        each
        for folder, files in folders.items()
        for each in ([folder] if len(files) > 1 and folder.resolve() not in taken and _is_all(folder, files) else files)
    ]


def _is_all(folder: Path, files: Sequence[Path]) -> bool:
    try:
        return {path.name for path in files} == {path.name for path in _tables(folder)}
    except FileError:
        return False


def _tables(folder: Path) -> list[Path]:
    found, others = _sorted_out(folder)
    if not found:
        cause = "there is no table in this folder" + (f", only {_named(others)}" if others else "")
        raise FileError([Problem(folder, None, None, cause, "put CSV or XLSX files into it, or name another")])
    return found


def _sorted_out(folder: Path) -> tuple[list[Path], list[str]]:
    """The tables in a folder, and what else is in it that people put there, folders first."""
    try:
        # A name like these is of a file that is hidden, or open in a spreadsheet just now.
        paths = [path for path in sorted(folder.iterdir()) if not path.name.startswith((".", LOCK))]
    except OSError as error:
        cause = f"this folder cannot be read ({error.strerror or error})"
        raise FileError([Problem(folder, None, None, cause, "check its permissions")]) from None
    names = {path.name for path in paths}
    found, inside, others = [], [], []
    for path in paths:
        made = path.name + PROVENANCE in names and provenance_of(path).get("command")
        if path.is_dir():
            inside.append(f"{path.name}/")
        elif path.suffix.lower() not in TABLES:
            others += [] if made or path.name.endswith(PROVENANCE) else [path.name]
        elif made in RESULTS:
            others.append(f"{path.name} (which {made} wrote)")
        elif path.is_file():
            found.append(path)
    return found, [*inside, *others]


def _named(names: Sequence[str]) -> str:
    return shortlist([*map(shown, names)], NAMED)
