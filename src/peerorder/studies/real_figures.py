"""Figures of real people's judgements: how many every rule predicts, and whether its probabilities are honest."""

from typing import TYPE_CHECKING

import numpy as np

from peerorder.core.translation import gettext as _, message, ngettext, translate
from peerorder.studies.figure_data import Rows, check_columns, check_rows
from peerorder.studies.figure_style import COLOURS, PAGE_WIDTH, canvas, figure_settings, finish_figure, rule_styles
from peerorder.studies.real_summary import REFERENCE, means, parts

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["HALF_NAMES", "KIND_NAMES", "calibration_error", "figure_preferences", "figure_real"]

KIND_NAMES = {"pairs": message("Comparative judgement"), "lists": message("Lists")}
HALF_NAMES = {"held-out": message("held-out half"), "tuning": message("tuning half")}

_TRAIN = (("orange", "o"), ("vermilion", "^"), ("sky", "D"), ("blue", "s"))
_RULES = (("blue", "o"), ("vermilion", "s"), ("green", "^"), ("purple", "D"), ("orange", "v"), ("ink", "P"))


def figure_real(rows: Rows) -> "Figure":
    """Draw a panel for each kind: rules down, the best at the top; the mean share predicted over exercises across.

    Exercises are those of the held-out half, or of the other where none of it was run.

    Parameters
    ----------
    rows
        The rows of ``real.csv``: ``exercise``, ``kind``, ``half``, ``train``, ``rule`` and ``predicted`` in percent.
    """
    rules = check_rows(rows, "real", ("exercise", "kind", "half", "train", "rule", "predicted"))
    shown = _first_half(rows)
    result = means(shown)
    cells = parts(shown)
    kinds, trains = list(dict.fromkeys(part.kind for part in cells)), sorted({part.train for part in cells})
    ranked = sorted(rules, key=lambda rule: sum(result[part, rule].value for part in cells if part.train == trains[-1]))
    names = rule_styles(rules)
    with figure_settings():
        figure = canvas(PAGE_WIDTH, 1.1 + 0.21 * len(rules), margin=0.1)
        panels = figure.subplots(1, len(kinds), sharey=True, squeeze=False)[0]
        for axes, kind in zip(panels, kinds, strict=True):
            for index, train in enumerate(trains):
                colour, marker = _TRAIN[index % len(_TRAIN)]
                part = next(each for each in cells if (each.kind, each.train) == (kind, train))
                across = [result[part, rule].value for rule in ranked]
                label = _("trained on {percent}%").format(percent=train) if kind == kinds[0] else None
                axes.plot(across, range(len(ranked)), marker, color=COLOURS[colour], label=label, ms=4)
            axes.set_yticks(range(len(ranked)), [names[rule].label for rule in ranked])
            axes.tick_params(axis="y", length=0)
            axes.set_title(_title(shown, kind).replace(", ", "\n", 1))
            axes.grid(color=COLOURS["faint"], alpha=0.25, linewidth=0.5)
            axes.set_axisbelow(True)
            axes.set_xlabel(_("Predicted correctly (%)"))
        figure.legend(loc="outside upper right", ncols=len(trains), columnspacing=1.4, handletextpad=0.2)
        text = _("Dot plot of held-out comparisons that every rule predicts correctly, in {panels}. {best}")
        each = _("{kind}, trained on {percent}%: the best is {rule} with {share:.1f}%.")
        best = []
        for part in cells:
            share, rule = max((result[part, rule].value, rule) for rule in ranked)
            kind = translate(KIND_NAMES[part.kind])
            best.append(each.format(kind=kind, percent=part.train, rule=names[rule].label, share=share))
        panels_in_words = "; ".join(_title(shown, kind) for kind in kinds)
        return finish_figure(figure, text.format(panels=panels_in_words, best=" ".join(best)))


