"""The scenarios of the robustness study: classes of graders that err in very different ways, as data."""

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["COMPLETE", "COMPLETE_LISTS", "OF_TABLE_2", "SCENARIOS", "TIED", "at_defaults", "panels"]

TIED = "posterior:tie-quality-to-place=yes"
"""The rule that adopts the article's assumption: good students grade well."""

OF_TABLE_2: dict[str, int] = {f"condorcet {level}, tied to place": level for level in (0, 10, 20, 30, 40, 50)}
"""The scenarios that are cells of the article's Table 2, where that assumption holds, and their noise levels."""

SCENARIOS: dict[str, str] = {
    **{name: f"condorcet:level={level}" for name, level in OF_TABLE_2.items()},
    "condorcet 50, independent": "condorcet:level=50,tied=no",
    "fading attention": "generalised-mallows:level=30,fade=0.7",
    "thurstone 0.2": "thurstone:sigma=0.2",
    "thurstone 0.5": "thurstone:sigma=0.5",
    "thurstone 1": "thurstone:sigma=1",
    # A sigma from lognormal(-1, 1) for each grader; exp(-1) is its median.
    "thurstone, lognormal sigma": "thurstone:sigma=0.36787944,spread=1",
    "plackett-luce 0.5": "plackett-luce:scale=0.5",
    "thurstone 0.3, 20% random": "thurstone:sigma=0.3,random=0.2",
    "thurstone 0.3, 10% reversed": "thurstone:sigma=0.3,reversed=0.1",
    "thurstone 0.3, 30% missing": "thurstone:sigma=0.3,missing=0.3",
    "thurstone 0.3, a team of 5%": "thurstone:sigma=0.3,team=0.05",
    "thurstone 0.3, pulled by order": "thurstone:sigma=0.3,pull=0.5",
    "thurstone 1, two clusters": "thurstone:sigma=1,clusters=2",
    "thurstone 0.5, tastes": "thurstone:sigma=0.5,taste=0.7",
    "thurstone 0.3, three schools": "thurstone:sigma=0.3,taste=0.7,schools=3",
}
"""The noise model of every scenario, by the name that tables and figures show."""

COMPLETE = "complete lists, "

COMPLETE_LISTS: dict[str, str] = {
    f"{COMPLETE}{name}": noise
    for name, noise in {
        "condorcet 30, independent": "condorcet:level=30,tied=no",
        "thurstone 0.5": "thurstone:sigma=0.5",
        "thurstone 1": "thurstone:sigma=1",
        "plackett-luce 0.5": "plackett-luce:scale=0.5",
        "tastes": "thurstone:sigma=0.5,taste=0.7",
        "three schools": "thurstone:sigma=0.3,taste=0.7,schools=3",
    }.items()
}
"""Likewise for the scenarios in which every grader ranks all papers, and wrote none."""


def at_defaults(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the rows of rules without options set: those that were run in every scenario."""
    return [row for row in rows if row["rule"] != TIED]


def panels(rows: Sequence[Mapping[str, Any]]) -> dict[int, list[Mapping[str, Any]]]:
    """Return the rows by k, in the order in which figures and tables show them: complete lists last."""
    last = {row["k"]: row["scenario"] in COMPLETE_LISTS for row in rows}
    return {k: [row for row in rows if row["k"] == k] for k in sorted(last, key=lambda k: (last[k], k))}
