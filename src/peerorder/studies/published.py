"""The numbers printed in the article, as data: Caragiannis, Krimpas, Voudouris (AAMAS 2015), Tables 1 and 2."""

from functools import cache
from importlib.resources import as_file, files

from peerorder.files import read_rows
from peerorder.studies.runner import Row

__all__ = ["published"]


@cache
def published(table: str) -> tuple[Row, ...]:
    """Return the rows of ``table1`` or ``table2``; ``recovered`` is None where the article prints no number."""
    with as_file(files("peerorder.studies") / "paper" / f"{table}.csv") as path:
        return tuple(read_rows(path))
