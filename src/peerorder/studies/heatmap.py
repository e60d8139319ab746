"""Figure of the robustness matrix: which rule holds up against which graders."""

from typing import TYPE_CHECKING

import numpy as np

from peerorder.core.translation import gettext as _
from peerorder.studies.figure_data import Rows, check_rows
from peerorder.studies.figure_style import COLOURS, PAGE_WIDTH, canvas, figure_settings, finish_figure, rule_styles
from peerorder.studies.scenarios import at_defaults

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["figure_robustness"]

# Points behind the best rule of the row from which on a cell is white.
FAR = 5.0


def figure_robustness(rows: Rows) -> "Figure":
    """Draw a panel for each k: scenarios down, rules across, percent recovered in the cells.

    Parameters
    ----------
    rows
        The rows of ``robustness.csv``: ``scenario``, ``k``, ``rule`` and ``recovered`` in percent. Rules that
        were run in some scenarios only are left out.
    """
    rows = at_defaults(rows)
    rules = check_rows(rows, "robustness", ("scenario", "k", "rule", "recovered"))
    scenarios = list(dict.fromkeys(row["scenario"] for row in rows))
    sizes = sorted({row["k"] for row in rows})
    with figure_settings():
        # The layout is found at another resolution than it is drawn at, and there long labels are a little longer.
        figure = canvas(PAGE_WIDTH, len(sizes) * (0.9 + 0.19 * len(scenarios)), margin=0.14)
        panels = figure.subplots(len(sizes), 1, squeeze=False)[:, 0]
        for axes, k in zip(panels, sizes, strict=True):
            values = np.full((len(scenarios), len(rules)), np.nan)
            for row in rows:
                if row["k"] == k:
                    values[scenarios.index(row["scenario"]), rules.index(row["rule"])] = row["recovered"]
            _panel(axes, values, scenarios, rules, f"k = {k}")
        return finish_figure(figure, _in_words(rows, scenarios, sizes))


def _panel(axes: "Axes", values: np.ndarray, scenarios: list[str], rules: list[str], title: str) -> None:
    from matplotlib.colors import LinearSegmentedColormap

    best = np.nanmax(values, axis=1, keepdims=True)
    near = np.clip(1 - (best - values) / FAR, 0, 1)
    shades = LinearSegmentedColormap.from_list("near", ["#ffffff", COLOURS["blue"]])
    axes.pcolormesh(near, cmap=shades, vmin=0, vmax=1, edgecolors="white", linewidth=0.8)
    for i, j in np.argwhere(~np.isnan(values)):
        leads = values[i, j] == best[i, 0]
        axes.text(
            j + 0.5,
            i + 0.5,
            f"{values[i, j]:.1f}",
            ha="center",
            va="center",
            fontsize=6.0,
            fontweight="bold" if leads else "normal",
            color="white" if near[i, j] > 0.55 else COLOURS["ink"],
        )
    names = rule_styles(rules)
    axes.set_xticks(np.arange(len(rules)) + 0.5, [names[rule].label for rule in rules], rotation=35, ha="right")
    axes.set_yticks(np.arange(len(scenarios)) + 0.5, scenarios)
    axes.tick_params(length=0)
    axes.invert_yaxis()
    axes.spines[:].set_visible(False)
    axes.set_title(title)


def _in_words(rows: Rows, scenarios: list[str], sizes: list[int]) -> str:
    """Return the text alternative: which rule leads how often."""
    parts = []
    for k in sizes:
        wins: dict[str, int] = {}
        for scenario in scenarios:
            cells = [row for row in rows if row["k"] == k and row["scenario"] == scenario]
            if cells:
                leader = max(cells, key=lambda row: row["recovered"])["rule"]
                wins[leader] = wins.get(leader, 0) + 1
        ranked = sorted(wins.items(), key=lambda item: -item[1])
        each, text = _("{rule} in {count}"), _("At k = {k} the best rule is {rules} of {count} scenarios.")
        rules = ", ".join(each.format(rule=rule, count=count) for rule, count in ranked)
        parts.append(text.format(k=k, rules=rules, count=sum(wins.values())))
    return " ".join((_("Heat map of the percent recovered by every rule in every scenario."), *parts))
