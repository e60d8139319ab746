"""Codes: what graders see instead of a paper's id, so that a hand-out names nobody."""

from pathlib import Path

from peerorder.files.problems import Problems
from peerorder.files.sheets import read_sheet

__all__ = ["read_codes"]


def read_codes(path: Path) -> dict[str, str]:
    """The paper behind every code."""
    sheet = read_sheet(path)
    sheet.need("a file of codes", ["paper", "code"])
    problems = Problems(path, sheet.problems)
    paper, code = sheet["paper"], sheet["code"]
    behind: dict[str, str] = {}
    seen: set[str] = set()
    for at in range(len(sheet)):
        row, what, sign = int(sheet.rows[at]), paper[at], code[at]
        if not what or not sign:
            problems.add(row, "code" if what else "paper", "this cell is empty", "give every paper a code")
        elif sign in behind:
            problems.add(row, "code", f"{sign} is the code of {behind[sign]} already", "give every paper its own")
        elif what in seen:
            problems.add(row, "paper", f"{what} has a code already", "delete one of the rows")
        else:
            behind[sign] = what
            seen.add(what)
    problems.refuse()
    return behind
