"""Exercises: what real people judged, in files of several formats."""

import csv
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal

from peerorder.core.errors import InputError
from peerorder.core.profile import Profile
from peerorder.core.translation import gettext as _
from peerorder.files.formats.paths import takes_path
from peerorder.files.tables.decisions import read_decisions
from peerorder.files.tables.preflib import read_complete_orders
from peerorder.files.tables.rankings import read_rankings

__all__ = ["HALVES", "Exercise", "exercise_files", "half_of", "read_exercise"]

HALVES = ("held-out", "tuning")
ENDINGS = (".csv", ".soc", ".toc")
OF_RANKINGS = {"grader", "paper", "rank"}


@dataclass(frozen=True, eq=False)
class Exercise:
    """Judgements of one group of people about the same papers."""

    name: str
    kind: Literal["pairs", "lists"]
    """Decisions between two papers, one ballot each, or lists of several."""
    profile: Profile


def half_of(name: str) -> str:
    """Return the half that an exercise belongs to: rules are tuned on one and tested on the other."""
    return HALVES[1 - sha256(name.encode()).digest()[-1] % 2]


def exercise_files(folder: Path) -> dict[str, Path]:
    """Return the files in a folder, and in all folders in it, that may hold an exercise, by the exercise's name."""
    result: dict[str, Path] = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() not in ENDINGS or not path.is_file():
            continue
        if path.stem in result:
            raise InputError(
                _("{one} and {other} would have the same name; rename one").format(one=result[path.stem], other=path)
            )
        result[path.stem] = path
    return result


@takes_path
def read_exercise(path: Path) -> Exercise | None:
    """Read one exercise; None where the file has another content, or orders that people did not give."""
    if path.suffix.lower() != ".csv":
        orders = read_complete_orders(path)
        return None if orders is None else Exercise(path.stem, "lists", orders)
    decisions = read_decisions(path)
    if decisions is not None:
        return Exercise(path.stem, "pairs", decisions)
    with path.open(encoding="utf-8-sig", newline="") as stream:
        if not set(next(csv.reader(stream), ())) >= OF_RANKINGS:
            return None
    return Exercise(path.stem, "lists", read_rankings(path).profile)
