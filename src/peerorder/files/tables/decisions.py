"""Sessions of comparative judgement on disk: one row per decision of a judge between two candidates."""

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from peerorder.core.arrays import Int32Array
from peerorder.core.errors import InputError
from peerorder.core.profile import Profile
from peerorder.core.translation import gettext as _
from peerorder.files.formats.paths import takes_path

__all__ = ["COLUMNS", "Session", "read_session"]

COLUMNS = ("judge", "candidate_chosen", "candidate_not_chosen")


@dataclass(frozen=True, eq=False)
class Session:
    """Decisions in the order of the file; judges and candidates are numbered as they first appear."""

    name: str
    judge: Int32Array
    chosen: Int32Array
    other: Int32Array
    candidates: tuple[str, ...]
    judges: tuple[str, ...]
    skipped: int
    """Rows of the file without a decision: a gap, or a candidate against itself."""

    def __len__(self) -> int:
        return len(self.chosen)

    def profile(self, decisions: np.ndarray) -> Profile:
        """Return some decisions as a profile, a ballot of two papers each."""
        pairs = np.stack([self.chosen[decisions], self.other[decisions]], axis=1)
        nobody = np.full(len(self.judges), -1, np.int32)
        return Profile.from_matrix(pairs, len(self.candidates), grader=self.judge[decisions], authored=nobody)


@takes_path
def read_session(path: Path) -> Session | None:
    """Read the decisions in a CSV with the columns of ``COLUMNS`` and any others; None where it lacks these."""
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
    return Session(
        name=path.stem,
        judge=np.array([judges[row[0]] for row in said], np.int32),
        chosen=np.array([candidates[row[1]] for row in said], np.int32),
        other=np.array([candidates[row[2]] for row in said], np.int32),
        candidates=tuple(candidates),
        judges=tuple(judges),
        skipped=len(rows) - len(said),
    )
