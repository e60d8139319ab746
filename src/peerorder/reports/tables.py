"""Comparisons as HTML tables: ours, the paper's number and the difference in one cell, footnotes underneath."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from peerorder.reports.comparison import Check, Comparison, Verdict, standard_error
from peerorder.reports.explanation import explanation
from peerorder.reports.markup import Markup, element, joined
from peerorder.reports.wording import plain_count, rule_name, scheme_name, signed
from peerorder.studies.figure_data import noise_name, run_pairs, spread, spread_name
from peerorder.studies.real import means

__all__ = [
    "check_table",
    "curve_table",
    "footnotes",
    "real_table",
    "robustness_table",
    "scrollable",
    "size_table",
    "spread_table",
    "table1",
    "table2",
]

Numbers = Mapping[Comparison, str]

_MISSING = element("td", element("span", "not run", class_="quiet"), class_="cell")


def scrollable(label: str, *content: str) -> Markup:
    """Put things into a box that scrolls sideways, by keyboard too, so that the page itself never has to."""
    return element("div", *content, class_="scroll", tabindex=0, role="region", aria_label=label)


def check_table(checks: Sequence[Check]) -> Markup:
    """Summarise: what was asked, how many numbers hold, and the largest difference."""
    rows = [
        element(
            "tr",
            element("th", check.name, element("span", check.criterion, class_="quiet line"), scope="row"),
            element("td", _tally(check), class_="number"),
            element(
                "td",
                "lowest " if check.worst.one_sided else None,
                signed(check.worst.difference or 0.0),
                element("span", check.worst.where, class_="quiet line"),
            ),
        )
        for check in checks
    ]
    head = element(
        "tr",
        *(_column(text) for text in ("What is checked", "Within", "Nearest to its limit, or furthest beyond (points)")),
    )
    caption = _caption("How the numbers below compare; every difference is ours less the other one.")
    table = element("table", caption, element("thead", head), element("tbody", *rows), class_="summary")
    return scrollable("Summary of all checks", table)


def table1(comparisons: Sequence[Comparison], numbers: Numbers) -> Markup:
    """Table 1 as the paper lays it out: a row for each k and n, a pair of columns for each kind of bundle graph."""
    schemes = _present((c.scheme or "" for c in comparisons), ("random", "planes", "complete"))
    rules = _present((c.rule for c in comparisons), ("borda", "rsd"))
    cells = {(c.k, c.n, c.scheme, c.rule): c for c in comparisons}
    above = [element("th", "Graph", colspan=2, scope="colgroup")]
    above += [element("th", scheme_name(scheme), colspan=len(rules), scope="colgroup") for scheme in schemes]
    below = [_column("k"), _column("n")]
    below += [_column(rule_name(rule)) for _ in schemes for rule in rules]
    rows = []
    for k, n in sorted({(c.k, c.n or 0) for c in comparisons}):
        data = [_cell(cells.get((k, n, scheme, rule)), numbers) for scheme in schemes for rule in rules]
        rows.append(element("tr", element("th", str(k), scope="row"), element("th", str(n), scope="row"), *data))
    caption = _caption("Table 1. Borda and RSD with perfect grading on three kinds of bundle graph.")
    head = element("thead", element("tr", *above), element("tr", *below))
    return scrollable("Table 1", element("table", caption, head, element("tbody", *rows)))


def size_table(comparisons: Sequence[Comparison], numbers: Numbers) -> Markup:
    """Show the remark on larger classes: each large n beside the one in Table 1."""
    rows = []
    for c in sorted(comparisons, key=lambda c: (c.k, c.n or 0)):
        data = [
            element("td", plain_count(c.n or 0), class_="number"),
            _plain(_ours(c.recovered, c.stderr)),
            _plain(_ours(c.reference, c.reference_stderr)),
            _plain(_difference(c, numbers)),
        ]
        rows.append(element("tr", element("th", str(c.k), scope="row"), *data))
    heads = ("k", "n", "at this n", "in Table 1", "difference ± s.e.")
    caption = _caption("Borda on random bundles: a large class beside Table 1's.")
    head = element("thead", element("tr", *(_column(text) for text in heads)))
    return scrollable("Large classes", element("table", caption, head, element("tbody", *rows), class_="narrow"))


def table2(comparisons: Sequence[Comparison], restart: Sequence[Comparison], numbers: Numbers) -> Markup:
    """Table 2, a block of rows for each k, with MC4 with restart and how it stands to Borda on the right."""
    rules = _present((c.rule for c in comparisons), ("borda", "rsd", "mc4"))
    cells = {(c.k, c.noise, c.rule): c for c in comparisons}
    extra = {(c.k, c.noise): c for c in restart}
    heads = [_column("Noise level"), *(_column(rule_name(rule)) for rule in rules)]
    if restart:
        heads += [_column("MC4 with restart"), _column("less Borda ± s.e.")]
    bodies = []
    places = {(c.k, c.noise or 0) for c in (*comparisons, *restart)}
    for k in sorted({k for k, _ in places}):
        lines = [element("tr", element("th", f"k = {k}", colspan=len(heads), scope="rowgroup", class_="block"))]
        for noise in sorted((noise for size, noise in places if size == k), reverse=True):
            data = [_cell(cells.get((k, noise, rule)), numbers) for rule in rules]
            if restart:
                data += _restart_cells(extra.get((k, noise)), numbers)
            level = f"{noise:g}%" if noise else "0% (perfect)"
            lines.append(element("tr", element("th", level, scope="row"), *data))
        bodies.append(element("tbody", *lines))
    caption = _caption("Table 2. Borda, RSD and MC4 with noisy graders on random bundles.")
    return scrollable("Table 2", element("table", caption, element("thead", element("tr", *heads)), *bodies))


def curve_table(rows: Sequence[Mapping[str, Any]], gaps: Sequence[Comparison], numbers: Numbers) -> Markup:
    """Show Figure 2's numbers: each rule for every k, and Borda less the exact law."""
    rules = _present((row["rule"] for row in rows), ("borda", "rsd"))
    cells = {(row["k"], row["rule"]): row for row in rows}
    law = {gap.k: gap for gap in gaps}
    heads = ["k", *(rule_name(rule) for rule in rules), *(["exact law of Borda", "Borda less law"] if law else [])]
    lines = []
    for k in sorted({row["k"] for row in rows}):
        found = [cells.get((k, rule)) for rule in rules]
        data = [_MISSING if row is None else _plain(_ours(row["recovered"], standard_error(row))) for row in found]
        if k in law:
            data += [_plain(_ours(law[k].reference, None)), _plain(_difference(law[k], numbers))]
        elif law:
            data += [_MISSING, _MISSING]
        lines.append(element("tr", element("th", str(k), scope="row"), *data))
    caption = _caption("Figure 2 in numbers.")
    head = element("thead", element("tr", *(_column(text) for text in heads)))
    return scrollable("Figure 2 in numbers", element("table", caption, head, element("tbody", *lines), class_="narrow"))


