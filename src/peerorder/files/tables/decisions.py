"""Decisions of comparative judgement on disk: one row per decision of a judge between two candidates.

The columns are those of Kinnear, Jones and Davies (2025), in the public repository georgekinnear/cj-meta-analysis.
"""

import csv
from pathlib import Path

import numpy as np

from peerorder.core.errors import InputError
from peerorder.core.profile import Profile
from peerorder.core.translation import gettext as _
from peerorder.files.formats.paths import takes_path

__all__ = ["COLUMNS", "read_decisions"]

COLUMNS = ("judge", "candidate_chosen", "candidate_not_chosen")


@takes_path
def read_decisions(path: Path) -> Profile | None:
    """Read a CSV with the columns of ``COLUMNS`` and any others; None where it lacks these.

    Every decision is a ballot of two papers. Judges and candidates are numbered as they first appear.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.DictReader(stream)
            if not set(COLUMNS) <= set(reader.fieldnames or ()):
                return None
            rows = [[(row[column] or "").strip() for column in COLUMNS] for row in reader]
    except (OSError, csv.Error, UnicodeDecodeError) as error:
        raise InputError(_("{file}: cannot be read as CSV in UTF-8 ({error})").format(file=path, error=error)) from None
    # A candidate against itself, or a gap in the row, says nothing.
    said = [row for row in rows if all(row) and row[1] != row[2]]
    judges = {name: index for index, name in enumerate(dict.fromkeys(row[0] for row in said))}
    candidates = {name: index for index, name in enumerate(dict.fromkeys(name for row in said for name in row[1:]))}
    pairs = np.array([[candidates[name] for name in row[1:]] for row in said], np.int32).reshape(-1, 2)
    return Profile.from_matrix(pairs, len(candidates), grader=np.array([judges[row[0]] for row in said], np.int32))
