"""Comparisons as HTML tables: ours, the printed number and the difference in one cell, with footnotes."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from peerorder.core.translation import gettext as _
from peerorder.reports.claims import Check
from peerorder.reports.comparison import Comparison, Verdict, standard_error
from peerorder.reports.deviations import explanation
from peerorder.reports.labels import plain_count, rule_name, scheme_name
from peerorder.reports.markup import Markup, element, joined
from peerorder.reports.table_cells import (
    Numbers,
    below,
    block_table,
    bullets,
    column,
    difference,
    framed,
    missing,
    missing_cell,
    ours,
    present,
    table,
    tally,
)
from peerorder.studies.figure_data import noise_name, run_pairs, spread, spread_name

__all__ = [
    "check_table",
    "curve_table",
    "differences",
    "footnotes",
    "size_table",
    "spread_table",
    "table1",
    "table2",
]


def differences() -> str:
    """Say how differences are to be read."""
    return _("Every difference is ours less the other one, in points.")


def check_table(checks: Sequence[Check[Any]], *title: str, notes: bool = False) -> Markup | None:
    """What is checked, how many numbers hold, and the one nearest to its limit; in ``notes`` every one beyond it.

    ``title`` has one sentence or more.
    """
    if not checks:
        return None
    rows = [
        (
            joined(check.name, below(check.criterion)),
            joined(tally(check.within, check.compared), below(_new(check))),
            joined(check.worst.shown, below(check.worst.where)),
        )
        for check in checks
    ]
    columns = (_("What is checked"), _("Kept"), _("Nearest to its limit, or furthest beyond"))
    beyond = [f"{check.name}. {case.sentence}" for check in checks for case in check.beyond] if notes else []
    return joined(table(" ".join(title), columns, rows, class_="summary"), bullets(beyond, "footnotes"))


def table1(comparisons: Sequence[Comparison], numbers: Numbers) -> Markup:
    """Table 1 as the article lays it out: a row for each k and n, a pair of columns for each kind of bundle graph."""
    schemes = present((c.scheme or "" for c in comparisons), ("random", "planes", "complete"))
    rules = present((c.rule for c in comparisons), ("borda", "rsd"))
    cells = {(c.k, c.n, c.scheme, c.rule): c for c in comparisons}
    above = [element("th", _("Graph"), colspan=2, scope="colgroup")]
    above += [element("th", scheme_name(scheme), colspan=len(rules), scope="colgroup") for scheme in schemes]
    below = [column("k"), column("n")]
    below += [column(rule_name(rule)) for _ in schemes for rule in rules]
    rows = []
    for k, n in sorted({(c.k, c.n or 0) for c in comparisons}):
        data = [_cell(cells.get((k, n, scheme, rule)), numbers) for scheme in schemes for rule in rules]
        rows.append(element("tr", element("th", str(k), scope="row"), element("th", str(n), scope="row"), *data))
    title = _("Table 1. Borda and RSD with perfect grading on three kinds of bundle graph.")
    heads = (element("tr", *above), element("tr", *below))
    return framed(_("Table 1"), title, heads, element("tbody", *rows), class_="cells")


def size_table(comparisons: Sequence[Comparison], numbers: Numbers) -> Markup:
    """Show the remark on larger classes: each large n beside the one in Table 1."""
    rows = [
        (
            str(c.k),
            plain_count(c.n or 0),
            ours(c.recovered, c.stderr),
            ours(c.reference, c.reference_stderr),
            difference(c, numbers),
        )
        for c in sorted(comparisons, key=lambda c: (c.k, c.n or 0))
    ]
    columns = ("k", "n", _("at this n"), _("in Table 1"), _("difference ± s.e."))
    title = _("Borda on random bundles: a large class beside that of Table 1.")
    return table(title, columns, rows, numbers=range(1, 5), class_="fit")


def table2(comparisons: Sequence[Comparison], restart: Sequence[Comparison], numbers: Numbers) -> Markup:
    """Table 2, a block of rows for each k, with MC4 with restart and how it stands to Borda on the right."""
    rules = present((c.rule for c in comparisons), ("borda", "rsd", "mc4"))
    cells = {(c.k, c.noise, c.rule): c for c in comparisons}
    extra = {(c.k, c.noise): c for c in restart}
    heads = [column(_("Noise level")), *(column(rule_name(rule)) for rule in rules)]
    if restart:
        heads += [column(_("MC4 with restart")), column(_("less Borda ± s.e."))]
    rows = {}
    for place in {(c.k, c.noise or 0) for c in (*comparisons, *restart)}:
        data = [_cell(cells.get((*place, rule)), numbers) for rule in rules]
        rows[place] = [*data, *(_restart_cells(extra.get(place), numbers) if restart else [])]
    title = _("Table 2. Borda, RSD and MC4 with noisy graders on random bundles.")
    return block_table(_("Table 2"), title, [element("tr", *heads)], rows)


def curve_table(rows: Sequence[Mapping[str, Any]], gaps: Sequence[Comparison], numbers: Numbers) -> Markup:
    """Show Figure 2's numbers: each rule for every k, and Borda less the exact law."""
    rules = present((row["rule"] for row in rows), ("borda", "rsd"))
    cells = {(row["k"], row["rule"]): row for row in rows}
    law = {gap.k: gap for gap in gaps}
    columns = [
        "k",
        *(rule_name(rule) for rule in rules),
        *([_("exact law of Borda"), _("Borda less law")] if law else []),
    ]
    lines = []
    for k in sorted({row["k"] for row in rows}):
        result = [cells.get((k, rule)) for rule in rules]
        data = [missing() if row is None else ours(row["recovered"], standard_error(row)) for row in result]
        if k in law:
            data += [ours(law[k].reference, None), difference(law[k], numbers)]
        elif law:
            data += [missing(), missing()]
        lines.append([str(k), *data])
    return table(_("Figure 2 in numbers."), columns, lines, numbers=range(1, len(columns)), class_="fit")


