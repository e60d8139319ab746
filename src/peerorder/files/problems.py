"""What is wrong with a file that somebody sent: every problem with its row, its column, the cause and the cure."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from peerorder.core.errors import InputError

__all__ = ["FileError", "Problem", "Problems"]

# More than a screenful helps nobody; the first ones show what is wrong.
SHOWN = 20


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong; ``row`` as a spreadsheet numbers it, the header is 1, or None for the whole file."""

    path: Path
    row: int | None
    column: str | None
    cause: str
    cure: str

    def __str__(self) -> str:
        where = str(self.path)
        if self.row is not None:
            where += f", row {self.row}"
        if self.column is not None:
            where += f", column {self.column}"
        return f"{where}: {self.cause}; {self.cure}"


class FileError(InputError):
    """A file cannot be used; ``problems`` has all of them, the message a line each."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        lines = [str(problem) for problem in self.problems[:SHOWN]]
        if len(self.problems) > SHOWN:
            lines.append(f"and {len(self.problems) - SHOWN:,} more problems like these")
        super().__init__("\n".join(lines))


class Problems:
    """Gathers the problems of one file while it is read."""

    def __init__(self, path: Path, found: Iterable[Problem] = ()) -> None:
        self.path = path
        self.found: list[Problem] = [*found]

    def add(self, row: int | None, column: str | None, cause: str, cure: str) -> None:
        """One more."""
        self.found.append(Problem(self.path, row, column, cause, cure))

    def refuse(self) -> None:
        """End here if anything was found."""
        if self.found:
            raise FileError(sorted(self.found, key=lambda problem: problem.row or 0))

    def settle(self, lenient: bool) -> tuple[Problem, ...]:
        """End here if anything was found, or where that is allowed say what was dropped for it."""
        if not lenient:
            self.refuse()
        return tuple(sorted(self.found, key=lambda problem: problem.row or 0))
