"""Why a number may be beyond its tolerance: what chance explains, and what the article leaves open."""

import math

from peerorder.core.errors import InputError
from peerorder.core.translation import gettext as _, message, translate
from peerorder.reports.comparison import Comparison

__all__ = ["explanation"]

_ARTICLE_RUNS = 50

# Findings about single numbers, beyond what applies to all.
_LOOKED_INTO = {
    ("table1", 6, "planes", "rsd"): message(
        "Chance does not explain this one: 1000 runs (peerorder simulate -n 1023 -k 6 --scheme planes --rule rsd "
        "--runs 1000) give 71.55 \N{PLUS-MINUS SIGN} 0.06, four standard errors of a mean of 50 from the printed 72.7, "
        "while 400 runs of each of RSD's other eleven cells on copies agree with the article. A printed 71.7 would "
        "agree too; only the authors can say."
    )
}


def explanation(comparison: Comparison) -> str:
    """Say what is known about a number that is beyond its tolerance."""
    c = comparison
    if c.difference is None:
        raise InputError(
            _("{where}: there is no reference, so there is no difference to explain").format(where=c.where)
        )
    parts = [
        _("{where}: {difference} points where {limit}.").format(where=c.where, difference=c.shown, limit=c.limit),
        _chance(c, c.difference),
    ]
    if c.runs < _ARTICLE_RUNS and c.study != "robustness":
        parts.append(
            _(
                "The article's numbers are means of {theirs} runs, this one of {ours}. More runs leave less to chance."
            ).format(theirs=_ARTICLE_RUNS, ours=c.runs)
        )
    looked_into = _LOOKED_INTO.get((c.study, c.k, c.scheme or "", c.rule))
    if looked_into:
        parts.append(translate(looked_into))
    elif c.rule == "rsd" and c.scheme in ("planes", "complete"):
        parts.append(
            _(
                "No ballot joins two copies, so RSD settles the pairs across copies by chance, many at a time, "
                "and single runs differ by points."
            )
        )
    elif c.rule == "rsd" and c.study == "table2":
        parts.append(
            _("The article does not say in which order RSD takes the pairs of one ballot, and with noise that matters.")
        )
    elif c.rule == "mc4":
        parts.append(
            _(
                "The article does not say how long MC4's walk runs; we take 1000 steps from the uniform distribution, "
                "and the result depends on that number."
            )
        )
    return " ".join(parts)


def _chance(c: Comparison, difference: float) -> str:
    error, text = c.difference_stderr, _("That is {errors:.1f} standard errors of the difference.")
    if c.stderr and c.against == "paper":
        # The article prints no standard errors, so its runs are taken to scatter as ours do.
        error = c.stderr * math.sqrt(1 + c.runs / _ARTICLE_RUNS)
        text = _("If the article's runs scatter as ours do, that is {errors:.1f} standard errors of the difference.")
    if not error:
        return _("A single run has no standard error.")
    return text.format(errors=abs(difference) / error)