def figure_preferences(rows: Rows) -> "Figure":
    """Draw a reliability diagram for each kind: how often favourites win, against the predicted probability.

    Parameters
    ----------
    rows
        The rows of ``real-reliability.csv``: ``kind``, ``half``, ``train``, ``rule``, ``bin``, ``probability``,
        ``happened`` and ``comparisons``; all shares of training data together.
    """
    columns = ("kind", "half", "train", "rule", "bin", "probability", "happened", "comparisons")
    check_columns(rows, "real-reliability", columns)
    shown = _first_half(rows)
    kinds = list(dict.fromkeys(part.kind for part in parts(shown)))
    rules = sorted({row["rule"] for row in shown}, key=lambda rule: (rule != REFERENCE, rule))
    names = rule_styles(rules)
    half = translate(HALF_NAMES[shown[0]["half"]])
    with figure_settings():
        figure = canvas(PAGE_WIDTH * (1 if len(kinds) > 1 else 0.6), 4.3)
        panels = figure.subplots(1, len(kinds), sharey=True, squeeze=False)[0]
        for axes, kind in zip(panels, kinds, strict=True):
            axes.plot((0.5, 1), (0.5, 1), color=COLOURS["faint"], lw=0.8, ls=(0, (4, 2)), zorder=1)
            for index, rule in enumerate(rules):
                across, up, _count = _bins(shown, kind, rule)
                label = names[rule].label if kind == kinds[0] else None
                colour, marker = _RULES[index % len(_RULES)]
                axes.plot(across, up, marker=marker, color=COLOURS[colour], label=label, lw=0.9, ms=3.6, alpha=0.9)
            axes.set(xlim=(0.49, 1.01), ylim=(0.49, 1.01), box_aspect=1)
            axes.set_title(f"{translate(KIND_NAMES[kind])}\n{half}")
            axes.set_xlabel(_("Predicted probability of the favourite"))
            _tick_tenths(axes)
        panels[0].set_ylabel(_("How often the next grader preferred it"))
        figure.legend(loc="outside upper right", ncols=min(len(rules), 5 if len(kinds) > 1 else 3))
        text = _(
            "Reliability diagram: how often graders preferred a rule's favourite of two papers, against the predicted "
            "probability, {half}. On the diagonal both are the same. Mean distance in points: {gaps}."
        )
        each = _("{kind}, {rule} {gap:.1f}")
        gaps = [
            each.format(
                kind=translate(KIND_NAMES[kind]), rule=names[rule].label, gap=calibration_error(shown, kind, rule)
            )
            for kind in kinds
            for rule in rules
        ]
        return finish_figure(figure, text.format(half=half, gaps="; ".join(gaps)))


def calibration_error(rows: Rows, kind: str, rule: str) -> float:
    """Return the mean distance of predicted probabilities from what happened in their bin, in points."""
    across, up, count = _bins(rows, kind, rule)
    return 100 * float(np.average(np.abs(across - up), weights=count)) if len(count) else float("nan")


def _first_half(rows: Rows) -> Rows:
    """Return the rows of the held-out half, or of the other where there are none."""
    first = min(row["half"] for row in rows)
    return [row for row in rows if row["half"] == first]


def _title(rows: Rows, kind: str) -> str:
    exercises = len({row["exercise"] for row in rows if row["kind"] == kind})
    text = ngettext("{kind}, {half} ({count} exercise)", "{kind}, {half} ({count} exercises)", exercises)
    half = translate(HALF_NAMES[rows[0]["half"]])
    return text.format(kind=translate(KIND_NAMES[kind]), half=half, count=exercises)


def _bins(rows: Rows, kind: str, rule: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return probability, share that happened and number of comparisons of every bin, over all training shares."""
    total: dict[float, np.ndarray] = {}
    for row in rows:
        if (row["kind"], row["rule"]) == (kind, rule):
            sums = np.array([row["probability"], row["happened"], 1.0]) * row["comparisons"]
            total[row["bin"]] = total.get(row["bin"], np.zeros(3)) + sums
    sums = np.array([total[each] for each in sorted(total)]).reshape(-1, 3)
    return sums[:, 0] / sums[:, 2], sums[:, 1] / sums[:, 2], sums[:, 2]


def _tick_tenths(axes: "Axes") -> None:
    from matplotlib.ticker import MultipleLocator

    axes.xaxis.set_major_locator(MultipleLocator(0.1))
    axes.yaxis.set_major_locator(MultipleLocator(0.1))