def spread_table(rows: Sequence[Mapping[str, Any]]) -> Markup | None:
    """Show Figure 3's numbers: mean and standard deviation of the single runs, and who was ahead how often."""
    lines = []
    for noise in sorted({row["noise"] for row in rows}, reverse=True):
        cloud = run_pairs(rows, noise)
        if len(cloud):
            borda, rsd = cloud.T
            data = [str(len(cloud)), spread_name(*spread(borda)), spread_name(*spread(rsd)), str((rsd > borda).sum())]
            cells = [element("td", text, class_="number") for text in data]
            lines.append(element("tr", element("th", noise_name(noise), scope="row"), *cells))
    if not lines:
        return None
    caption = _caption("Figure 3 in numbers: mean ± standard deviation of the single runs.")
    heads = ("runs", "Borda", "RSD", "runs with RSD ahead")
    head = element("thead", element("tr", element("td"), *(_column(text) for text in heads)))
    return scrollable("Figure 3 in numbers", element("table", caption, head, element("tbody", *lines), class_="narrow"))


def robustness_table(rows: Sequence[Mapping[str, Any]], k: int) -> Markup:
    """Scenarios by rules for one k; the best of a row, and what cannot be told from it, in bold."""
    chosen = [row for row in rows if row["k"] == k]
    rules = list(dict.fromkeys(row["rule"] for row in chosen))
    lines = []
    for scenario in dict.fromkeys(row["scenario"] for row in chosen):
        cells = {row["rule"]: row for row in chosen if row["scenario"] == scenario}
        best = max(cells.values(), key=lambda row: row["recovered"])
        shown = [_among_the_best(cells[rule], best) if rule in cells else _MISSING for rule in rules]
        lines.append(element("tr", element("th", scenario, scope="row"), *shown))
    head = element("tr", _column("Graders"), *(_column(rule_name(rule)) for rule in rules))
    caption = _caption(f"k = {k}: percent recovered, with standard errors.")
    table = element("table", caption, element("thead", head), element("tbody", *lines))
    return scrollable(f"Robustness, k = {k}", table)


def _among_the_best(row: Mapping[str, Any], best: Mapping[str, Any]) -> Markup:
    error = math.hypot(standard_error(row) or 0.0, standard_error(best) or 0.0)
    text = f"{row['recovered']:.1f}"
    value = element("strong", text) if best["recovered"] - row["recovered"] <= 2 * error else element("span", text)
    stderr = standard_error(row)
    return element(
        "td",
        value,
        element("span", f" \N{PLUS-MINUS SIGN} {stderr:.1f}", class_="quiet") if stderr is not None else None,
        class_="number",
    )


