"""The page of ``peerorder reproduce``: every number next to the printed one, every figure, in one standalone file.

``page`` only lays out: what agrees and what does not is decided in ``peerorder.reports.comparison``.
"""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from peerorder.core.translation import gettext as _, message, ngettext, translate
from peerorder.reports import calibration, collusion, real, tables as html
from peerorder.reports.claims import Case, Check
from peerorder.reports.comparison import (
    Comparison,
    Verdict,
    across_sizes,
    against_law,
    against_paper,
    checks,
    restart_against_borda,
    runs_a_cell,
)
from peerorder.reports.inline_svg import drawing
from peerorder.reports.markup import Markup, element, joined
from peerorder.reports.robustness import robustness, table_2_with_every_rule
from peerorder.reports.sections import Section, facts, key_facts
from peerorder.reports.standalone import standalone
from peerorder.reports.table_cells import numbered

__all__ = ["page", "promises"]

Rows = Sequence[Mapping[str, Any]]

_CAPTIONS = {
    "figure2": message(
        "Figure 2. Borda and RSD with perfect grading, n = 1000, random bundles. Bars show two standard errors either "
        "way and are often smaller than the points; the line is the exact law of Borda's expected share for large n, "
        "computed and not fitted. The dashed guides in (b) have the slopes of 1/k and 1/k²."
    ),
    "figure3": message(
        "Figure 3. Each point is one run, n = 1000, k = 8, random bundles: across what Borda recovered, up what RSD "
        "recovered from the same ballots. Both axes have one scale; crosses mark the means and one standard "
        "deviation either way."
    ),
    "table2": message(
        "Table 2 as a figure. Filled markers and lines are ours, open markers the numbers in the article's table; "
        "the article has none where the panel is shaded, and none for MC4 with restart."
    ),
}


def page(
    tables: Mapping[str, Rows],
    figures: Mapping[str, str],
    provenance: Mapping[str, Any],
    law: Mapping[int, float] | None = None,
    noisy_law: Mapping[tuple[int, float], float] | None = None,
) -> str:
    """Lay out the whole report as one HTML page.

    Parameters
    ----------
    tables
        The rows of each CSV at hand under the name of its study; a study that is not there leaves its
        section out.
    figures
        The SVG text of each figure at hand, under the name of its study.
    provenance
        Where the numbers come from, shown as it is; ``seed`` and ``version`` also stand at the top.
    law
        The exact law of Borda in percent for each k, to compare Figure 2 with.
    noisy_law
        The same for erring graders, for each k and noise level of Table 2.
    """
    tables = {name: rows for name, rows in tables.items() if rows}
    studies = (
        ("table1", "table-1", _("Table 1: perfect grading"), _perfect),
        ("figure2", "figure-2", _("Figure 2: the bundle size"), partial(_sizes, law=law or {})),
        ("table2", "table-2", _("Table 2: noisy graders"), _noisy),
        ("figure3", "figure-3", _("Figure 3: single runs"), _runs),
        ("robustness", "robustness", _("Robustness: every rule, every kind of grader"), robustness),
        ("robustness", "table-2-every-rule", _("Table 2 with every rule"), table_2_with_every_rule),
        ("collusion", "collusion", _("Collusion: what a team gains"), collusion.section),
        (
            "calibration",
            "calibration",
            _("Calibration: error bars and graders to trust"),
            partial(calibration.section, reliabilities=tables.get("reliability", ())),
        ),
        (
            "real",
            "real",
            _("Real people: predicting their judgements"),
            partial(real.section, reliability=tables.get("real-reliability", ())),
        ),
    )
    parts = [
        ("summary", _("Summary"), _summary(checks(tables, law, noisy_law), tables, provenance)),
        *((anchor, title, lay(tables[name], figures)) for name, anchor, title, lay in studies if name in tables),
        ("provenance", _("Provenance"), _provenance(provenance)),
    ]
    sections = [Section(anchor, title, html) for anchor, title, html in parts if html is not None]
    title = _("The experiments of Caragiannis et al. (2015), run again")
    return standalone(title, title, sections)


def promises(tables: Mapping[str, Rows]) -> list[Check[Case]]:
    """All promises about the rules themselves that the tables at hand can be held to."""
    return [
        *collusion.promise_of_collusion(tables.get("collusion", ())),
        *calibration.promises_of_calibration(tables.get("calibration", ())),
    ]


