"""A folder stands for the tables in it, as forms come back: many small files in one place."""

from collections.abc import Iterable
from pathlib import Path

from peerorder.files.problems import FileError, Problem

__all__ = ["files_in"]

TABLES = (".csv", ".tsv", ".xlsx", ".xlsm", ".xls", ".ods", ".parquet", ".pq")


def files_in(paths: Iterable[Path]) -> tuple[Path, ...]:
    """The files, and in the place of a folder the tables in it, by their names; folders in it are left alone."""
    return tuple(file for path in paths for file in (_tables(path) if path.is_dir() else (path,)))


def _tables(folder: Path) -> list[Path]:
    try:
        found = [path for path in sorted(folder.iterdir()) if path.suffix.lower() in TABLES and path.is_file()]
    except OSError as error:
        cause = f"this folder cannot be read ({error.strerror or error})"
        raise FileError([Problem(folder, None, None, cause, "check its permissions")]) from None
    # A name like these is of a file that is hidden, or open in a spreadsheet just now.
    found = [path for path in found if not path.name.startswith((".", "~$"))]
    if not found:
        cause = "there is no table in this folder"
        raise FileError([Problem(folder, None, None, cause, "put CSV or XLSX files into it, or name another")])
    return found
