"""Codes that graders see instead of a paper's id, so that a hand-out names nobody."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from peerorder.core.randomness import Generator
from peerorder.core.translation import gettext as _
from peerorder.files.formats.arrow import strings
from peerorder.files.formats.paths import takes_path
from peerorder.files.formats.problems import shown
from peerorder.files.formats.sheets import read_sheet, wanted_names, where
from peerorder.files.tables.ids import check_ids, refuse_lost_zeros
from peerorder.files.tables.roster import Roster
from peerorder.files.tables.row_problems import RowProblems

__all__ = ["looks_like_code", "make_codes", "new_codes", "read_codes"]

# No vowels, so no words and no months, which spreadsheets would make dates of; no signs that look like others.
LETTERS = "BCDFGHJKLMNPQRSTVWXZ"
SIGNS = LETTERS + "3479"
SHORTEST = 4
# Codes are sparse: a typing error is seldom the code of another paper.
SPARSE = 100

CODE = re.compile(f"[{LETTERS}][{SIGNS}]{{{SHORTEST - 1},}}", re.IGNORECASE)

COLUMNS = ("paper", "code")


@takes_path
def read_codes(path: Path, roster: Roster | None = None) -> dict[str, str]:
    """Read the paper of every code; raise FileError for papers that match the roster but for leading zeros."""
    sheet = read_sheet(path, wanted_names(*COLUMNS))
    sheet.need(_("a file of codes"), ["paper", "code"])
    problems = RowProblems(path, sheet.rows, sheet.problems)
    for name in ("paper", "code"):
        column = sheet[name]
        check_ids(problems, column, name)
        first = np.unique(column.codes, return_index=True)[1]
        again = problems.good.copy()
        again[first] = False
        for index in where(again):
            before = int(sheet.rows[first[column.codes[index]]])
            cause = _("{text} is already in row {row}").format(text=shown(column[index]), row=before)
            problems.add(int(sheet.rows[index]), name, cause, _("give every paper one code of its own"))
    problems.raise_if_any()
    if roster is not None:
        refuse_lost_zeros(path, "paper", sheet["paper"].tolist(), roster.path, roster.papers)
    return dict(zip(sheet["code"].tolist(), sheet["paper"].tolist(), strict=True))


def looks_like_code(text: str) -> bool:
    """Return whether this may be a code that was made here."""
    return CODE.fullmatch(text) is not None


def make_codes(
    papers: Sequence[str], rng: Generator, *, known: Mapping[str, str] | None = None, taken: Iterable[str] = ()
) -> dict[str, str]:
    """Return a code for every paper: known ones are kept, the others get new ones at random.

    Parameters
    ----------
    known
        The paper of every existing code, as ``read_codes`` returns it.
    taken
        Texts that must not become codes, such as ids.
    """
    code_of = {paper: code for code, paper in (known or {}).items()}
    new = [paper for paper in papers if paper not in code_of]
    codes = new_codes(len(new), rng, strings({*(known or {}), *taken}))
    return code_of | dict(zip(new, codes.to_pylist(), strict=True))


def new_codes(number: int, rng: Generator, taken: Any) -> Any:
    """Return different codes, as an arrow array; ``taken`` has texts that must not become codes, each once."""
    length = SHORTEST
    while len(LETTERS) * len(SIGNS) ** (length - 1) < SPARSE * (number + len(taken)):
        length += 1
    # Few ids look like codes, or none.
    taken = taken.filter(pc.match_substring_regex(taken, f"^[{LETTERS}][{SIGNS}]{{{length - 1}}}$"))
    codes = strings([])
    while len(codes) < number:
        fresh = _draw(number - len(codes), length, rng)
        used = pa.concat_arrays([taken.cast(fresh.type), codes])
        codes = pa.concat_arrays([codes, fresh.filter(pc.invert(pc.is_in(fresh, used)))]) if len(used) else fresh
    return codes


def _draw(number: int, length: int, rng: Generator) -> Any:
    """Different codes, the first sign of each a letter, so that none is a number."""
    numbers = rng.choice(len(LETTERS) * len(SIGNS) ** (length - 1), number, replace=False)
    signs = np.frombuffer(SIGNS.encode(), np.uint8)
    text = np.empty((number, length), np.uint8)
    for place in range(length - 1, 0, -1):
        numbers, digit = np.divmod(numbers, len(SIGNS))
        text[:, place] = signs[digit]
    text[:, 0] = signs[numbers]
    ends = np.arange(0, (number + 1) * length, length, dtype=np.int32)
    return pa.StringArray.from_buffers(number, pa.py_buffer(ends), pa.py_buffer(text))
