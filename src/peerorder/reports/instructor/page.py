"""The instructor's report: everything to defend a mark, as sections for any page and as a standalone page.

``sections`` only puts them together; most are a module beside this one.
"""

from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path

import numpy as np

from peerorder.core.text import join_with_and
from peerorder.reports.instructor import (
    coverage,
    explanation_section,
    marking,
    order,
    people,
    provenance,
    rule_contrast,
)
from peerorder.reports.instructor.coverage import Coverage, covered
from peerorder.reports.instructor.people import People, looked_at
from peerorder.reports.instructor.provenance import ranking_files
from peerorder.reports.instructor.text import count, with_options
from peerorder.reports.labels import rule_name
from peerorder.reports.markup import Markup, element, joined
from peerorder.reports.sections import Section, key_facts
from peerorder.reports.standalone import standalone
from peerorder.rounds.explanation import Explanation
from peerorder.rounds.grading import GradedRound, Marking
from peerorder.rounds.round import Round

__all__ = ["report", "sections", "summary"]

TITLE = "Peer grading report"
NAMED = 4
FLAGGED = "ranked at random or upside down, it seems"


def sections(
    graded: GradedRound,
    marks: Marking | None = None,
    whys: Sequence[tuple[int, Explanation]] = (),
    kept: Path | None = None,
) -> list[Section]:
    """Return all sections about a round, the summary first.

    Parameters
    ----------
    marks
        A mark for every paper, where there are marks.
    whys
        The papers whose places are explained, by their numbers.
    kept
        Where the grades were written to, to point to and for the command that verifies them; None where they were not.
    """
    result, who = covered(graded.round.profile), looked_at(graded)
    known = graded.outcome.result.reliability is not None
    other = rule_contrast.contrasted(graded, np.concatenate([who.flagged, who.doubtful]) if known else None)
    whys = sorted(whys, key=lambda each: each[1].place)
    parts = [
        ("summary", "Summary", summary(graded, result, who)),
        ("order", "The order", order.section(graded, marks, frozenset(paper for paper, _ in whys), kept)),
        ("marks", "Marks", marking.section(graded, marks)),
        ("graders", "Graders to look at", people.section(graded, who)),
        ("coverage", "Coverage", coverage.section(graded.round, result)),
        ("borda", rule_contrast.title(graded, other), rule_contrast.section(graded, other)),
        ("why", "Why papers are placed where they are", explanation_section.section(whys)),
        ("provenance", "Where this comes from", provenance.section(graded, kept)),
    ]
    return [Section(anchor, title, html) for anchor, title, html in parts if html is not None]


def report(
    graded: GradedRound,
    marks: Marking | None = None,
    whys: Sequence[tuple[int, Explanation]] = (),
    kept: Path | None = Path("grades.csv"),
    title: str | None = None,
    made: date | None = None,
) -> str:
    """Write the whole page, with the same ``sections``.

    Parameters
    ----------
    title
        What to call it; otherwise it is called like the file of rankings, or their folder.
    made
        The day on which it is made.
    """
    return standalone(
        f"{TITLE}: {title or _name(graded.round)}",
        f"{TITLE}: {title}" if title else TITLE,
        sections(graded, marks, whys, kept),
        note=f"Made on {made.day} {made:%B %Y}." if made is not None else "",
        script=True,
    )


def summary(graded: GradedRound, result: Coverage, who: People, address: Callable[[str], str] = "#{}".format) -> Markup:
    """Return what to know and look at first; ``address`` returns the address of the section with an id."""
    return joined(
        element("p", _lead(graded)),
        key_facts(_facts(graded, who)),
        _first(graded, result, who, address),
    )


def _lead(graded: GradedRound) -> str:
    read = graded.round
    sure = "" if graded.outcome.result.intervals is None else ", how sure it is,"
    return (
        f"Every grader put a few papers in order; from {_named(read)} the rule "
        f"{rule_name(graded.outcome.rule)} computed one order of all papers. This page shows the order{sure} and what "
        "to check before it becomes marks."
    )


def _named(read: Round) -> str:
    """Return the files of rankings; their number where there are many."""
    names = [path.name for path in ranking_files(read)]
    if len(names) < 2:
        return names[0] if names else "their rankings"
    return join_with_and(names) if len(names) <= NAMED else f"{len(names):,} files of rankings"


def _name(read: Round) -> str:
    """Return the file of rankings, or the folder of forms; never a form, whose name is a student's id."""
    paths = ranking_files(read)
    folders = {path.resolve().parent for path in paths}
    if len(paths) < 2:
        return paths[0].name if paths else "peer grading"
    return folders.pop().name if len(folders) == 1 else f"{len(paths):,} files of rankings"


def _facts(graded: GradedRound, who: People) -> dict[str, str]:
    read = graded.round
    handed_in = int((read.judged > 0).sum())
    missing = len(who.silent) + len(who.blank)
    facts = {
        "papers": f"{len(read.papers):,}",
        "graders who submitted": f"{handed_in:,} of {handed_in + missing:,}" if missing else f"{handed_in:,}",
        "rankings per paper, on average": f"{read.judged.sum() / len(read.papers):.1f}",
        "rule": rule_name(graded.outcome.rule),
    }
    spans = order.widths(graded)
    if spans is not None:
        facts["usual width of a 90% interval"] = count(round(float(np.median(spans))), "place")
    return facts


def _first(graded: GradedRound, result: Coverage, who: People, address: Callable[[str], str]) -> Markup:
    """Return what to look at first, each with a link to its part."""
    read = graded.round
    groups = len(result.groups) if len(result.groups) > 1 else 0
    points = (
        (len(read.dropped), "row was skipped", "rows were skipped", "provenance"),
        (len(result.unread), "paper was ranked by nobody", "papers were ranked by nobody", "coverage"),
        (len(result.alone), "paper was compared with no other", "papers were compared with no other", "coverage"),
        (groups, "", "groups of papers that nobody compared", "coverage"),
        (len(result.thin), "paper has only one ranking or two", "papers have only one ranking or two", "coverage"),
        (len(who.flagged), f"grader {FLAGGED}", f"graders {FLAGGED}", "graders"),
        (len(who.doubtful), "grader agrees little with the others", "graders agree little with the others", "graders"),
        (len(who.tied), "grader tied all of their papers", "graders tied all of their papers", "graders"),
        (len(who.gained), "grader moved their own paper up", "graders moved their own papers up", "graders"),
        (len(who.silent), "grader submitted nothing", "graders submitted nothing", "graders"),
        (len(who.blank), "grader ranked none of their papers", "graders ranked none of their papers", "graders"),
        (len(graded.notes), "note about this round", "notes about this round", "provenance"),
    )
    items = [
        element("li", element("a", count(number, one, total), href=address(anchor)))
        for number, one, total, anchor in points
        if number
    ]
    if graded.contrary_warning is not None:
        matter, cure = (with_options(part, bool(read.inputs)) for part in graded.contrary_warning)
        items.insert(
            0, element("li", element("strong", element("a", matter, href=address("graders")), "."), f" {cure}.")
        )
    flagged = "" if graded.outcome.result.flags is None else ", nobody is flagged"
    said = (
        element("ul", *items)
        if items
        else element("p", f"Nothing stands out: everybody submitted their rankings{flagged}.")
    )
    return element("div", element("h3", "Look at this first"), said, class_="first")
