"""Lists for staff: searched, filtered, sorted and paged on the server, by what their address says.

``table/list.html`` shows one. Without JavaScript every head is a link and the search is a form; with it only the rows
are loaded again. Because everything is in the address, a list can be bookmarked and sent to a colleague.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator
from django.db.models import Expression, F, QuerySet

ROWS = 50
"""Rows on a page."""
LONGEST = 100
"""Characters of a search that are read."""


@dataclass(frozen=True)
class Column:
    """A column of a list."""

    name: str
    """What it is called in the address."""
    title: str
    keys: "tuple[str | Expression | F, ...]" = ()
    """What rows are sorted by; nothing where the column does not sort."""
    is_number: bool = False
    newest_first: bool = False
    """Whether the first click sorts downwards, as with times."""


@dataclass(frozen=True)
class Filter:
    """A choice that narrows a list."""

    name: str
    title: str
    options: Sequence[tuple[str, str]]
    """Values and their titles, without the first one, ..."""
    everything: str
    """... which is for all rows."""
    value: str = ""
    """What is chosen."""


@dataclass(frozen=True)
class Head:
    """The head of a column, with the way to sort by it."""

    column: Column
    query: str = ""
    direction: str = ""
    """As ``aria-sort`` has it, where the list is sorted by this column."""


@dataclass(eq=False)
class Listing:
    """What somebody asked of a list, and what they get."""

    columns: Sequence[Column]
    default: str
    """The column that sorts the list unless the address says otherwise; after a minus, downwards."""
    words: str = ""
    sort: str = ""
    filters: Sequence[Filter] = ()
    page: "Page[Any]" = field(default_factory=lambda: Paginator([], ROWS).get_page(1))
    summary: str = ""
    """How many rows there are, in words."""

    @classmethod
    def read(
        cls, query: Mapping[str, Any], columns: Sequence[Column], default: str, filters: Iterable[Filter] = ()
    ) -> "Listing":
        """Return what the query of an address asks for; what is not known there is left out."""
        sort = query.get("sort", "")
        known = {each.name for each in columns if each.keys}
        return cls(
            columns,
            default,
            query.get("q", "").replace("\0", "").strip()[:LONGEST],
            sort if sort.removeprefix("-") in known else default,
            [replace(each, value=_known_option(each, query.get(each.name, ""))) for each in filters],
        )

    def value(self, name: str) -> str:
        """Return what is chosen in a filter; empty for everything."""
        return next((each.value for each in self.filters if each.name == name), "")

    @property
    def is_descending(self) -> bool:
        """Whether the list is sorted downwards."""
        return self.sort.startswith("-")

    @property
    def is_narrowed(self) -> bool:
        """Whether something was searched or chosen."""
        return bool(self.words) or any(each.value for each in self.filters)

    def sort_rows(self, rows: "QuerySet[Any, Any]") -> "QuerySet[Any, Any]":
        """Sort rows of the database as asked; those without a value come last either way."""
        column = next(each for each in self.columns if each.name == self.sort.removeprefix("-"))
        keys = [F(key) if isinstance(key, str) else key for key in column.keys]
        return rows.order_by(
            *(key.desc(nulls_last=True) if self.is_descending else key.asc(nulls_last=True) for key in keys)
        )

    def show(
        self, rows: Any, number: str | None, summary: Callable[[int], str], size: int | None = None
    ) -> "Page[Any]":
        """Return the page of this number, kept here for the template, with how many rows there are in words."""
        self.page = Paginator(rows, size or ROWS).get_page(number)
        self.summary = summary(self.page.paginator.count)
        return self.page

    @property
    def heads(self) -> list[Head]:
        """The heads of all columns."""
        return [self._head(each) for each in self.columns]

    def _head(self, column: Column) -> Head:
        if not column.keys:
            return Head(column)
        is_sorted = self.sort.removeprefix("-") == column.name
        downwards = not self.is_descending if is_sorted else column.newest_first
        direction = ("descending" if self.is_descending else "ascending") if is_sorted else ""
        return Head(column, self.query(sort=f"-{column.name}" if downwards else column.name), direction)

    def query(self, **changes: object) -> str:
        """Return the query of the same list with some changes; from its first page, unless they say otherwise."""
        asked = {"q": self.words, **{each.name: each.value for each in self.filters}, "sort": self.sort, **changes}
        if asked["sort"] == self.default:
            del asked["sort"]
        return "?" + urlencode({name: value for name, value in asked.items() if value})

    @property
    def here(self) -> str:
        """The query of this very page of the list."""
        return self.query(page=self.page.number if self.page.number > 1 else "")

    @property
    def previous(self) -> str:
        """The query of the page before."""
        return self.query(page=self.page.previous_page_number()) if self.page.has_previous() else ""

    @property
    def next(self) -> str:
        """The query of the page after."""
        return self.query(page=self.page.next_page_number()) if self.page.has_next() else ""


def _known_option(choice: Filter, value: str) -> str:
    return value if value in dict(choice.options) else ""
