"""Figure of a comparison of rules: how far they agree, and how many held-out pairs each predicts correctly."""

from typing import TYPE_CHECKING

import numpy as np

from peerorder.core.translation import gettext as _
from peerorder.studies.figure_style import COLOURS, PAGE_WIDTH, canvas, figure_settings, finish_figure, rule_styles
from peerorder.studies.rule_comparison import RuleComparison

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["figure_comparison"]


def figure_comparison(result: RuleComparison) -> "Figure":
    """Draw the agreement matrix, and where pairs were held out, a dot with its error bar for every rule.

    Both have the rules in the same order, the one that predicts most at the top.
    """
    ranked = [each.rule for each in result.predictions] or list(result.rules)
    index = [result.rules.index(rule) for rule in ranked]
    names = [rule_styles(ranked)[rule].label for rule in ranked]
    with figure_settings():
        figure = canvas(PAGE_WIDTH, 1.5 + 0.26 * len(ranked), margin=0.06)
        if result.predictions:
            left, right = figure.subplots(1, 2, width_ratios=[2.2, 1], sharey=True)
            _dots(right, result)
        else:
            left = figure.subplots()
        _matrix(left, 100 * result.agreement[np.ix_(index, index)], names)
        return finish_figure(figure, _in_words(result))


def _matrix(axes: "Axes", shares: np.ndarray, names: list[str]) -> None:
    from matplotlib.colors import LinearSegmentedColormap

    number = len(names)
    apart = shares[~np.eye(number, dtype=bool)]
    low = float(apart.min(initial=100.0))
    near = np.clip((shares - low) / max(100 - low, 1e-9), 0, 1)
    np.fill_diagonal(near, 0)
    shades = LinearSegmentedColormap.from_list("near", ["#ffffff", COLOURS["blue"]])
    shown = np.ma.masked_array(near, np.eye(number, dtype=bool))
    axes.pcolormesh(
        np.arange(number + 1), np.arange(number + 1), shown, cmap=shades, vmin=0, vmax=1, edgecolors="white", lw=0.8
    )
    for i, j in np.argwhere(~np.eye(number, dtype=bool)):
        colour = "white" if near[i, j] > 0.75 else COLOURS["ink"]
        axes.text(j + 0.5, i + 0.5, f"{shares[i, j]:.0f}", ha="center", va="center", fontsize=6.0, color=colour)
    axes.set_xticks(np.arange(number) + 0.5, names, rotation=40, ha="right", rotation_mode="anchor")
    axes.set_yticks(np.arange(number) + 0.5, names)
    axes.set_ylim(number, 0)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_title(_("(a) Pairs in the same order (%)"))


def _dots(axes: "Axes", result: RuleComparison) -> None:
    up = np.arange(len(result.predictions)) + 0.5
    shares = [each.share for each in result.predictions]
    errors = [each.stderr if np.isfinite(each.stderr) else 0.0 for each in result.predictions]
    for index, each in enumerate(result.predictions):
        colour = COLOURS["blue"] if each.among_the_best else COLOURS["faint"]
        axes.errorbar(
            shares[index], up[index], xerr=errors[index], fmt="o" if each.among_the_best else "s", color=colour, lw=1.0
        )
    axes.grid(axis="x", color=COLOURS["faint"], alpha=0.25, linewidth=0.5)
    axes.set_axisbelow(True)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel(_("Held-out pairs predicted (%)\nround marker: among the best"))
    axes.set_title(_("(b) Pairs predicted correctly"))


def _in_words(result: RuleComparison) -> str:
    """Return the text alternative."""
    number = len(result.rules)
    text = _("Heat map of the share of pairs that every two rules put in the same order.")
    if number > 1:
        apart = np.where(np.eye(number, dtype=bool), np.nan, result.agreement)
        i, j = np.unravel_index(np.nanargmin(apart), apart.shape)
        text = _(
            "Heat map of the share of pairs that every two rules put in the same order; {one} and {other} agree least, "
            "on {percent:.1f}%."
        ).format(one=result.rules[i], other=result.rules[j], percent=100 * apart[i, j])
    return f"{text} {result.verdict}"
