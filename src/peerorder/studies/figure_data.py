"""The data of each figure, as arrays to draw and as a text alternative, so that the two cannot disagree."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from peerorder.core.errors import InputError
from peerorder.core.translation import gettext as _, ngettext

__all__ = [
    "Points",
    "Rows",
    "check_columns",
    "check_rows",
    "curve",
    "describe2",
    "describe3",
    "describe_table2",
    "law_line",
    "noise_name",
    "run_pairs",
    "spread",
    "spread_name",
]

Rows = Sequence[Mapping[str, Any]]
Points = NDArray[np.float64]
Curve = tuple[Points, Points, Points]


def check_rows(rows: Rows, name: str, columns: Sequence[str]) -> list[str]:
    """List the rules in the rows in order of appearance; raise InputError if rows or columns are missing."""
    check_columns(rows, name, columns)
    return list(dict.fromkeys(row["rule"] for row in rows))


def check_columns(rows: Rows, name: str, columns: Sequence[str]) -> None:
    """Raise InputError if there are no rows, or a column is missing."""
    if not rows:
        raise InputError(_("{name} has no rows, so there is nothing to draw; run that study first").format(name=name))
    for column in columns:
        if any(column not in row for row in rows):
            raise InputError(
                _("{name} lacks the column {column}; it needs {columns}").format(
                    name=name, column=column, columns=", ".join(columns)
                )
            )


def curve(rows: Rows, rule: str) -> Curve:
    """Return sizes, accuracies and standard errors (0 where a single run has none) of one rule, by size."""
    chosen = sorted((row["k"], row["recovered"], row["stderr"] or 0.0) for row in rows if row["rule"] == rule)
    k, recovered, stderr = np.array(chosen, np.float64).T
    return k, recovered, stderr


def law_line(law: Mapping[int, float] | None) -> Points:
    """Sort the exact law into two columns, size and percent, by size."""
    line = np.array(sorted((law or {}).items()), np.float64).reshape(-1, 2)
    # A rule that guesses orders half of the pairs correctly, so a number this small is not a percentage.
    if np.any(line[:, 1] <= 1):
        raise InputError(_("the law of Borda is given as a fraction; give it in percent, as the rows are"))
    return line


def run_pairs(rows: Rows, noise: float) -> Points:
    """Return Borda and RSD of the same run side by side; a run that lacks one is omitted."""
    runs: dict[int, dict[str, float]] = {}
    for row in rows:
        if row["noise"] == noise:
            runs.setdefault(row["run"], {})[row["rule"]] = row["recovered"]
    whole = [(run["borda"], run["rsd"]) for _number, run in sorted(runs.items()) if {"borda", "rsd"} <= run.keys()]
    return np.array(whole, np.float64).reshape(-1, 2)


def spread(values: Iterable[float]) -> tuple[float, float | None]:
    """Return mean and standard deviation of single runs; one run alone has no standard deviation."""
    numbers = np.fromiter(values, np.float64)
    return float(numbers.mean()), float(numbers.std(ddof=1)) if len(numbers) > 1 else None


def spread_name(mean: float, deviation: float | None) -> str:
    """Format mean and deviation, for example 94.15 ± 0.31."""
    return f"{mean:.2f}" if deviation is None else f"{mean:.2f} ± {deviation:.2f}"


def noise_name(noise: float) -> str:
    """Name a level of noise as in a title."""
    return _("Noise level {noise:g}%").format(noise=noise) if noise else _("Perfect grading")


def describe2(series: Mapping[str, Curve], labels: Mapping[str, str], line: Points) -> str:
    """Describe Figure 2: where each rule begins and ends, who leads from where, how close the law is."""
    parts = [_("Percent of pairs in the right order against the bundle size k, with perfect grading.")]
    for rule, (k, recovered, _error) in series.items():
        text = _("{rule} goes from {first:.1f} at k={low:g} to {last:.1f} at k={high:g}.")
        ends = {"first": recovered[0], "low": k[0], "last": recovered[-1], "high": k[-1]}
        parts.append(text.format(rule=labels[rule], **ends))
    if "borda" in series and "rsd" in series:
        borda, rsd = (dict(zip(*series[rule][:2], strict=True)) for rule in ("borda", "rsd"))
        shared = sorted(borda.keys() & rsd.keys())
        behind = [k for k in shared if rsd[k] <= borda[k]]
        ahead = [k for k in shared if not behind or k > behind[-1]]
        if ahead:
            parts.append(_("RSD is ahead of Borda from k={k:g} on.").format(k=ahead[0]))
    if "borda" in series and len(line):
        exact = dict(zip(*line.T, strict=True))
        gaps = [abs(y - exact[k]) for k, y in zip(*series["borda"][:2], strict=True) if k in exact]
        if gaps:
            text = _("The exact law of Borda is a line at most {gap:.2f} points from the simulated values.")
            parts.append(text.format(gap=max(gaps)))
    return " ".join(parts)


def describe3(clouds: Mapping[float, Points]) -> str:
    """Describe Figure 3: for each panel the means, the standard deviations and who wins how often."""
    parts = [_("Single runs as points, Borda across and RSD up, in percent of pairs in the right order.")]
    for noise, cloud in clouds.items():
        borda, rsd = cloud.T
        text = ngettext(
            "{noise}, {count} run: Borda {borda}, RSD {rsd} (mean ± standard deviation); RSD is ahead in {ahead} of "
            "these.",
            "{noise}, {count} runs: Borda {borda}, RSD {rsd} (mean ± standard deviation); RSD is ahead in {ahead} of "
            "these.",
            len(cloud),
        )
        spreads = {"borda": spread_name(*spread(borda)), "rsd": spread_name(*spread(rsd))}
        ahead = int((rsd > borda).sum())
        parts.append(text.format(noise=noise_name(noise), count=len(cloud), ahead=ahead, **spreads))
    return " ".join(parts)


def describe_table2(rows: Rows, labels: Mapping[str, str]) -> str:
    """Describe Table 2's figure: each rule's values from the least to the most noise, for each bundle size."""
    parts = [_("Percent of pairs in the right order against the noise level, a panel for each bundle size.")]
    for k in sorted({row["k"] for row in rows}):
        for rule, label in labels.items():
            cells = sorted((row["noise"], row["recovered"]) for row in rows if row["k"] == k and row["rule"] == rule)
            if cells:
                (low, first), (high, last) = cells[0], cells[-1]
                text = _("k={k}, {rule}: {first:.1f} at noise {low}%, {last:.1f} at noise {high}%.")
                parts.append(text.format(k=k, rule=label, first=first, low=low, last=last, high=high))
    gaps = [abs(row["recovered"] - row["paper"]) for row in rows if row["paper"] is not None]
    if gaps:
        text = _("The article's {count} numbers lie at most {gap:.1f} points away.")
        parts.append(text.format(count=len(gaps), gap=max(gaps)))
    return " ".join(parts)
