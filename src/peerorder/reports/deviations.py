"""Why a number may be beyond its tolerance: what chance explains, and what the article leaves open."""

import math

from peerorder.core.errors import InputError
from peerorder.core.translation import gettext as _
from peerorder.reports.comparison import Comparison

__all__ = ["explanation"]

_PAPER_RUNS = 50

# Findings about single numbers, beyond what applies to all.
_LOOKED_INTO = {
    ("table1", 6, "planes", "rsd"): (
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
    parts = [f"{c.where}: {c.shown} points where {c.limit}.", _chance(c, c.difference)]
    if c.runs < _PAPER_RUNS and c.study != "robustness":
        parts.append(
            f"The article's numbers are means of {_PAPER_RUNS} runs, this one of {c.runs}. More runs leave less "
            "to chance."
        )
    looked_into = _LOOKED_INTO.get((c.study, c.k, c.scheme or "", c.rule))
    if looked_into:
        parts.append(looked_into)
    elif c.rule == "rsd" and c.scheme in ("planes", "complete"):
        parts.append(
            "No ballot joins two copies, so RSD settles the pairs across copies by chance, many at a time, "
            "and single runs differ by points."
        )
    elif c.rule == "rsd" and c.study == "table2":
        parts.append(
            "The article does not say in which order RSD takes the pairs of one ballot, and with noise that matters."
        )
    elif c.rule == "mc4":
        parts.append(
            "The article does not say how long MC4's walk runs; we take 1000 steps from the uniform distribution, "
            "and the result depends on that number."
        )
    return " ".join(parts)


def _chance(c: Comparison, difference: float) -> str:
    error, given = c.difference_stderr, ""
    if c.stderr and c.against == "paper":
        # The article prints no standard errors, so its runs are taken to scatter as ours do.
        error, given = c.stderr * math.sqrt(1 + c.runs / _PAPER_RUNS), "If the article's runs scatter as ours do, "
    if not error:
        return "A single run has no standard error."
    size = f"{abs(difference) / error:.1f} standard errors of the difference."
    return f"{given}that is {size}" if given else f"That is {size}"
