"""A picture of a ranking: items down, their ranks with intervals across."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from peerorder.core.errors import InputError
from peerorder.core.translation import gettext as _
from peerorder.studies.figure_style import COLOURS, PAGE_WIDTH, canvas, figure_settings, finish_figure, png

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from peerorder.api.ranking import Ranking

__all__ = ["plot"]

LONGEST = 30


def plot(ranking: Ranking, most: int) -> Figure:
    """Draw the best ``most`` items of a ranking."""
    if most < 1:
        raise InputError(_("most is {most}; draw at least one item").format(most=most))
    outcome = ranking.outcome
    shown = outcome.order[:most]
    down = np.arange(len(shown))
    labels = [text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…" for text in map(str, ranking.order[:most])]
    with figure_settings():
        figure = canvas(PAGE_WIDTH * 0.75, 0.8 + 0.17 * len(shown), margin=0.1)
        axes = figure.subplots()
        if outcome.result.intervals is None:
            across, label = outcome.scores[shown], _("score by {rule}").format(rule=outcome.rule)
        else:
            across, label = outcome.ranks[shown].astype(np.float64), _("rank, with its 90% interval")
            low, high = outcome.result.intervals[shown].T
            axes.hlines(down, low, high, color=COLOURS["sky"], linewidth=3)
        axes.plot(across, down, "o", color=COLOURS["blue"])
        axes.set_yticks(down, labels)
        axes.invert_yaxis()
        axes.margins(y=0.6 / len(shown))
        axes.set_xlabel(label)
        axes.grid(axis="x", color=COLOURS["faint"], alpha=0.25, linewidth=0.5)
        axes.set_axisbelow(True)
        text = _("{shown} of {count} items by {rule}") if len(shown) < len(ranking) else _("{count} items by {rule}")
        title = text.format(shown=len(shown), count=len(ranking), rule=outcome.rule)
        axes.set_title(title)
        text = _("Dot plot of {title}, in order, the best at the top: {label}.")
        drawn = finish_figure(figure, text.format(title=title, label=label))
    # Notebooks show it, also where nobody has loaded pyplot.
    drawn._repr_png_ = lambda: png(drawn)  # type: ignore[attr-defined]
    return drawn
