"""The figures of the article, and Table 2 as one, drawn from the rows of the CSVs of ``peerorder reproduce``.

Every figure carries a text alternative built from the same rows, in its label. matplotlib is loaded
when the first figure is drawn, not when this module is imported.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from peerorder.core.errors import InputError
from peerorder.core.translation import gettext as _, message, ngettext, translate
from peerorder.studies.figure_data import (
    Points,
    Rows,
    check_rows,
    curve,
    describe2,
    describe3,
    describe_table2,
    law_line,
    noise_name,
    run_pairs,
    spread,
    spread_name,
)
from peerorder.studies.figure_style import (
    COLOURS,
    PAGE_WIDTH,
    RuleStyle,
    canvas,
    figure_settings,
    finish_figure,
    rule_styles,
    save,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["figure2", "figure3", "figure_table2", "save"]

_RECOVERED = message("Pairs in the right order (%)")
_BUNDLE = message("Bundle size k (papers each student ranks)")


def figure2(rows: Rows, law: Mapping[int, float] | None = None) -> "Figure":
    """Draw Figure 2: pairs in the right order by bundle size, and pairs in the wrong order on logarithmic axes.

    Parameters
    ----------
    rows
        The rows of ``figure2.csv``: ``k``, ``rule``, ``recovered`` and ``stderr`` in percent.
    law
        The exact law of Borda on random bundles for each k, in percent; drawn as a line.
    """
    styles = rule_styles(check_rows(rows, "figure2", ("k", "rule", "recovered", "stderr")))
    series = {rule: curve(rows, rule) for rule in styles}
    line = law_line(law)
    with figure_settings():
        figure = canvas(PAGE_WIDTH, 3.0)
        left, right = figure.subplots(1, 2)
        for axes, base, sign in ((left, 0, 1), (right, 100, -1)):
            if len(line):
                exact = base + sign * line[:, 1]
                axes.plot(line[:, 0], exact, color=COLOURS["blue"], lw=1.0, label=_("Borda, exact law"), zorder=2)
            for rule, style in styles.items():
                k, recovered, stderr = series[rule]
                y = base + sign * recovered
                shown = y > 0  # what leaves nothing to recover has no place on a logarithmic axis
                points = _points(style)
                axes.errorbar(
                    k[shown],
                    y[shown],
                    yerr=2 * stderr[shown],
                    label=_("{rule}, simulated").format(rule=style.label),
                    **points,
                )
            axes.set_xlabel(translate(_BUNDLE))
        left.set_ylabel(translate(_RECOVERED))
        left.set_title(_("(a) What is recovered"))
        left.legend(loc="lower right")
        right.set_ylabel(_("Pairs in the wrong order (%)"))
        right.set_title(_("(b) What is left, on logarithmic axes"))
        _logarithmic(right)
        for rule, power, shift in (("borda", 1, 1.45), ("rsd", 2, 0.55)):
            if rule in series:
                _slope(right, *series[rule][:2], power, shift)
        return finish_figure(figure, describe2(series, _labels(styles), line))


def figure3(rows: Rows) -> "Figure":
    """Draw Figure 3: every single run of Borda against the same run of RSD, a panel for each level of noise.

    Parameters
    ----------
    rows
        The rows of ``figure3.csv``: ``noise``, ``run``, ``rule``, and ``recovered`` in percent.
    """
    check_rows(rows, "figure3", ("noise", "run", "rule", "recovered"))
    clouds = {noise: run_pairs(rows, noise) for noise in sorted({row["noise"] for row in rows}, reverse=True)}
    clouds = {noise: cloud for noise, cloud in clouds.items() if len(cloud)}
    if not clouds:
        raise InputError(_("figure3 has no run with both borda and rsd; it compares the two run by run"))
    with figure_settings():
        figure = canvas(PAGE_WIDTH * max(len(clouds), 2) / 2, 3.65)
        panels = figure.subplots(1, len(clouds), squeeze=False)[0]
        for index, (axes, (noise, cloud)) in enumerate(zip(panels, clouds.items(), strict=True)):
            axes.set_title(f"({chr(ord('a') + index)}) {noise_name(noise)}")
            _scatter(axes, cloud)
        return finish_figure(figure, describe3(clouds))


def figure_table2(rows: Rows) -> "Figure":
    """Draw Table 2 as a figure: pairs in the right order by noise, a panel per bundle size, a line per rule.

    Parameters
    ----------
    rows
        The rows of ``table2.csv``: ``k``, ``noise``, ``rule``, ``recovered`` and ``paper`` in percent.
    """
    styles = rule_styles(check_rows(rows, "table2", ("k", "noise", "rule", "recovered", "paper")))
    sizes, levels = (sorted({row[column] for row in rows}) for column in ("k", "noise"))
    width = max(levels) - min(levels) or 10
    with figure_settings():
        figure = canvas(PAGE_WIDTH, 3.1)
        panels = figure.subplots(1, len(sizes), sharey=True, squeeze=False)[0]
        for axes, k in zip(panels, sizes, strict=True):
            cells = [row for row in rows if row["k"] == k]
            _unprinted(axes, rows, cells)
            for rule, style in styles.items():
                ours = _sorted((row["noise"], row["recovered"]) for row in cells if row["rule"] == rule)
                printed = _sorted((row["noise"], row["paper"]) for row in cells if row["rule"] == rule)
                axes.plot(*ours.T, color=style.colour, marker=style.marker, ms=3.2, lw=1.1, label=style.label, zorder=3)
                # Open and larger, on top: where article and simulation agree, the filled marker sits in the open one.
                axes.plot(
                    *printed.T,
                    ls="none",
                    color=style.colour,
                    marker=style.marker,
                    ms=6.8,
                    mfc="none",
                    mew=0.8,
                    zorder=4,
                )
            axes.set_title(f"k = {k}")
            axes.set_xlabel(_("Noise level (%)"))
            axes.set_xticks(levels)
            axes.set_xlim(min(levels) - 0.05 * width, max(levels) + 0.05 * width)
        panels[0].set_ylabel(translate(_RECOVERED))
        handles, labels = panels[0].get_legend_handles_labels()
        if any(row["paper"] is not None for row in rows):
            handles += panels[0].plot([], [], ls="none", marker="o", mfc="none", color=COLOURS["ink"], ms=6.8, mew=0.8)
            labels.append(_("open marker: the article's number"))
        figure.legend(handles, labels, loc="outside upper center", ncols=len(handles), columnspacing=1.6)
        return finish_figure(figure, describe_table2(rows, _labels(styles)))


def _labels(styles: Mapping[str, RuleStyle]) -> dict[str, str]:
    return {rule: style.label for rule, style in styles.items()}


def _points(style: RuleStyle) -> dict[str, Any]:
    return {"ls": "none", "color": style.colour, "marker": style.marker, "ms": 3.4, "elinewidth": 0.8, "zorder": 3}


def _sorted(pairs: Iterable[tuple[float, float | None]]) -> Points:
    """Sort the pairs that have a value, as two columns."""
    return np.array(sorted(pair for pair in pairs if pair[1] is not None), np.float64).reshape(-1, 2)


def _logarithmic(axes: "Axes") -> None:
    """Set logarithmic axes with plain numbers at 1, 2 and 5 times each power of ten."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    axes.set_xscale("log")
    axes.set_yscale("log", nonpositive="mask")
    for axis in (axes.xaxis, axes.yaxis):
        low, high = axis.get_view_interval()
        ticks = [m * 10.0**e for e in range(-4, 3) for m in (1, 2, 5)]
        axis.set_major_locator(FixedLocator([tick for tick in ticks if low <= tick <= high]))
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def _slope(axes: "Axes", k: Points, recovered: Points, power: int, shift: float) -> None:
    """Draw a guide of slope -power beside the larger half of the sizes, where the article sees or conjectures it."""
    left = 100 - recovered
    far = (k >= np.median(k)) & (left > 0)
    if far.sum() < 2:
        return
    constant = shift * float(np.exp(np.mean(np.log(left[far] * k[far] ** power))))
    ends = np.array([k[far][0], k[far][-1]])
    axes.plot(ends, constant / ends**power, color=COLOURS["faint"], lw=0.9, ls=(0, (4, 2)), zorder=1)
    middle = float(np.sqrt(ends[0] * ends[1]))
    above = shift > 1
    axes.annotate(
        _("slope of 1/k") if power == 1 else _("slope of 1/k²"),
        # Clear of the guide: over its upper end, or to the left of its middle.
        (middle, constant / (ends[0] if above else middle) ** power),
        (0, 1) if above else (-5, -3),
        textcoords="offset points",
        ha="center" if above else "right",
        va="bottom" if above else "top",
        color=COLOURS["faint"],
    )


