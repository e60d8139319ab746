"""The instructor's report: everything to defend a mark, as sections for any page and as a standalone page.

``sections`` only puts them together; most are a module beside this one.
"""

from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path

import numpy as np

from peerorder.core.text import join_with_and
from peerorder.core.translation import gettext as _, ngettext
from peerorder.reports.instructor import (
    coverage,
    explanation_section,
    marking,
    order,
    people,
    provenance,
    rule_contrast,
    sampler,
)
from peerorder.reports.instructor.coverage import Coverage, covered
from peerorder.reports.instructor.people import People, looked_at
from peerorder.reports.instructor.provenance import ranking_files
from peerorder.reports.instructor.text import with_options
from peerorder.reports.labels import rule_name
from peerorder.reports.markup import Markup, element, joined
from peerorder.reports.sections import Section, key_facts
from peerorder.reports.standalone import standalone
from peerorder.rounds.explanation import Explanation
from peerorder.rounds.grading import GradedRound, Marking
from peerorder.rounds.round import Round

__all__ = ["report", "sections", "summary"]

NAMED = 4


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
        ("summary", _("Summary"), summary(graded, result, who)),
        ("order", _("The order"), order.section(graded, marks, frozenset(paper for paper, _ in whys), kept)),
        ("marks", _("Marks"), marking.section(graded, marks)),
        ("graders", _("Graders to look at"), people.section(graded, who)),
        ("coverage", _("Coverage"), coverage.section(graded.round, result)),
        ("borda", rule_contrast.title(graded, other), rule_contrast.section(graded, other)),
        ("why", _("Explanations"), explanation_section.section(whys)),
        ("sampler", _("Sampler"), sampler.section(graded)),
        ("provenance", _("Provenance"), provenance.section(graded, kept)),
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
    called = _("Peer grading report: {title}")
    return standalone(
        called.format(title=title or _name(graded.round)),
        called.format(title=title) if title else _("Peer grading report"),
        sections(graded, marks, whys, kept),
        note=_("Made on {date}.").format(date=f"{made.day} {made:%B %Y}") if made is not None else "",
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
    if graded.outcome.result.intervals is None:
        text = _(
            "Every grader put a few papers in order. From {rankings}, the rule {rule} computed one order of all "
            "papers. "
            "This page shows the order and what to check before it becomes marks."
        )
    else:
        text = _(
            "Every grader put a few papers in order. From {rankings}, the rule {rule} computed one order of all "
            "papers. "
            "This page shows the order, how certain it is, and what to check before it becomes marks."
        )
    return text.format(rankings=_named(graded.round), rule=rule_name(graded.outcome.rule))


def _named(read: Round) -> str:
    """Return the files of rankings; their number where there are many."""
    names = [path.name for path in ranking_files(read)]
    if len(names) < 2:
        return names[0] if names else _("their rankings")
    return join_with_and(names) if len(names) <= NAMED else _many(len(names))


def _name(read: Round) -> str:
    """Return the file of rankings, or the folder of forms; never a form, whose name is a student's id."""
    paths = ranking_files(read)
    folders = {path.resolve().parent for path in paths}
    if len(paths) < 2:
        return paths[0].name if paths else _("peer grading")
    return folders.pop().name if len(folders) == 1 else _many(len(paths))


def _many(files: int) -> str:
    return ngettext("{count:,} file of rankings", "{count:,} files of rankings", files).format(count=files)


def _facts(graded: GradedRound, who: People) -> dict[str, str]:
    read = graded.round
    handed_in = int((read.judged > 0).sum())
    missing = len(who.silent) + len(who.blank)
    share = _("{count:,} of {total:,}").format(count=handed_in, total=handed_in + missing)
    facts = {
        _("Papers"): f"{len(read.papers):,}",
        _("Graders who handed in"): share if missing else f"{handed_in:,}",
        _("Rankings per paper"): f"{read.judged.sum() / len(read.papers):.1f}",
        _("Rule"): rule_name(graded.outcome.rule),
    }
    spans = order.widths(graded)
    if spans is not None:
        width = round(float(np.median(spans)))
        facts[_("Typical 90% interval")] = ngettext("{count:,} place", "{count:,} places", width).format(count=width)
    return facts


def _first(graded: GradedRound, result: Coverage, who: People, address: Callable[[str], str]) -> Markup:
    """Return what to look at first, each with a link to its part."""
    read = graded.round
    points = [
        (
            ngettext("{count:,} row was skipped", "{count:,} rows were skipped", n := len(read.dropped)),
            n,
            "provenance",
        ),
        (
            ngettext(
                "{count:,} paper was ranked by nobody",
                "{count:,} papers were ranked by nobody",
                n := len(result.unread),
            ),
            n,
            "coverage",
        ),
        (
            ngettext(
                "{count:,} paper was compared with no other",
                "{count:,} papers were compared with no other",
                n := len(result.alone),
            ),
            n,
            "coverage",
        ),
        (
            ngettext(
                "{count:,} group of papers that nobody compared",
                "{count:,} groups of papers that nobody compared with each other",
                n := len(result.groups) if len(result.groups) > 1 else 0,
            ),
            n,
            "coverage",
        ),
        (
            ngettext(
                "{count:,} paper has only one or two rankings",
                "{count:,} papers have only one or two rankings",
                n := len(result.thin),
            ),
            n,
            "coverage",
        ),
        (
            ngettext(
                "{count:,} grader seems to have ranked at random or upside down",
                "{count:,} graders seem to have ranked at random or upside down",
                n := len(who.flagged),
            ),
            n,
            "graders",
        ),
        (
            ngettext(
                "{count:,} grader agrees little with the others",
                "{count:,} graders agree little with the others",
                n := len(who.doubtful),
            ),
            n,
            "graders",
        ),
        (
            ngettext(
                "{count:,} grader tied all of their papers",
                "{count:,} graders tied all of their papers",
                n := len(who.tied),
            ),
            n,
            "graders",
        ),
        (
            ngettext(
                "{count:,} grader moved their own paper up",
                "{count:,} graders moved their own papers up",
                n := len(who.gained),
            ),
            n,
            "graders",
        ),
        (
            ngettext("{count:,} grader handed in nothing", "{count:,} graders handed in nothing", n := len(who.silent)),
            n,
            "graders",
        ),
        (
            ngettext(
                "{count:,} grader ranked none of their papers",
                "{count:,} graders ranked none of their papers",
                n := len(who.blank),
            ),
            n,
            "graders",
        ),
        (
            ngettext("{count:,} note about this round", "{count:,} notes about this round", n := len(graded.notes)),
            n,
            "provenance",
        ),
    ]
    items = [
        element("li", element("a", text.format(count=number), href=address(anchor)))
        for text, number, anchor in points
        if number
    ]
    if graded.contrary_warning is not None:
        matter, cure = (with_options(part, bool(read.inputs)) for part in graded.contrary_warning)
        items.insert(
            0, element("li", element("strong", element("a", matter, href=address("graders")), "."), f" {cure}.")
        )
    if items:
        return element("div", element("h3", _("Look at this first")), element("ul", *items), class_="first")
    if graded.outcome.result.flags is None:
        calm = _("Everybody handed in their rankings.")
    else:
        calm = _("Everybody handed in their rankings, and nobody is flagged.")
    return element("div", element("h3", _("Nothing stands out")), element("p", calm), class_="first calm")
