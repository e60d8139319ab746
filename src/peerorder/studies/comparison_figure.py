"""A comparison of rules as a picture: how far they agree, and how much of what was held out each foretells."""

from typing import TYPE_CHECKING

import numpy as np

from peerorder.studies.figure_style import COLOURS, PAGE_WIDTH, canvas, finished, rule_styles, styled
from peerorder.studies.rule_comparison import RuleComparison

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["figure_comparison"]


def figure_comparison(found: RuleComparison) -> "Figure":
    """The agreement matrix, and where something was held out a dot with its error bar for every rule beside it.

    Both have the rules in one order, the one that foretells most at the top.
    """
    ranked = [each.rule for each in found.foretold] or list(found.rules)
    at = [found.rules.index(rule) for rule in ranked]
    names = [rule_styles(ranked)[rule].label for rule in ranked]
    with styled():
        figure = canvas(PAGE_WIDTH, 1.5 + 0.26 * len(ranked), margin=0.06)
        if found.foretold:
            left, right = figure.subplots(1, 2, width_ratios=[2.2, 1], sharey=True)
            _dots(right, found)
        else:
            left = figure.subplots()
        _matrix(left, 100 * found.agreement[np.ix_(at, at)], names)
        return finished(figure, _in_words(found))


def _matrix(axes: "Axes", shares: np.ndarray, names: list[str]) -> None:
    from matplotlib.colors import LinearSegmentedColormap

    many = len(names)
    apart = shares[~np.eye(many, dtype=bool)]
    low = float(apart.min(initial=100.0))
    near = np.clip((shares - low) / max(100 - low, 1e-9), 0, 1)
    np.fill_diagonal(near, 0)
    shades = LinearSegmentedColormap.from_list("near", ["#ffffff", COLOURS["blue"]])
    shown = np.ma.masked_array(near, np.eye(many, dtype=bool))
    axes.pcolormesh(
        np.arange(many + 1), np.arange(many + 1), shown, cmap=shades, vmin=0, vmax=1, edgecolors="white", lw=0.8
    )
    for i, j in np.argwhere(~np.eye(many, dtype=bool)):
        colour = "white" if near[i, j] > 0.75 else COLOURS["ink"]
        axes.text(j + 0.5, i + 0.5, f"{shares[i, j]:.0f}", ha="center", va="center", fontsize=6.0, color=colour)
    axes.set_xticks(np.arange(many) + 0.5, names, rotation=40, ha="right", rotation_mode="anchor")
    axes.set_yticks(np.arange(many) + 0.5, names)
    axes.set_ylim(many, 0)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_title("(a) Pairs in the same order (%)")


def _dots(axes: "Axes", found: RuleComparison) -> None:
    up = np.arange(len(found.foretold)) + 0.5
    shares = [each.share for each in found.foretold]
    errors = [each.stderr if np.isfinite(each.stderr) else 0.0 for each in found.foretold]
    for at, each in enumerate(found.foretold):
        colour = COLOURS["blue"] if each.among_the_best else COLOURS["faint"]
        axes.errorbar(
            shares[at], up[at], xerr=errors[at], fmt="o" if each.among_the_best else "s", color=colour, lw=1.0
        )
    axes.grid(axis="x", color=COLOURS["faint"], alpha=0.25, linewidth=0.5)
    axes.set_axisbelow(True)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel("Held-out pairs foretold (%)\nround: among the best")
    axes.set_title("(b) Who foretells most")


def _in_words(found: RuleComparison) -> str:
    """The text alternative."""
    many = len(found.rules)
    told = "Heat map of the share of pairs that every two rules put in the same order"
    if many > 1:
        apart = np.where(np.eye(many, dtype=bool), np.nan, found.agreement)
        i, j = np.unravel_index(np.nanargmin(apart), apart.shape)
        told += f"; least alike are {found.rules[i]} and {found.rules[j]} with {100 * apart[i, j]:.1f}%"
    return f"{told}. {found.verdict}"