def _scatter(axes: "Axes", cloud: Points) -> None:
    """Draw one panel of Figure 3 on equal scales: the runs, their mean and standard deviations, and the diagonal."""
    from matplotlib.ticker import MaxNLocator

    borda, rsd = cloud.T
    (mean_x, sd_x), (mean_y, sd_y) = spread(borda), spread(rsd)
    low, high = float(cloud.min()), float(cloud.max())
    margin = 0.06 * (high - low) or 0.5
    limits = (low - margin, high + margin)
    axes.plot(limits, limits, color=COLOURS["faint"], lw=0.8, ls=(0, (4, 2)), zorder=1)
    # Hundreds of points show their density by overlap; a few must be seen one by one.
    alpha = 0.3 if len(cloud) > 100 else 0.7
    axes.scatter(borda, rsd, s=9, color=COLOURS["blue"], alpha=alpha, linewidths=0, zorder=2)
    axes.errorbar(
        [mean_x], [mean_y], xerr=[sd_x or 0.0], yerr=[sd_y or 0.0], color=COLOURS["ink"], elinewidth=1.0, zorder=3
    )
    # The runs lie on the side of the better rule, so the other corner is free for the numbers.
    x, y, across, up = (0.96, 0.05, "right", "bottom") if mean_y > mean_x else (0.05, 0.95, "left", "top")
    facts = [
        ngettext("{count} run", "{count} runs, mean ± s.d.", len(cloud)).format(count=len(cloud)),
        f"Borda {spread_name(mean_x, sd_x)}",
        f"RSD {spread_name(mean_y, sd_y)}",
    ]
    axes.text(x, y, "\n".join(facts), transform=axes.transAxes, ha=across, va=up, linespacing=1.4)
    for text, offset, align in ((_("RSD better"), 4, "bottom"), (_("Borda better"), -4, "top")):
        axes.annotate(
            text,
            (0.22, 0.22),
            (-offset * 0.7, offset * 0.7),
            xycoords="axes fraction",
            textcoords="offset points",
            rotation=45,
            rotation_mode="anchor",
            ha="center",
            va=align,
            color=COLOURS["faint"],
            fontsize=7,
        )
    axes.set(xlim=limits, ylim=limits, aspect="equal")
    axes.set_xlabel(_("Borda: pairs in the right order (%)"))
    axes.set_ylabel(_("RSD: pairs in the right order (%)"))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))


def _unprinted(axes: "Axes", rows: Rows, cells: Rows) -> None:
    """Shade the levels of noise at which the article prints nothing for any of its rules."""
    rules = {row["rule"] for row in rows if row["paper"] is not None}
    levels = sorted({row["noise"] for row in cells})
    missing = [x for x in levels if all(row["paper"] is None for row in cells if row["noise"] == x)]
    missing = [x for x in missing if any(row["noise"] == x and row["rule"] in rules for row in cells)]
    if not missing:
        return
    half = min((b - a for a, b in zip(levels, levels[1:], strict=False)), default=10) / 2
    # One area for neighbours: two that touch show a seam on screens.
    blocks: list[list[float]] = []
    for level in missing:
        if blocks and level - blocks[-1][1] <= 2 * half:
            blocks[-1][1] = level
        else:
            blocks.append([level, level])
    for first, last in blocks:
        axes.axvspan(first - half, last + half, color=COLOURS["mist"], lw=0, zorder=0)
    middle = sum(blocks[-1]) / 2
    axes.annotate(
        _("not in the\narticle's table"),
        (middle, 0.03),
        xycoords=("data", "axes fraction"),
        ha="center",
        va="bottom",
        fontsize=7,
    )