def spread_table(rows: Sequence[Mapping[str, Any]]) -> Markup | None:
    """Show Figure 3's numbers: mean and standard deviation of the single runs, and who was ahead how often."""
    lines = []
    for noise in sorted({row["noise"] for row in rows}, reverse=True):
        cloud = run_pairs(rows, noise)
        if len(cloud):
            borda, rsd = cloud.T
            data = [str(len(cloud)), spread_name(*spread(borda)), spread_name(*spread(rsd)), str((rsd > borda).sum())]
            lines.append([noise_name(noise), *data])
    if not lines:
        return None
    columns = (_("Graders"), _("runs"), "Borda", "RSD", _("runs with RSD ahead"))
    title = _("Figure 3 in numbers: mean ± standard deviation of the single runs.")
    return table(title, columns, lines, numbers=range(1, 5), class_="fit")


def footnotes(comparisons: Iterable[Comparison], numbers: Numbers) -> Markup | None:
    """List what is known about each number beyond its tolerance; its cell links here."""
    marked = [c for c in comparisons if c in numbers]
    if not marked:
        return None
    items = [
        element(
            "li",
            element("strong", f"{numbers[c]}. "),
            explanation(c),
            " ",
            element(
                "a",
                _("Back"),
                href=f"#mark-{numbers[c]}",
                aria_label=_("Back to the number with note {number}").format(number=numbers[c]),
            ),
            id=f"note-{numbers[c]}",
        )
        for c in marked
    ]
    return element("ul", *items, class_="footnotes")


def _new(check: Check[Any]) -> str:
    new = len(check.cases) - check.compared
    return _("and {count} new").format(count=new) if new else ""


def _cell(comparison: Comparison | None, numbers: Numbers) -> Markup:
    """Return ours on the first line, the printed number and the difference on the second."""
    c = comparison
    if c is None:
        return missing_cell()
    own = element("span", ours(c.recovered, c.stderr), class_="ours")
    if c.reference is None:
        badge = element("span", _("new"), class_="tag good", title=_("The article prints no number here"))
        return element(
            "td", own, element("span", badge, " ", _("none in the article"), class_="printed"), class_="cell new"
        )
    printed = element(
        "span",
        _("printed {number:.1f}").format(number=c.reference),
        " ",
        difference(c, numbers, stderr=False),
        class_="printed",
    )
    return element("td", own, printed, class_="cell beyond" if c.verdict is Verdict.BEYOND else "cell")


def _restart_cells(comparison: Comparison | None, numbers: Numbers) -> list[Markup]:
    c = comparison
    if c is None:
        return [missing_cell(), missing_cell()]
    own = element("span", ours(c.recovered, c.stderr), class_="ours")
    return [
        element("td", own, class_="cell"),
        element("td", difference(c, numbers), class_="cell beyond" if c.verdict is Verdict.BEYOND else "cell"),
    ]
