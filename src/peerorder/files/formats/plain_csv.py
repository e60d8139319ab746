"""Plain tables as CSV: one header row, numbers as people write them, empty where there is no value."""

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from peerorder.core.errors import InputError
from peerorder.core.translation import gettext as _
from peerorder.files.formats.paths import takes_path
from peerorder.files.formats.writing import write_text

__all__ = ["read_rows", "write_rows"]

Row = dict[str, Any]

# As Python writes numbers, and no more: int() and float() also take 1_000, spaces and other digits.
NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?|[-+]?inf|nan", re.ASCII | re.IGNORECASE)


class _Lines:
    """The target of a csv writer, which quotes the characters of its line end: CR LF for it, LF in the file."""

    def __init__(self) -> None:
        self.text: list[str] = []

    def write(self, line: str) -> None:
        self.text.append(line.removesuffix("\r\n") + "\n")


def write_rows(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """Write rows as CSV, in one step; None becomes an empty field."""
    out = _Lines()
    writer = csv.DictWriter(out, columns, lineterminator="\r\n")
    writer.writeheader()
    writer.writerows({key: "" if row[key] is None else row[key] for key in columns} for row in rows)
    write_text(path, "".join(out.text))


@takes_path
def read_rows(path: Path) -> list[Row]:
    """Read the rows of a CSV of ours: numbers as numbers, empty fields as None."""
    with path.open(encoding="utf-8-sig", newline="") as stream:
        reader = csv.DictReader(stream, strict=True)
        rows = []
        try:
            for row in reader:
                if None in row or None in row.values():
                    raise InputError(
                        _("{file}, line {line}: the number of columns differs from the header").format(
                            file=path, line=reader.line_num
                        )
                    )
                rows.append({key: _value(text) for key, text in row.items()})
        except (csv.Error, UnicodeDecodeError) as error:
            raise InputError(
                _("{file}, line {line}: this is not CSV in UTF-8 ({error})").format(
                    file=path, line=reader.line_num + 1, error=error
                )
            ) from None
        return rows


def _value(text: str) -> int | float | str | None:
    if text == "":
        return None
    for kind in (int, float) if NUMBER.fullmatch(text) else ():
        try:
            return kind(text)
        except ValueError:
            continue
    return text
