"""Figure of the robustness matrix: which rule holds up against which graders."""

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from peerorder.core.translation import gettext as _
from peerorder.studies.figure_data import Rows, check_rows
from peerorder.studies.figure_style import COLOURS, PAGE_WIDTH, canvas, figure_settings, finish_figure, rule_styles
from peerorder.studies.scenarios import COMPLETE, at_defaults, panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["figure_robustness"]

# Points behind the best rule of the row from which on a cell is white.
FAR = 5.0


def figure_robustness(rows: Rows) -> "Figure":
    """Draw a panel for each k: its scenarios down, rules across, percent recovered in the cells.

    Parameters
    ----------
    rows
        The rows of ``robustness.csv``: ``scenario``, ``k``, ``rule`` and ``recovered`` in percent. Rules that
        were run in some scenarios only are left out.
    """
    rows = at_defaults(rows)
    rules = check_rows(rows, "robustness", ("scenario", "k", "rule", "recovered"))
    by_k = panels(rows)
    scenarios = {k: list(dict.fromkeys(row["scenario"] for row in chosen)) for k, chosen in by_k.items()}
    counts = [len(names) for names in scenarios.values()]
    with figure_settings():
        # The layout is found at another resolution than it is drawn at, and there long labels are a little longer.
        figure = canvas(PAGE_WIDTH, 0.9 * len(counts) + 0.19 * sum(counts), margin=0.14)
        drawn = figure.subplots(len(counts), 1, squeeze=False, height_ratios=counts)[:, 0]
        for axes, (k, chosen) in zip(drawn, by_k.items(), strict=True):
            values = np.full((len(scenarios[k]), len(rules)), np.nan)
            for row in chosen:
                values[scenarios[k].index(row["scenario"]), rules.index(row["rule"])] = row["recovered"]
            lists = all(name.startswith(COMPLETE) for name in scenarios[k])
            title = _("k = {k}, complete lists") if lists else "k = {k}"
            _panel(axes, values, [name.removeprefix(COMPLETE) for name in scenarios[k]], rules, title.format(k=k))
        return finish_figure(figure, _in_words(by_k))


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


def _in_words(by_k: Mapping[int, Rows]) -> str:
    """Return the text alternative: which rule leads how often."""
    parts = []
    for k, rows in by_k.items():
        best: dict[str, Mapping[str, Any]] = {}
        for row in rows:
            if row["recovered"] > best.setdefault(row["scenario"], row)["recovered"]:
                best[row["scenario"]] = row
        wins = Counter(row["rule"] for row in best.values())
        each, text = _("{rule} in {count}"), _("At k = {k} the best rule is {rules} of {count} scenarios.")
        rules = ", ".join(each.format(rule=rule, count=count) for rule, count in wins.most_common())
        parts.append(text.format(k=k, rules=rules, count=sum(wins.values())))
    return " ".join((_("Heat map of the percent recovered by every rule in every scenario."), *parts))
