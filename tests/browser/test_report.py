"""report.html in a browser: readable everywhere, searchable, and complete without scripts."""

from functools import cache

import numpy as np
import pytest

from peerorder.reports import instructor
from tests.reports.instructor.rounds import from_rows, graded

PHONE = 360


def written(folder, found, marking=None, explain=()):
    whys = instructor.explain(found, instructor.select_papers(found.round, explain))
    path = folder / "report.html"
    path.write_text(instructor.report(found, marking, whys), "utf-8")
    return path


def marked(found):
    marks = np.empty(len(found.outcome.order))
    marks[found.outcome.order] = np.linspace(97.5, 31.25, len(marks))
    return instructor.Marking(marks, marks - 4, marks + 4, "curve:mean=70,sd=10", {0: 80.0})


def small(folder):
    """Flags, missing ballots, letters for marks, and ids without a place to break them."""
    long = "a-very-long-identifier-that-somebody-exported@students.university.example"
    rows = [f"g{at} {paper} {rank}" for at in range(6) for rank, paper in enumerate(["p", "q", long, "r"], 1)]
    found = from_rows(
        folder,
        "\n".join(rows),
        roster="student,paper\n"
        + "".join(f"g{at},{paper}\n" for at, paper in enumerate([*[""] * 6, "p", "q", long, "r", "nobody's"])),
    )
    return written(folder, found, instructor.Marking(list("ABCDE")), [long, "nobody's"])


def middle(folder):
    """A rule without intervals, no marks, every paper explained."""
    return written(folder, graded(folder, rule="copeland", n=24, k=5), explain=["all"])


def with_marks(folder):
    """The default rule, with flags, missing ballots, anchors and an explanation."""
    found = graded(folder, n=40, k=6)
    assert any(found.outcome.result.flags)
    return written(folder, found, marked(found), ["s0003"])


def large(folder):
    found = graded(folder, rule="copeland", n=1500, k=6)
    return written(folder, found, marked(found))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The page that a function makes, made once."""
    return cache(lambda make: make(tmp_path_factory.mktemp(make.__name__)))


@pytest.mark.parametrize("make", [small, middle, with_marks, large])
def test_it_fits_a_phone_and_axe_finds_nothing_serious(make, made, fit_to_be_seen):
    fit_to_be_seen(made(make))


def test_it_is_all_there_without_scripts(made, visit):
    seen = visit(made(middle), PHONE, scripts=False)
    assert seen.width <= PHONE
    assert seen.page.locator("#order-table tbody tr").count() == 24
    assert seen.page.get_by_role("searchbox").count() == 0
    for title in ("The order", "Graders to look at", "Coverage", "Provenance"):
        assert seen.page.get_by_role("heading", name=title, exact=True).is_visible()
    assert seen.complaints == []


def test_papers_can_be_found_by_their_ids(made, visit):
    page = visit(made(middle)).page
    page.get_by_role("searchbox", name="Find a paper").fill("S001")
    rows = page.locator("#order-table tbody tr:visible")
    assert rows.count() == 10
    assert page.get_by_role("status").inner_text() == "Papers shown: 10"
    page.get_by_role("searchbox").fill("")
    assert rows.count() == 24


def column(page, at):
    return page.locator(f"#order-table tbody tr > :nth-child({at})").all_inner_texts()


def places(page):
    """Return the places; those that papers share end in an equals sign."""
    return [int(text.rstrip("=").replace(",", "")) for text in column(page, 1)]


def test_the_table_can_be_sorted_by_every_column_both_ways(made, visit):
    page = visit(made(middle)).page
    papers = column(page, 2)
    in_order = places(page)
    assert in_order == sorted(in_order)
    assert set(in_order) <= set(range(1, 25))
    page.get_by_role("button", name="Paper").click()
    assert column(page, 2) == sorted(papers)
    page.get_by_role("button", name="Paper").click()
    assert column(page, 2) == sorted(papers, reverse=True)
    assert page.locator("th[aria-sort=descending]").inner_text().startswith("Paper")
    page.get_by_role("button", name="Rankings").click()
    counts = [int(text) for text in column(page, 4)]
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]
    page.get_by_role("button", name="Place", exact=True).click()
    assert column(page, 2) == papers


def test_sorting_puts_numbers_in_order_where_they_have_commas_or_more_digits(made, visit):
    page = visit(made(large)).page
    page.get_by_role("button", name="Place").click()
    page.get_by_role("button", name="Place").click()
    found = places(page)
    assert found == sorted(found, reverse=True)
    assert found[0] > 1400
    assert len(found) == 500


def test_a_link_to_a_paper_opens_its_explanation(made, visit):
    page = visit(made(middle)).page
    assert page.locator("details.why[open]").count() == 0
    page.get_by_role("link", name="s0003", exact=True).click()
    assert page.locator("details.why[open] summary").inner_text().startswith("s0003")
