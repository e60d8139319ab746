"""Folders: a folder of returned forms stands for the tables in it."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from peerorder.core.text import shortlist
from peerorder.core.translation import gettext as _
from peerorder.files.formats.file_types import PARQUET, WORKBOOKS
from peerorder.files.formats.problems import FileError, Problem, shown
from peerorder.files.formats.writing import PROVENANCE, provenance_of

__all__ = ["TABLES", "files_in", "passed_over", "whole_folders"]

# How the name of such a file begins: ~$form.xlsx.
LOCK = "~$"
TABLES = (".csv", ".tsv", *WORKBOOKS, *PARQUET)
# What these commands write is never rankings; a hand-out may have become some.
RESULTS = ("grade", "anchors", "compare", "plan", "simulate")
NAMED = 8


def files_in(paths: Iterable[Path]) -> tuple[Path, ...]:
    """Return the files, with a folder replaced by the tables in it, by their names; folders inside are not read.

    Lock files of spreadsheets are skipped, because a shell includes them in ``*``.
    """
    return tuple(
        file
        for path in paths
        if not path.name.startswith(LOCK)
        for file in (_tables(path) if path.is_dir() else (path,))
    )


def passed_over(paths: Iterable[Path]) -> tuple[str, ...]:
    """Return a note for every folder with files that ``files_in`` does not read."""
    return tuple(
        _("{folder}: not read: {names}; rankings are read from CSV and XLSX files, not from folders inside").format(
            folder=folder, names=names
        )
        for folder in paths
        if folder.is_dir() and (names := _format_names(_split_contents(folder)[1]))
    )


def whole_folders(paths: Sequence[Path], extra: Iterable[Path] = ()) -> list[Path]:
    """Return the files, with all tables of a folder replaced by the folder, unless one of ``extra`` is in it."""
    taken = {path.resolve().parent for path in extra}
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
    result, others = _split_contents(folder)
    if not result:
        text = _("this folder contains no table, only {files}") if others else _("this folder contains no table")
        cause = text.format(files=_format_names(others))
        raise FileError(
            [Problem(folder, None, None, cause, _("put CSV or XLSX files into it, or name another folder"))]
        )
    return result


def _split_contents(folder: Path) -> tuple[list[Path], list[str]]:
    """Return the tables in a folder, and what else people put there, folders first."""
    try:
        # A name like these is of a file that is hidden, or open in a spreadsheet just now.
        paths = [path for path in sorted(folder.iterdir()) if not path.name.startswith((".", LOCK))]
    except OSError as error:
        cause = _("this folder cannot be read ({error})").format(error=error.strerror or error)
        raise FileError([Problem(folder, None, None, cause, _("check its permissions"))]) from None
    names = {path.name for path in paths}
    result, inside, others = [], [], []
    for path in paths:
        made = path.name + PROVENANCE in names and provenance_of(path).get("command")
        if path.is_dir():
            inside.append(f"{path.name}/")
        elif path.suffix.lower() not in TABLES:
            others += [] if made or path.name.endswith(PROVENANCE) else [path.name]
        elif made in RESULTS:
            others.append(_("{file} (which {command} wrote)").format(file=path.name, command=made))
        elif path.is_file():
            result.append(path)
    return result, [*inside, *others]


def _format_names(names: Sequence[str]) -> str:
    return shortlist([*map(shown, names)], NAMED)
