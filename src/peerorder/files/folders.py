"""A folder stands for the tables in it, as forms come back: many small files in one place."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from peerorder.files.problems import FileError, Problem

__all__ = ["files_in", "whole_folders"]

# How the name of such a file begins: ~$form.xlsx.
LOCK = "~$"
TABLES = (".csv", ".tsv", ".xlsx", ".xlsm", ".xls", ".ods", ".parquet", ".pq")


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
    try:
        found = [path for path in sorted(folder.iterdir()) if path.suffix.lower() in TABLES and path.is_file()]
    except OSError as error:
        cause = f"this folder cannot be read ({error.strerror or error})"
        raise FileError([Problem(folder, None, None, cause, "check its permissions")]) from None
    # A name like these is of a file that is hidden, or open in a spreadsheet just now.
    found = [path for path in found if not path.name.startswith((".", LOCK))]
    if not found:
        cause = "there is no table in this folder"
        raise FileError([Problem(folder, None, None, cause, "put CSV or XLSX files into it, or name another")])
    return found