def real_table(rows: Sequence[Mapping[str, Any]]) -> Markup:
    """Rules by amount of training, the best first: the mean share foretold over all sessions."""
    found = means(rows)
    trains = sorted({train for _, train in found})
    ranked = sorted(dict.fromkeys(rule for rule, _ in found), key=lambda rule: -found[rule, trains[-1]][0])
    lines = [
        element(
            "tr",
            element("th", rule_name(rule), scope="row"),
            *(element("td", f"{found[rule, train][0]:.2f}", class_="number") for train in trains),
        )
        for rule in ranked
    ]
    head = element("tr", _column("Rule"), *(_column(f"trained on {train}%") for train in trains))
    caption = _caption("Percent of held-out decisions foretold, mean over the sessions.")
    table = element("table", caption, element("thead", head), element("tbody", *lines), class_="narrow")
    return scrollable("Real judges", table)


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
            element("a", "Back", href=f"#mark-{numbers[c]}", aria_label=f"Back to the number with note {numbers[c]}"),
            id=f"note-{numbers[c]}",
        )
        for c in marked
    ]
    return element("ul", *items, class_="notes")


def _present(values: Iterable[str], order: Sequence[str]) -> list[str]:
    """List the values that occur, those with a set order first."""
    found = dict.fromkeys(values)
    return [x for x in order if x in found] + [x for x in found if x not in order]


def _caption(text: str) -> Markup:
    # The span wraps at the width of the screen, where the caption is as wide as its table.
    return element("caption", element("span", text))


def _column(text: str) -> Markup:
    return element("th", text, scope="col")


def _tally(check: Check) -> Markup:
    missing = check.compared - check.within
    text = f"{check.within} of {check.compared}"
    tally = (
        joined(text) if not missing else element("strong", f"\N{BLACK UP-POINTING TRIANGLE} {text}", class_="beyond")
    )
    new = len(check.comparisons) - check.compared
    return joined(tally, element("span", f"and {new} new", class_="quiet line") if new else None)


def _ours(recovered: float | None, stderr: float | None) -> Markup:
    if recovered is None:
        return joined("\N{EN DASH}")
    return joined(f"{recovered:.2f}", element("small", f" ± {stderr:.2f}") if stderr is not None else None)


def _plain(content: Markup) -> Markup:
    return element("td", content, class_="number")


def _cell(comparison: Comparison | None, numbers: Numbers) -> Markup:
    """Ours on the first line, the paper's and the difference on the second."""
    c = comparison
    if c is None:
        return _MISSING
    ours = element("span", _ours(c.recovered, c.stderr), class_="ours")
    if c.reference is None:
        badge = element("span", "new", class_="badge", title="The paper prints no number here")
        return element("td", ours, element("span", badge, " none in the paper", class_="paper"), class_="cell new")
    printed = element("span", f"paper {c.reference:.1f} ", _difference(c, numbers, stderr=False), class_="paper")
    return element("td", ours, printed, class_="cell beyond" if c.verdict is Verdict.BEYOND else "cell")


def _restart_cells(comparison: Comparison | None, numbers: Numbers) -> list[Markup]:
    c = comparison
    if c is None:
        return [_MISSING, _MISSING]
    ours = element("span", _ours(c.recovered, c.stderr), class_="ours")
    return [
        element("td", ours, class_="cell"),
        element("td", _difference(c, numbers), class_="cell beyond" if c.verdict is Verdict.BEYOND else "cell"),
    ]


def _difference(c: Comparison, numbers: Numbers, stderr: bool = True) -> Markup:
    """Show the difference; beyond its tolerance with a sign, spoken words and a footnote, not by colour alone."""
    value = c.difference or 0.0
    error = element("small", f" ± {c.difference_stderr:.2f}") if stderr and c.difference_stderr is not None else None
    text = joined(signed(value), error)
    if c.verdict is not Verdict.BEYOND:
        return element("span", text, class_="difference")
    arrow = "\N{BLACK UP-POINTING TRIANGLE}" if value > 0 else "\N{BLACK DOWN-POINTING TRIANGLE}"
    note = numbers.get(c)
    link = element("a", note, href=f"#note-{note}", id=f"mark-{note}", aria_label=f"Note {note}") if note else None
    return element(
        "strong",
        element("span", f"{arrow} ", aria_hidden="true"),
        text,
        element("span", " beyond tolerance", class_="spoken"),
        element("sup", link) if link else None,
        class_="difference",
    )
