"""The order of a result as a table: a page of it, searched and sorted."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import numpy as np
from django.core.paginator import Page, Paginator

from peerorder.core.translation import translate
from peerorder.reports.markup import Markup, element
from peerorder.web.assignments.models import Assignment
from peerorder.web.courses.search import plain
from peerorder.web.ranking.round_snapshot import NamedMember, RoundNames
from peerorder.web.results.mark_sheets import Sheet, named

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
        self.graded: GradedRound = named(sheet, assignment, self.names)
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


@dataclass(frozen=True)
class Wanted:
    """What somebody looks for."""

    words: str
    sort: str
    """The name of a column, after a minus the other way round."""
    page: str

    @classmethod
    def of(cls, query: Any) -> "Wanted":
        """Read it from the query of an address; whatever is not known there is as usual."""
        sort = query.get("sort", FIRST)
        known = sort.removeprefix("-") in COLUMNS.values()
        return cls(query.get("q", "").strip()[:100], sort if known else FIRST, query.get("page", "1"))

    @property
    def query(self) -> str:
        """The same for an address, but for the page."""
        return urlencode({"q": self.words, "sort": self.sort})


@dataclass(frozen=True, eq=False)
class OrderTable:
    """The rows that somebody wants to see."""

    named: NamedSheet
    wanted: Wanted
    address: Callable[[int], str]
    """Where a paper is explained, by its id."""

    @cached_property
    def page(self) -> "Page[int]":
        """The numbers of papers on this page."""
        return Paginator(self._sorted(self._found()), ROWS).get_page(self.wanted.page)

    def _found(self) -> list[int]:
        words = plain(self.wanted.words.replace("\0", "")).split()[:10]
        papers = self.named.sheet.papers
        if not words:
            return list(range(len(papers)))
        names = self.named.names
        texts = (
            plain(f"{names.paper.get(paper, '')} {names.code.get(paper, '')} {self.named.about(paper)}")
            for paper in papers
        )
        return [number for number, text in enumerate(texts) if all(word in text for word in words)]

    def _sorted(self, papers: list[int]) -> list[int]:
        graded, name = self.named.graded, self.wanted.sort.removeprefix("-")
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
        key = keys.get(name, lambda _: 0)
        by_place = sorted(papers, key=lambda paper: places[paper], reverse=self._turned and name not in keys)
        return sorted(by_place, key=key, reverse=self._turned)

    @property
    def _turned(self) -> bool:
        return self.wanted.sort.startswith("-")

    def html(self) -> Markup:
        """The table, with headings that sort it."""
        from peerorder.reports.instructor import order
        from peerorder.reports.table_cells import framed

        graded, n = self.named.graded, len(self.named.sheet.papers)
        head = element("tr", *map(self._heading, order.columns(graded, graded.marking)))
        papers = self.named.sheet.papers
        rows = [
            order.row(graded, graded.marking, number, self.named.about(papers[number]), self.address(papers[number]))
            for number in self.page
        ]
        many = self.page.paginator.count
        text = f"{n:,} papers" if many == n else f"{many:,} of {n:,} papers"
        return framed("The order of papers", text, [head], element("tbody", *rows), class_="order")

    def _heading(self, title: str) -> Markup:
        from peerorder.reports.instructor import order

        name = COLUMNS[title]
        now = self.wanted.sort.removeprefix("-") == name
        turned = now and not self._turned
        href = "?" + urlencode({"q": self.wanted.words, "sort": f"-{name}" if turned else name})
        direction = ("descending" if self._turned else "ascending") if now else None
        link = element("a", translate(title), href=href, hx_get=href, hx_target="#order-rows", hx_push_url="true")
        return element("th", link, scope="col", class_=order.side(title), aria_sort=direction)


def _mark_key(mark: Any) -> tuple[bool, Any]:
    """Numbers or letters, those that are not there last."""
    if isinstance(mark, (int, float, np.floating)):
        return bool(np.isnan(mark)), -float(mark) if not np.isnan(mark) else 0.0
    return not mark, str(mark or "")