def _summary(result: Sequence[Check[Comparison]], tables: Mapping[str, Rows], provenance: Mapping[str, Any]) -> Markup:
    compared, within = sum(check.compared for check in result), sum(check.within for check in result)
    share = _("{count:,} of {total:,}")
    values = {
        _("Comparisons within tolerance"): share.format(count=within, total=compared) if compared else None,
        _("Runs per cell (in the article: 50)"): runs_a_cell(tables) or None,
        _("Seed"): provenance.get("seed"),
        "peerorder": provenance.get("version"),
    }
    lead = _(
        "Caragiannis, Krimpas and Voudouris, Aggregating partial rankings with applications to peer grading in massive "
        "online open courses (AAMAS 2015). All numbers are the percentage of pairs of papers that come out in the "
        "right order; ± is one standard error of the mean."
    )
    return joined(
        element("p", lead),
        key_facts({name: str(value) for name, value in values.items() if value is not None}),
        html.check_table(result, _("Summary of all checks."), html.differences()),
    )


def _perfect(rows: Rows, _figures: Mapping[str, str]) -> Markup:
    printed, large = against_paper("table1", rows), across_sizes(rows)
    numbers = numbered("1", printed + large)
    parts: list[Markup | None] = []
    if printed:
        parts += [_legend(printed), html.table1(printed, numbers), html.footnotes(printed, numbers)]
    if large:
        remark = _(
            "The article says in a footnote that n up to 10,000 gives essentially the same results. Borda, run again:"
        )
        parts += [element("h3", _("Larger classes")), element("p", remark), html.size_table(large, numbers)]
        parts.append(html.footnotes(large, numbers))
    return joined(*parts)


def _sizes(rows: Rows, figures: Mapping[str, str], law: Mapping[int, float]) -> Markup:
    gaps = against_law("figure2", rows, law)
    numbers = numbered("2", gaps)
    result = None
    if gaps:
        worst = max(gaps, key=lambda c: abs(c.difference or 0.0))
        result = element(
            "p",
            _("The exact law is nowhere further than {gap:.2f} points from the simulated Borda (at k = {k}).").format(
                gap=abs(worst.difference or 0.0), k=worst.k
            ),
        )
    table = html.curve_table(rows, gaps, numbers)
    behind = element(
        "details", element("summary", _("The numbers behind the figure")), table, open="" if numbers else None
    )
    return joined(result, _figure("figure2", figures), behind, html.footnotes(gaps, numbers))


def _noisy(rows: Rows, figures: Mapping[str, str]) -> Markup:
    printed, restart = against_paper("table2", rows), restart_against_borda(rows)
    numbers = numbered("3", printed + restart)
    new = sum(c.verdict is Verdict.NEW for c in printed)
    independent = _(
        "The standard error of MC4 with restart less Borda takes the two as independent. They run on the same "
        "ballots, so the true one is likely smaller."
    )
    filled = ngettext(
        "{count} of the cells below is empty in the article, whose sampler could not finish it.",
        "{count} of the cells below are empty in the article, whose sampler could not finish them.",
        new,
    ).format(count=new)
    return joined(
        _legend(printed),
        element("p", filled) if new else None,
        element("p", independent) if restart else None,
        html.table2(printed, restart, numbers),
        html.footnotes(printed + restart, numbers),
        _figure("table2", figures),
    )


def _runs(rows: Rows, figures: Mapping[str, str]) -> Markup:
    return joined(_figure("figure3", figures), html.spread_table(rows))


def _provenance(provenance: Mapping[str, Any]) -> Markup | None:
    if not provenance:
        return None
    return facts({str(key): _plain(value) for key, value in provenance.items()})


def _plain(value: Any) -> str:
    """Write a value as people would: text as it is, the facts of a group in one line, anything else as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {_plain(inner)}" for key, inner in value.items())
    return json.dumps(value, ensure_ascii=False, default=str)


def _legend(comparisons: Sequence[Comparison]) -> Markup:
    """How to read a cell, with what this table happens to contain."""
    text = _(
        "Each cell: ours ± its standard error; below it the number of the article and the difference, ours less theirs."
    )
    if any(c.verdict is Verdict.BEYOND for c in comparisons):
        return element("p", text, " ", _("A triangle and a note mark what is beyond the tolerance."))
    return element("p", text)


def _figure(name: str, figures: Mapping[str, str]) -> Markup | None:
    return drawing(name, figures, translate(_CAPTIONS[name]))
