"""The page's section on real people: how well every rule predicts their judgements, beside posterior."""

from collections.abc import Mapping, Sequence
from typing import Any

from peerorder.core.translation import gettext as _, message, ngettext, translate
from peerorder.reports.inline_svg import drawing
from peerorder.reports.labels import rule_name, signed
from peerorder.reports.markup import Markup, element, joined
from peerorder.reports.table_cells import below, table
from peerorder.studies.figure_data import check_columns
from peerorder.studies.real_figures import HALF_NAMES, KIND_NAMES
from peerorder.studies.real_summary import Cell, parts, summarise

__all__ = ["DIGITS", "TITLES", "difference_text", "groups", "section"]

Rows = Sequence[Mapping[str, Any]]

DIGITS = {"predicted": 2, "brier": 4, "log_loss": 4}
"""How many decimals a measure is shown with."""
TITLES = {
    "predicted": message("Held-out comparisons predicted correctly (%)"),
    "brier": message("Brier score of held-out comparisons; lower is better"),
    "log_loss": message("Log loss of held-out comparisons; lower is better"),
}

_LEAD = message(
    "Judgements by real people. Every rule merges a random part of an exercise and predicts the rest; equal scores "
    "count one half. Comparative judgement is divided by decision, and lists by grader: of a held-out grader, nothing "
    "is seen. Rules are tuned on one half of the exercises, chosen by a hash of their names, and tested on the other."
)
_READING = message(
    "Each cell: the mean over exercises; below it the mean of posterior less this rule, exercise by exercise, ± one "
    "standard error. A star marks differences of more than two standard errors."
)
_CAPTION = message(
    "Percent of held-out comparisons predicted correctly, mean over exercises, by share of training data."
)
_RELIABILITY = message(
    "Reliability of predicted probabilities, all shares of training data together, in ten bins: across, the "
    "probability that the next grader prefers the favourite of two papers; up, how often it happened. On the dashed "
    "line both are equal."
)


def section(rows: Rows, figures: Mapping[str, str], reliability: Rows) -> Markup:
    """What was done, the figures, and a table for each measure, kind and half; the held-out half first."""
    check_columns(rows, "real", ("exercise", "kind", "half", "train", "rule", "predicted", "brier", "log_loss"))
    content: list[Markup | None] = [element("p", translate(_LEAD)), drawing("real", figures, translate(_CAPTION))]
    content.append(element("p", translate(_READING)))
    for kind, half, title in groups(rows):
        content += [element("h3", title), _table(rows, kind, half, "predicted")]
        losses = [_table(rows, kind, half, measure) for measure in ("log_loss", "brier")]
        if any(losses):
            content.append(element("details", element("summary", _("Log loss and Brier score")), *filter(None, losses)))
    if reliability:
        content.append(drawing("real-reliability", figures, translate(_RELIABILITY)))
    return joined(*content)


def groups(rows: Rows) -> list[tuple[str, str, str]]:
    """Return kind, half and a title for every group of exercises, those of the held-out half first."""
    result = []
    for kind, half in sorted({(part.kind, part.half): None for part in parts(rows)}, key=lambda group: group[1]):
        exercises = len({row["exercise"] for row in rows if (row["kind"], row["half"]) == (kind, half)})
        title = ngettext("{kind}, {half}: {count:,} exercise", "{kind}, {half}: {count:,} exercises", exercises)
        title = title.format(kind=translate(KIND_NAMES[kind]), half=translate(HALF_NAMES[half]), count=exercises)
        result.append((kind, half, title))
    return result


def difference_text(cell: Cell, digits: int) -> str:
    """Return the difference with its standard error, and a star where it is clear."""
    if cell.difference is None:
        return ""
    error = "" if cell.difference.stderr is None else f" ± {cell.difference.stderr:.{digits}f}"
    return f"{signed(cell.difference.value, digits)}{error}{' *' * cell.difference.clear}"


def _table(rows: Rows, kind: str, half: str, measure: str) -> Markup | None:
    result = summarise(rows, kind, half, measure)
    if not result:
        return None
    digits = DIGITS[measure]
    trains = sorted({row["train"] for row in rows if (row["kind"], row["half"]) == (kind, half)})
    lines = [
        [
            rule_name(rule),
            *(joined(f"{cell.mean.value:.{digits}f}", below(difference_text(cell, digits))) for cell in cells),
        ]
        for rule, cells in result.items()
    ]
    columns = [_("Rule"), *(_("trained on {share}%").format(share=train) for train in trains)]
    return table(translate(TITLES[measure]), columns, lines, numbers=range(1, len(columns)), class_="fit")
