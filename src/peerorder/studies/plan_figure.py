"""Figure of a plan: pairwise accuracy and the error of places, by the number of papers each student ranks."""

from typing import TYPE_CHECKING

from peerorder.core.translation import gettext as _
from peerorder.studies.figure_style import COLOURS, PAGE_WIDTH, canvas, figure_settings, finish_figure, rule_styles
from peerorder.studies.plan import Plan

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["figure_plan"]


def figure_plan(plan: Plan) -> "Figure":
    """Draw two panels over k, one line per rule, with the recommended k marked."""
    from matplotlib.ticker import MaxNLocator

    rules = [rule for rule in ("posterior", "borda") if any(rule in choice.expected for choice in plan.choices)]
    styles = rule_styles(rules)
    with figure_settings():
        figure = canvas(PAGE_WIDTH, 2.9)
        left, right = figure.subplots(1, 2)
        for axes, what, scale in ((left, "pairwise_accuracy", 100.0), (right, "off", float(plan.n))):
            axes.axvline(plan.recommended.k, color=COLOURS["faint"], lw=0.8, ls=(0, (4, 3)), zorder=0)
            for rule in rules:
                points = [(c.k, scale * getattr(c.expected[rule], what)) for c in plan.choices if rule in c.expected]
                style = styles[rule]
                axes.plot(*zip(*points, strict=True), marker=style.marker, color=style.colour, label=style.label)
            axes.set_xlabel(_("Papers each student ranks (k)"))
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        left.set_ylabel(_("Pairs in the right order (%)"))
        left.set_title(_("(a) Pairwise accuracy"))
        left.legend(loc="lower right")
        right.set_ylabel(_("Mean error, in places of {papers:,}").format(papers=plan.n))
        right.set_ylim(bottom=0)
        right.set_title(_("(b) Error of a place"))
        right.annotate(
            _("recommended: {k}").format(k=plan.recommended.k),
            (plan.recommended.k, 1),
            xycoords=("data", "axes fraction"),
            xytext=(4, -2),
            textcoords="offset points",
            va="top",
            fontsize=7.5,
            color=COLOURS["faint"],
        )
        return finish_figure(figure, _in_words(plan, rules))


def _in_words(plan: Plan, rules: list[str]) -> str:
    """Return the text alternative."""
    parts = []
    for rule in rules:
        shares = [(c.k, 100 * c.expected[rule].pairwise_accuracy) for c in plan.choices if rule in c.expected]
        (low, first), (high, last) = shares[0], shares[-1]
        text = _("{rule} rises from {first:.1f}% at k = {low} to {last:.1f}% at k = {high}")
        parts.append(text.format(rule=rule, first=first, low=low, last=last, high=high))
    text = _(
        "Pairs in the right order, and the mean error in places, against the number of papers each of {students:,} "
        "students ranks: {rules}. The recommended k is {k}."
    )
    return text.format(students=plan.n, rules="; ".join(parts), k=plan.recommended.k)
