"""Figure of what a team gains: a line for every rule, a point for every bundle size."""

from typing import TYPE_CHECKING

from peerorder.core.translation import gettext as _
from peerorder.studies.figure_data import Rows, check_rows
from peerorder.studies.figure_style import COLOURS, PAGE_WIDTH, canvas, figure_settings, finish_figure, rule_styles

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["figure_collusion"]

_LOOKS = (("orange", "o"), ("blue", "s"), ("green", "^"), ("purple", "D"))


def figure_collusion(rows: Rows) -> "Figure":
    """Draw rules down, the one with the smallest gain at the top; the places gained across.

    Parameters
    ----------
    rows
        The rows of ``collusion.csv``: ``k``, ``rule``, ``gained`` and ``stderr`` in places.
    """
    rules = check_rows(rows, "collusion", ("k", "rule", "gained", "stderr"))
    bundles = sorted({row["k"] for row in rows})
    # Means over what was run: a rule may lack a size.
    gains = {rule: [row["gained"] for row in rows if row["rule"] == rule] for rule in rules}
    ranked = sorted(rules, key=lambda rule: sum(gains[rule]) / len(gains[rule]))
    names = rule_styles(rules)
    with figure_settings():
        figure = canvas(PAGE_WIDTH * 0.75, 0.9 + 0.28 * len(rules))
        # Long names are a little longer at a higher resolution than at the one of the layout.
        figure.set_layout_engine("constrained", w_pad=0.12)
        axes = figure.subplots()
        axes.axvline(0, color=COLOURS["faint"], lw=0.8, zorder=1)
        for index, (k, (colour, marker)) in enumerate(zip(bundles, _LOOKS, strict=False)):
            # One below the other, so that error bars do not lie on each other.
            shift = 0.2 * (index - (len(bundles) - 1) / 2)
            cells = [row for row in rows if row["k"] == k]
            axes.errorbar(
                [row["gained"] for row in cells],
                [ranked.index(row["rule"]) + shift for row in cells],
                xerr=[2 * (row["stderr"] or 0.0) for row in cells],
                ls="none",
                marker=marker,
                ms=3.4,
                color=COLOURS[colour],
                elinewidth=0.8,
                label=f"k = {k}",
                zorder=3,
            )
        axes.set_yticks(range(len(ranked)), [names[rule].label for rule in ranked])
        axes.set_ylim(len(ranked) - 0.5, -0.5)
        axes.set_xlabel(_("Places that a team's papers gain on average"))
        axes.grid(axis="x", color=COLOURS["faint"], alpha=0.25, linewidth=0.5)
        axes.set_axisbelow(True)
        figure.legend(loc="outside upper right", ncols=len(bundles))
        return finish_figure(figure, _in_words(rows, bundles))


def _in_words(rows: Rows, bundles: list[int]) -> str:
    """Return the text alternative: under which rule a team gains least and most."""
    parts = [_("Places that the papers of a colluding team gain on average under every rule.")]
    for k in bundles:
        cells = [row for row in rows if row["k"] == k]
        least, most = (choose(cells, key=lambda row: row["gained"]) for choose in (min, max))
        text = _(
            "At k = {k} it is least under {least[rule]} with {least[gained]:.1f} and most under {most[rule]} with "
            "{most[gained]:.1f}."
        )
        parts.append(text.format(k=k, least=least, most=most))
    return " ".join(parts)
