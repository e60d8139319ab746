"""The order of a result as a table: a page of it, searched and sorted."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from django.utils.formats import number_format
from django.utils.translation import gettext as _, ngettext

from peerorder.core.translation import translate
from peerorder.reports.markup import Markup, element
from peerorder.web.assignments.models import Assignment
from peerorder.web.courses.search import plain
from peerorder.web.ranking.round_snapshot import NamedMember, RoundNames
from peerorder.web.results.mark_sheets import Sheet, with_names
from peerorder.web.tables import Column, Filter, Head, Listing

if TYPE_CHECKING:
    from peerorder.rounds import GradedRound

ROWS = 100
COLUMNS = {"Place": "place", "Paper": "paper", "Mark": "mark", "Likely places": "low", "Score": "score"}
COLUMNS |= {"Rankings": "rankings"}
"""What a column of the report's table is called in an address."""
FIRST = "place"


class NamedSheet:
    """A sheet with the names that people read, looked up once for a page."""

    def __init__(self, sheet: Sheet, assignment: Assignment) -> None:
        self.sheet = sheet
        self.names = RoundNames(assignment)
        self.graded: GradedRound = with_names(sheet, assignment, self.names)
        self._person = {each.pk: each for each in self.names.people}

    def authors(self, paper: int) -> list[NamedMember]:
        """Return who wrote a paper, by its id."""
        return [self._person[pk] for pk in self.names.authors.get(paper, ()) if pk in self._person]

    def person(self, member: int) -> NamedMember:
        """Return what a student is called, by the id of the member."""
        return self._person.get(member) or NamedMember(member, f"member-{member}", "", "", "")

    def matches(self, member: int, words: str) -> bool:
        """Return whether all of these words are in the name, the id or the section of a student."""
        person = self.person(member)
        text = plain(f"{person.name} {person.student} {person.section}")
        return all(word in text for word in plain(words.replace("\0", "")).split()[:10])

    def about(self, paper: int) -> str:
        """Return the authors of a paper with their ids and sections, as far as its own name does not say it."""
        name = self.names.paper.get(paper, "")
        return "; ".join(
            ", ".join(word for word in (each.name, each.student if each.student != name else "", each.section) if word)
            for each in self.authors(paper)
        )


@dataclass(frozen=True, eq=False)
class OrderTable:
    """The rows that somebody wants to see."""

    named: NamedSheet
    listing: Listing
    address: Callable[[int], str]
    """Where a paper is explained, by its id."""

    @classmethod
    def read(cls, named: NamedSheet, query: Any, address: Callable[[int], str]) -> "OrderTable":
        """Return the page of the table that the query of an address asks for."""
        columns = [Column(name, title, (name,)) for title, name in COLUMNS.items()]
        names = sorted({each.section for each in named.names.people} - {""})
        sections = [Filter("section", _("Section"), [(name, name) for name in names], _("All sections"))]
        listing = Listing.read(query, columns, FIRST, sections if names else [])
        table = cls(named, listing, address)
        listing.show(table._sort(table._matches()), query.get("page"), _count_papers, ROWS)
        return table

    def _matches(self) -> list[int]:
        words, section = plain(self.listing.words).split()[:10], self.listing.value("section")
        papers, names = self.named.sheet.papers, self.named.names
        numbers = list(range(len(papers)))
        if section:
            numbers = [n for n in numbers if section in (each.section for each in self.named.authors(papers[n]))]
        if not words:
            return numbers
        texts = (
            (number, plain(f"{names.paper.get(paper, '')} {names.code.get(paper, '')} {self.named.about(paper)}"))
            for number, paper in ((number, papers[number]) for number in numbers)
        )
        return [number for number, text in texts if all(word in text for word in words)]

    def _sort(self, papers: list[int]) -> list[int]:
        graded, name = self.named.graded, self.listing.sort.removeprefix("-")
        places = graded.outcome.places
        keys: dict[str, Callable[[int], Any]] = {
            "paper": lambda paper: plain(graded.round.papers[paper]),
            "score": lambda paper: -graded.outcome.scores[paper],
            "rankings": lambda paper: graded.round.profile.rankings[paper],
        }
        if graded.marking is not None:
            marks = graded.marking.marks
            keys["mark"] = lambda paper: _mark_key(marks[paper])
        if (ends := graded.outcome.result.intervals) is not None:
            keys["low"] = lambda paper: tuple(ends[paper].tolist())
        key = keys.get(name, lambda _paper: 0)
        by_place = sorted(
            papers, key=lambda paper: places[paper], reverse=self.listing.is_descending and name not in keys
        )
        return sorted(by_place, key=key, reverse=self.listing.is_descending)

    def html(self) -> Markup:
        """Return the table, with headings that sort it."""
        from peerorder.reports.instructor import order
        from peerorder.reports.table_cells import framed

        graded, n = self.named.graded, len(self.named.sheet.papers)
        heads = {head.column.name: head for head in self.listing.heads}
        titles = order.columns(graded, graded.marking)
        head = element("tr", *(_heading(title, heads[COLUMNS[title]], order.side(title)) for title in titles))
        papers = self.named.sheet.papers
        rows = [
            order.row(graded, graded.marking, number, self.named.about(papers[number]), self.address(papers[number]))
            for number in self.listing.page
        ]
        count = self.listing.page.paginator.count
        text = _count_papers(n) if count == n else _("%(count)d of %(all)d papers") % {"count": count, "all": n}
        caption = _("The order of papers")
        return framed(caption, text, [head], element("tbody", *rows), class_="order")


def _heading(title: str, head: Head, side: str | None) -> Markup:
    link = element(
        "a",
        translate(title),
        id=f"sort-{head.column.name}",
        href=f"{head.query}#rows",
        hx_get=head.query,
        hx_push_url="true",
    )
    return element("th", link, scope="col", class_=side, aria_sort=head.direction or None)


def _count_papers(count: int) -> str:
    return ngettext("%(count)s paper", "%(count)s papers", count) % {"count": number_format(count, force_grouping=True)}


def _mark_key(mark: Any) -> tuple[bool, Any]:
    """Return what marks are sorted by, numbers or letters; those that are missing come last."""
    if isinstance(mark, (int, float, np.floating)):
        return bool(np.isnan(mark)), -float(mark) if not np.isnan(mark) else 0.0
    return not mark, str(mark or "")
