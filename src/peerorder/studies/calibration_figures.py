"""Figures of calibration: how often intervals contain the truth, and stated reliabilities against true ones."""

from typing import TYPE_CHECKING, Any

import numpy as np

from peerorder.core.translation import gettext as _
from peerorder.studies.figure_data import Rows, check_columns
from peerorder.studies.figure_style import COLOURS, PAGE_WIDTH, canvas, figure_settings, finish_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["NOMINAL", "WANTED", "figure_calibration", "figure_reliability", "reliability_error"]

# What intervals promise, and how often they may hold the truth, in percent.
NOMINAL = 90.0
WANTED = (85.0, 95.0)

_HUES = ("ink", "vermilion", "green", "blue", "purple", "orange")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X")


def figure_calibration(rows: Rows) -> "Figure":
    """Draw scenarios down, the share of intervals that contain the true place across; the wanted range is shaded.

    Parameters
    ----------
    rows
        The rows of ``calibration.csv``: ``scenario``, ``n``, ``k``, ``inside`` and ``stderr`` in percent.
    """
    from matplotlib.ticker import MaxNLocator

    check_columns(rows, "calibration", ("scenario", "n", "k", "inside", "stderr"))
    scenarios = list(dict.fromkeys(row["scenario"] for row in rows))
    sizes, bundles = (sorted({row[column] for row in rows}) for column in ("n", "k"))
    series = [(n, k) for k in bundles for n in sizes]
    with figure_settings():
        figure = canvas(PAGE_WIDTH * 0.85, 0.9 + 0.34 * len(scenarios))
        # Long names are a little longer at a higher resolution than at the one of the layout.
        figure.set_layout_engine("constrained", w_pad=0.16)
        axes = figure.subplots()
        axes.axvspan(*WANTED, color=COLOURS["mist"], lw=0, zorder=0)
        axes.axvline(NOMINAL, color=COLOURS["faint"], lw=0.8, ls=(0, (4, 2)), zorder=1)
        for index, (n, k) in enumerate(series):
            # Side by side within the line of a scenario, so that error bars do not lie on each other.
            shift = 0.16 * (index - (len(series) - 1) / 2)
            cells = [row for row in rows if (row["n"], row["k"]) == (n, k)]
            axes.errorbar(
                [row["inside"] for row in cells],
                [scenarios.index(row["scenario"]) + shift for row in cells],
                xerr=[2 * (row["stderr"] or 0.0) for row in cells],
                ls="none",
                marker=_MARKERS[sizes.index(n) % len(_MARKERS)],
                color=COLOURS[("blue", "vermilion", "green")[bundles.index(k) % 3]],
                mfc=COLOURS["paper"] if n == sizes[0] and len(sizes) > 1 else None,
                ms=3.6,
                elinewidth=0.8,
                label=f"n = {n}, k = {k}",
                zorder=3,
            )
        axes.set_yticks(range(len(scenarios)), scenarios)
        axes.set_ylim(len(scenarios) - 0.5, -0.5)
        axes.tick_params(axis="y", length=0)
        lowest, highest = min(row["inside"] for row in rows), max(row["inside"] for row in rows)
        axes.set_xlim(min(lowest - 2, 80), min(max(highest + 2, 100), 100.5))
        axes.xaxis.set_major_locator(MaxNLocator(8, steps=[1, 2, 5, 10]))
        axes.set_xlabel(_("90% intervals that hold the true place (%)"))
        figure.legend(loc="outside upper right", ncols=len(series), columnspacing=1.4)
        return finish_figure(figure, _coverage_in_words(rows))


