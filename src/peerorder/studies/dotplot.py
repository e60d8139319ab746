"""Figure of held-out decisions by real judges: a line for every rule, a dot for every amount of training."""

from typing import TYPE_CHECKING

from peerorder.core.translation import gettext as _
from peerorder.studies.figure_data import Rows, check_rows
from peerorder.studies.figure_style import COLOURS, PAGE_WIDTH, canvas, figure_settings, finish_figure, rule_styles

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["figure_real"]


def figure_real(rows: Rows) -> "Figure":
    """Draw rules down, the best at the top; the mean share predicted over all sessions across.

    Parameters
    ----------
    rows
        The rows of ``real.csv``: ``session``, ``train``, ``rule`` and ``predicted``, both in percent.
    """
    from peerorder.studies.real import means

    rules = check_rows(rows, "real", ("session", "train", "rule", "predicted"))
    result = means(rows)
    trains = sorted({row["train"] for row in rows})
    ranked = sorted(rules, key=lambda rule: result[rule, trains[-1]][0])
    names = rule_styles(rules)
    with figure_settings():
        figure = canvas(PAGE_WIDTH * 0.75, 0.8 + 0.24 * len(rules))
        axes = figure.subplots()
        for train, colour, marker in zip(trains, ("orange", "blue"), ("o", "s"), strict=False):
            across = [result[rule, train][0] for rule in ranked]
            axes.plot(
                across,
                range(len(ranked)),
                marker,
                color=COLOURS[colour],
                label=_("trained on {percent}%").format(percent=train),
            )
        axes.set_yticks(range(len(ranked)), [names[rule].label for rule in ranked])
        axes.set_xlabel(_("Held-out decisions predicted correctly (%), mean over sessions"))
        axes.grid(axis="x", color=COLOURS["faint"], alpha=0.25, linewidth=0.5)
        axes.set_axisbelow(True)
        figure.legend(loc="outside upper right", ncols=len(trains))
        best = ranked[-1]
        each = _("{share:.1f}% when trained on {percent}%")
        shares = ", ".join(each.format(share=result[best, train][0], percent=train) for train in trains)
        text = _("Dot plot of held-out decisions that every rule predicts; the best is {rule} with {shares}.")
        return finish_figure(figure, text.format(rule=best, shares=shares))
