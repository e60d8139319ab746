"""Ids: what cannot be one, what a spreadsheet may have made of one, and what is easily mistaken for another."""

import re
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from peerorder.core.arrays import IntArray
from peerorder.files.formats.arrow import encode, letters_of
from peerorder.files.formats.problems import FileError, Problem, shown
from peerorder.files.formats.sheets import NAMED, Column, where
from peerorder.files.tables.row_problems import RowProblems

__all__ = ["Alike", "check_ids", "folded", "lookalikes", "refuse_lost_zeros"]

# As spreadsheets write them in several languages.
MONTH = (
    "(?:janv?|ene|febr?|févr?|mar|mars|märz?|mrz|abr|apr|avr|avril|mai|may|juni?|juin|juli?|juil|ago|août|aug|sept?"
    "|oct|okt|out|nov|de[cz]|déc|dic)"
)
DATE = re.compile(
    rf"\d{{1,2}}[-./ ]\s?{MONTH}\.?(?:[-./ ]\s?\d{{2,4}})?|{MONTH}[-./]\d{{2,4}}|"
    r"\d{1,2}([-./])\d{1,2}\1(?:\d{2}|\d{4})|\d{4}([-./])\d{1,2}\2\d{1,2}(?:[ T]\d{1,2}:\d{2}(?::\d{2})?)?",
    re.IGNORECASE,
)
ROUNDED = re.compile(r"\d(?:[.,]\d+)?E\+\d+", re.ASCII)
ERROR = re.compile(r"#(?:N/A|NAME\?|REF!|VALUE!|DIV/0!|NUM!|NULL!|SPILL!|CALC!)", re.IGNORECASE)
# Without one of these signs there is neither a date nor a rounded number.
SIGNS = np.zeros(256, bool)
SIGNS[list(b"-./ +")] = True
# Without one of these bytes (capital letters, blanks, letters beyond ASCII) no two different ids are easily mistaken.
MISTAKEN = np.zeros(256, bool)
MISTAKEN[[32, *range(65, 91), *range(128, 256)]] = True
LONGEST = 1000
BLANKS = re.compile(r"\s+")


def check_ids(
    problems: RowProblems,
    column: Column,
    called: str | Callable[[int], str],
    may_be_empty: NDArray[np.bool_] | None = None,
) -> None:
    """Complain about cells that hold no id, and note those that may hold none.

    ``called`` is what to call the column, of all rows or of each; ``may_be_empty`` says where there need not be an id.
    """
    name = (lambda _: called) if isinstance(called, str) else called
    for at in where(column.empty if may_be_empty is None else column.empty & ~may_be_empty):
        problems.refuse(at, name(at), "this cell is empty", "write the id, or delete the row")
    wrong = _wrong(column.words)
    for at in where(np.isin(column.codes, [*wrong])) if wrong else ():
        problems.refuse(at, name(at), *wrong[int(column.codes[at])])
    problems.notes += _notes(problems.path, problems.rows, column, name)


def _wrong(words: Any) -> dict[int, tuple[str, str]]:
    """The texts that can be no id, with cause and cure."""
    wrong = {}
    begin, letters = letters_of(words)
    sizes = np.diff(begin)
    said = np.flatnonzero(sizes)
    for at in said[letters[begin[said]] == ord("#")].tolist():
        if ERROR.fullmatch(text := words[at].as_py()):
            wrong[at] = f"this is an error of the spreadsheet, {text}", "write the id"
    # As many bytes at least as letters.
    for at in where(sizes > LONGEST):
        if len(text := words[at].as_py()) > LONGEST:
            cause = f"the id {shown(text)} has more than {LONGEST:,} letters"
            wrong[at] = cause, "delete what does not belong to it"
    if (letters < 32).any():
        for at, text in enumerate(words.to_pylist()):
            if any(letter < " " for letter in text):
                cause = f"the id {shown(text)} has a line break or a tab in it"
                wrong[at] = cause, "delete what does not belong to it, or close a quotation mark that is open"
    return wrong