def figure_reliability(rows: Rows) -> "Figure":
    """Draw a panel for each k: the mean true reliability of graders against the one stated, a point for every bin.

    Parameters
    ----------
    rows
        The rows of ``reliability.csv``: ``scenario``, ``k``, ``bin``, ``stated``, ``true`` and ``graders``.
    """
    check_columns(rows, "reliability", ("scenario", "k", "bin", "stated", "true", "graders"))
    scenarios = list(dict.fromkeys(row["scenario"] for row in rows))
    bundles = sorted({row["k"] for row in rows})
    with figure_settings():
        figure = canvas(PAGE_WIDTH, 3.3 + 0.2 * -(-len(scenarios) // 3))
        panels = figure.subplots(1, len(bundles), sharey=True, squeeze=False)[0]
        for axes, k in zip(panels, bundles, strict=True):
            _bins(axes, [row for row in rows if row["k"] == k], scenarios)
            axes.set_title(f"k = {k}")
            axes.set_xlabel(_("Stated reliability"))
        panels[0].set_ylabel(_("Mean true reliability"))
        # Marks of one size, where those in the panels have one for each number of graders.
        looks = _looks(scenarios)
        handles = [panels[0].scatter([], [], s=18, linewidths=0, label=name, **looks[name]) for name in scenarios]
        figure.legend(handles=handles, loc="outside lower center", ncols=3)
        return finish_figure(figure, _reliability_in_words(rows, bundles))


def reliability_error(rows: Rows) -> float:
    """Return the mean distance of stated reliabilities from the true ones of their bin, in points, over graders."""
    gaps = np.array([abs(row["stated"] - row["true"]) for row in rows])
    return 100 * float(np.average(gaps, weights=[row["graders"] for row in rows]))


def _looks(scenarios: list[str]) -> dict[str, dict[str, Any]]:
    """Return a hue for every noise model, the first word of a scenario, and a marker for each of its scenarios."""
    families: dict[str, list[str]] = {}
    for scenario in scenarios:
        families.setdefault(scenario.split()[0], []).append(scenario)
    return {
        scenario: {"color": COLOURS[_HUES[family % len(_HUES)]], "marker": _MARKERS[index % len(_MARKERS)]}
        for family, members in enumerate(families.values())
        for index, scenario in enumerate(members)
    }


def _bins(axes: "Axes", rows: Rows, scenarios: list[str]) -> None:
    axes.plot((0, 1), (0, 1), color=COLOURS["faint"], lw=0.8, ls=(0, (4, 2)), zorder=1)
    most = max(row["graders"] for row in rows)
    for scenario, look in _looks(scenarios).items():
        cells = [row for row in rows if row["scenario"] == scenario]
        # A bin of a few graders, which chance may carry far off, is a dot; one of thousands is a disc.
        size = [3 + 60 * np.sqrt(row["graders"] / most) for row in cells]
        across, up = ([row[key] for row in cells] for key in ("stated", "true"))
        axes.scatter(across, up, s=size, alpha=0.7, linewidths=0, zorder=2, **look)
    axes.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03), aspect="equal")


def _coverage_in_words(rows: Rows) -> str:
    """Return the text alternative: how many settings are in the wanted range, and the extremes."""
    low, high = WANTED
    within = sum(low <= row["inside"] <= high for row in rows)
    least, most = (choose(rows, key=lambda row: row["inside"]) for choose in (min, max))
    text = _(
        "Share of the 90% intervals that hold the true place, in every scenario, class size and bundle size. {within} "
        "of {count} are between {low:g}% and {high:g}%. The lowest is {least[inside]:.1f}% ({least[scenario]}, n = "
        "{least[n]}, k = {least[k]}), the highest {most[inside]:.1f}% ({most[scenario]}, n = {most[n]}, k = {most[k]})."
    )
    return text.format(within=within, count=len(rows), low=low, high=high, least=least, most=most)


def _reliability_in_words(rows: Rows, bundles: list[int]) -> str:
    each = _("{gap:.1f} points at k = {k}")
    errors = {k: reliability_error([row for row in rows if row["k"] == k]) for k in bundles}
    gaps = ", ".join(each.format(gap=error, k=k) for k, error in errors.items())
    text = _(
        "Mean true reliability of graders against the stated one, in bins of the stated one; on the diagonal both "
        "are the same. Weighted by the number of graders, they differ by {gaps}."
    )
    return text.format(gaps=gaps)
