"""What is wrong with a file that somebody sent: every problem with its row, its column, the cause and the cure."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from peerorder.core.errors import InputError

__all__ = ["FileError", "Problem", "Problems", "shown"]

# More than a screenful helps nobody; the first ones show what is wrong.
SHOWN = 20
LONGEST = 60


@dataclass(frozen=True, slots=True)
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
            where += f", column {shown(self.column)}"
        return f"{where}: {self.cause}; {self.cure}"


class FileError(InputError):
    """A file cannot be used; ``problems`` has all of them, the message a line each."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        lines = [str(problem) for problem in self.problems[:SHOWN]]
        more = len(self.problems) - SHOWN
        if more > 0:
            lines.append(f"and {more:,} more problem{'s' if more > 1 else ''} like these")
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
            raise FileError(self._in_order())

    def settle(self, lenient: bool) -> tuple[Problem, ...]:
        """End here if anything was found, or where that is allowed say what was dropped for it."""
        if not lenient:
            self.refuse()
        return tuple(self._in_order())

    def _in_order(self) -> list[Problem]:
        """Each once: in wide form, what is wrong with a row is found at every one of its papers."""
        return sorted(dict.fromkeys(self.found), key=lambda problem: problem.row or 0)


def shown(text: str) -> str:
    """What somebody wrote, fit for a line of a message: not too long, and with signs that nobody sees spelt out."""
    cut = text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."
    return cut if cut.isprintable() else repr(cut)
