"""Problems of an input file: each with its row, its column, the cause and the cure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from peerorder.core.errors import InputError
from peerorder.core.text import number_range
from peerorder.core.translation import gettext as _, ngettext

__all__ = ["FileError", "Problem", "Problems", "and_more", "in_lines", "in_stretches", "shown"]

# More than a screenful helps nobody; the first ones show what is wrong.
SHOWN = 20
# Stretches of rows that are named for one problem.
STRETCHES = 6
LONGEST = 60


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem; ``row`` as a spreadsheet numbers it, the header is 1, or None for the whole file."""

    path: Path
    row: int | None
    column: str | None
    cause: str
    cure: str

    def __str__(self) -> str:
        return self.in_rows(() if self.row is None else (self.row,))

    def in_rows(self, rows: Sequence[int]) -> str:
        """Return the line about it, if all of these rows have it."""
        if not rows and self.column is None:
            text = _("{file}: {cause}; {cure}")
        elif not rows:
            text = _("{file}, column {column}: {cause}; {cure}")
        elif self.column is None:
            text = ngettext("{file}, row {rows}: {cause}; {cure}", "{file}, rows {rows}: {cause}; {cure}", len(rows))
        else:
            text = ngettext(
                "{file}, row {rows}, column {column}: {cause}; {cure}",
                "{file}, rows {rows}, column {column}: {cause}; {cure}",
                len(rows),
            )
        return text.format(
            file=self.path,
            rows=in_stretches(rows),
            column=shown(self.column or ""),
            cause=self.cause,
            cure=self.cure,
        )


class FileError(InputError):
    """A file cannot be used; ``problems`` has all problems, the message one line each, or one for several rows."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        self.lines = lines = in_lines(self.problems)
        more = len(lines) - SHOWN
        if more > 0:
            lines = [
                *lines[:SHOWN],
                ngettext(
                    "and {count:,} more; correct these first",
                    "and {count:,} more; correct these first",
                    more,
                ).format(count=more),
            ]
        super().__init__("\n".join(lines))

    def __reduce__(self) -> tuple[type["FileError"], tuple[tuple[Problem, ...]]]:
        return FileError, (self.problems,)


def in_lines(problems: Iterable[Problem]) -> list[str]:
    """Return one line per problem; several rows with the same cause share a line."""
    rows: dict[Problem, list[int]] = {}
    for problem in problems:
        several = rows.setdefault(replace(problem, row=None), [])
        if problem.row is not None:
            several.append(problem.row)
    return [problem.in_rows(several) for problem, several in rows.items()]


def in_stretches(rows: Sequence[int]) -> str:
    """Return row numbers in words: 2, 5 to 9 and 12."""
    begins: list[list[int]] = []
    for row in sorted(set(rows)):
        if begins and row == begins[-1][1] + 1:
            begins[-1][1] = row
        else:
            begins.append([row, row])
    parts = [str(a) if a == b else f"{a}, {b}" if b == a + 1 else number_range(a, b) for a, b in begins[:STRETCHES]]
    left = sum(b - a + 1 for a, b in begins[STRETCHES:])
    text = ", ".join(parts)
    return (
        ngettext(
            "{names} and {count:,} more",
            "{names} and {count:,} more",
            left,
        ).format(names=text, count=left)
        if left
        else text
    )


def and_more(text: str, count: int) -> str:
    """Return a text with the number of others like it, where there are any: S01 (and 7 more)."""
    return (
        ngettext(
            "{text} (and {count:,} more)",
            "{text} (and {count:,} more)",
            count,
        ).format(text=text, count=count)
        if count
        else text
    )


class Problems:
    """Collects the problems of one file while it is read."""

    def __init__(self, path: Path, result: Iterable[Problem] = ()) -> None:
        self.path = path
        self.collected: list[Problem] = [*result]

    def add(self, row: int | None, column: str | None, cause: str, cure: str) -> None:
        """Add a problem."""
        self.collected.append(Problem(self.path, row, column, cause, cure))

    def raise_if_any(self) -> None:
        """Raise FileError if there is any problem."""
        if self.collected:
            raise FileError(self._in_order())

    def raise_or_drop(self, lenient: bool) -> tuple[Problem, ...]:
        """Raise FileError if there is any problem; if ``lenient``, return the problems instead."""
        if not lenient:
            self.raise_if_any()
        return tuple(self._in_order())

    def _in_order(self) -> list[Problem]:
        """Return each problem once: in wide form, a row's problem is found at every paper."""
        return sorted(dict.fromkeys(self.collected), key=lambda problem: problem.row or 0)


def shown(text: str) -> str:
    """Return a text fit for a message: not too long, and with invisible characters spelt out."""
    cut = text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."
    return cut if cut.isprintable() else repr(cut)
