"""Mail merge: a table that tells every grader what to rank, and a form that comes back as rankings."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from peerorder.core.arrays import AnyIntArray
from peerorder.files.tables.roster import Roster

__all__ = ["form_columns", "form_names", "form_path", "mail_merge_columns"]

LONGEST = 80

Columns = dict[str, Sequence[Any] | NDArray[Any]]


def form_path(letters: Path) -> Path:
    """Return the path of the form for a mail-merge table: messages.csv has messages-form.csv."""
    return letters.with_name(f"{letters.stem}-form{letters.suffix}")


def form_names(graders: Sequence[str], suffix: str) -> list[str]:
    """Return a file name for the form of every grader: their id, without characters that file names cannot have."""
    used: set[str] = set()
    names = []
    for grader in graders:
        stem = re.sub(r"[^\w.@+-]+", "-", grader)[:LONGEST].strip(".- ") or "grader"
        name, again = f"form-{stem}{suffix}", 1
        # Some systems do not tell small letters from capital ones.
        while name.lower() in used:
            again += 1
            name = f"form-{stem}-{again}{suffix}"
        used.add(name.lower())
        names.append(name)
    return names


def mail_merge_columns(
    roster: Roster,
    grader: AnyIntArray,
    rows: Mapping[str, NDArray[np.object_]],
    new: NDArray[np.bool_] | None = None,
    forms: Sequence[str] | None = None,
) -> Columns:
    """Return one row per grader: their name and papers, together in one cell and one by one.

    Parameters
    ----------
    grader
        The grader of every row of a hand-out, the rows of each in one piece.
    rows
        These rows as graders see them: ``paper``, and ``link`` where papers have one.
    new
        Which rows are new, where a letter tells what was added.
    forms
        The file to be sent along to every grader, where each has a form of their own.
    """
    first = np.flatnonzero(np.concatenate([[True], np.diff(grader) != 0])) if len(grader) else np.zeros(0, np.int64)
    number = np.diff(np.append(first, len(grader)))
    line = np.repeat(np.arange(len(first)), number)
    place = np.arange(len(grader)) - first[line]
    width = int(number.max(initial=0))
    who = grader[first].tolist()
    shown, pieces = rows["paper"], list(zip(first.tolist(), (first + number).tolist(), strict=True))
    table: Columns = {
        "grader": [roster.students[g] for g in who],
        "name": [roster.name[g] for g in who],
        "email": [roster.email[g] for g in who],
        "papers": [", ".join(shown[low:high]) for low, high in pieces],
    }
    if forms is not None:
        table["form"] = forms
    if new is not None:
        table["new"] = [", ".join(shown[low:high][new[low:high]]) for low, high in pieces]
    for name in ("paper", "link"):
        if name in rows:
            grid = np.full((len(first), width), "", object)
            grid[line, place] = rows[name]
            table |= {f"{name}_{column + 1}": grid[:, column] for column in range(width)}
    return table


def form_columns(rows: Mapping[str, NDArray[np.object_]], ballot: str | None = None) -> Columns:
    """Return rankings with empty ranks: 1 is best, equal ranks are a tie, an empty cell was not judged.

    ``rows`` are those of a hand-out as graders see them: ``grader``, ``paper``, and ``link`` where papers have one.
    """
    number = len(rows["paper"])
    table: Columns = {"grader": rows["grader"], "paper": rows["paper"], "rank": [None] * number}
    if ballot is not None:
        table["ballot"] = [ballot] * number
    return table | {name: rows[name] for name in rows if name == "link"}
