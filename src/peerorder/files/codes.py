"""Codes: what graders see instead of a paper's id, so that a hand-out names nobody."""

from pathlib import Path

import numpy as np

from peerorder.files.ids import check_ids
from peerorder.files.problems import Problems, shown
from peerorder.files.sheets import read_sheet, wanted_names, where

__all__ = ["read_codes"]


def read_codes(path: Path) -> dict[str, str]:
    """The paper behind every code."""
    sheet = read_sheet(path, wanted_names("paper", "code"))
    sheet.need("a file of codes", ["paper", "code"])
    problems = Problems(path, sheet.problems)
    good = np.ones(len(sheet), bool)
    for name in ("paper", "code"):
        column = sheet[name]
        check_ids(problems, good, sheet.rows, column, lambda _, name=name: name)  # type: ignore[misc]
        first = np.unique(column.codes, return_index=True)[1]
        again = good.copy()
        again[first] = False
        for at in where(again):
            before = int(sheet.rows[first[column.codes[at]]])
            cause = f"{shown(column[at])} is in row {before} already"
            problems.add(int(sheet.rows[at]), name, cause, "give every paper one code of its own")
    problems.refuse()
    return dict(zip(sheet["code"].tolist(), sheet["paper"].tolist(), strict=True))