def _notes(path: Path, rows: IntArray, column: Column, name: Callable[[int], str]) -> Iterable[str]:
    if not SIGNS[letters_of(column.words)[1]].any():
        return
    for pattern, what in ((DATE, "a date"), (ROUNDED, "a rounded number")):
        found = [at for at, text in enumerate(column.texts) if pattern.fullmatch(text)]
        if found:
            at = int(np.argmax(np.isin(column.codes, found)))
            more = f" (and {len(found) - 1:,} more)" if len(found) > 1 else ""
            yield (
                f"{path}, row {rows[at]}, column {name(at)}: {column[at]}{more} looks like {what}, which a spreadsheet "
                f"makes of some ids; check it"
            )


def folded(text: str) -> str:
    """An id without what is easily mistaken: upper and lower case, and blanks."""
    return BLANKS.sub("", text).casefold()


class Alike:
    """Ids by what is easily mistaken about them: case, blanks, and zeros in front, which spreadsheets take away."""

    def __init__(self, ids: Iterable[str]) -> None:
        self._folded: dict[str, str | None] = {}
        self._bare: dict[str, str | None] = {}
        for each in ids:
            for known, key in ((self._folded, folded(each)), (self._bare, _bare(each))):
                # Two that are alike are no answer.
                known[key] = None if key in known else each

    def find(self, said: str) -> str | None:
        """The only id that differs from this one in nothing but case or blanks."""
        return self._folded.get(folded(said))

    def told(self, said: str, cure: str) -> tuple[str, str]:
        """What to add to the complaint that there is no such id, and the cure; the one given where nothing is alike."""
        if (found := self.find(said)) is not None:
            return f", but {shown(found)} is", f"write {shown(found)}"
        if (found := self._bare.get(_bare(said))) is None:
            return "", cure
        if len(found) > len(said):
            why = "a spreadsheet takes zeros in front away"
            return f", but {shown(found)} is: {why}", f"write {shown(found)}, in a cell that is formatted as text"
        why = "a spreadsheet may have taken zeros in front away there"
        return f", but {shown(found)} is: {why}", "write the id the same in both files"


def _bare(text: str) -> str:
    return folded(text).lstrip("0")


def refuse_lost_zeros(path: Path, column: str, ids: Collection[str], roster: Path, known: Collection[str]) -> None:
    """Refuse a file with ids that are on the roster but for zeros in front: they would be taken for other ones."""
    there = {*known}
    missing = [each for each in ids if each.isdecimal() and each not in there]
    if not missing:
        return
    # Who is in this file with their zeros is somebody else.
    alike = Alike(there.difference(ids))
    lost = [(each, *told) for each in missing if (told := alike.told(each, ""))[0]]
    if lost:
        said, but, cure = lost[0]
        more = f" (and {len(lost) - 1:,} more like it)" if len(lost) > 1 else ""
        raise FileError([Problem(path, None, column, f"{said} is not on the roster {roster}{but}{more}", cure)])


def lookalikes(path: Path, words: Any) -> tuple[str, ...]:
    """A note about ids, each given once, that differ only in case or blanks; they are different ids all the same."""
    _, letters = letters_of(words)
    if not MISTAKEN[letters].any():
        return ()
    lower = pc.utf8_lower(words)
    if (letters == 32).any():
        lower = pc.replace_substring_regex(lower, r"\s+", "")
    codes, different = encode(lower)
    if len(different) == len(words):
        return ()
    groups: dict[int, list[str]] = {}
    for at in np.flatnonzero(np.bincount(codes)[codes] > 1):
        groups.setdefault(int(codes[at]), []).append(shown(words[int(at)].as_py()))
    named = "; ".join(" and ".join(group[:NAMED]) for group in [*groups.values()][:3])
    more = ", ..." if len(groups) > 3 else ""
    return (f"{path}: these ids differ only in case or blanks, and are taken for different ones: {named}{more}",)
