"""Ids: texts that cannot be one, damage done by spreadsheets, and ids that are easily confused."""

import re
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from peerorder.core.arrays import IntArray
from peerorder.files.formats.arrow import bytes_of, encode
from peerorder.files.formats.problems import FileError, Problem, shown
from peerorder.files.formats.sheets import NAMED, Column, where
from peerorder.files.tables.row_problems import RowProblems

__all__ = ["SimilarIds", "check_ids", "lookalikes", "normalise_id", "refuse_lost_zeros"]

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
    """Report cells that hold no id, and note those that look damaged.

    ``called`` is the name of the column, or a function of the row; ``may_be_empty`` marks rows that need no id.
    """
    name = (lambda _: called) if isinstance(called, str) else called
    for index in where(column.empty if may_be_empty is None else column.empty & ~may_be_empty):
        problems.refuse(index, name(index), "this cell is empty", "write the id, or delete the row")
    wrong = _wrong(column.words)
    for index in where(np.isin(column.codes, [*wrong])) if wrong else ():
        problems.refuse(index, name(index), *wrong[int(column.codes[index])])
    problems.notes += _notes(problems.path, problems.rows, column, name)


def _wrong(words: Any) -> dict[int, tuple[str, str]]:
    """Return the texts that cannot be an id, with cause and cure."""
    wrong = {}
    begin, characters = bytes_of(words)
    sizes = np.diff(begin)
    said = np.flatnonzero(sizes)
    for index in said[characters[begin[said]] == ord("#")].tolist():
        if ERROR.fullmatch(text := words[index].as_py()):
            wrong[index] = f"this is a spreadsheet error, {text}", "write the id"
    # A text has at least as many bytes as characters.
    for index in where(sizes > LONGEST):
        if len(text := words[index].as_py()) > LONGEST:
            cause = f"the id {shown(text)} has more than {LONGEST:,} characters"
            wrong[index] = cause, "delete what does not belong to it"
    if (characters < 32).any():
        for index, text in enumerate(words.to_pylist()):
            if any(letter < " " for letter in text):
                cause = f"the id {shown(text)} has a line break or a tab in it"
                wrong[index] = cause, "delete what does not belong to it, or close a quotation mark that is open"
    return wrong


def _notes(path: Path, rows: IntArray, column: Column, name: Callable[[int], str]) -> Iterable[str]:
    if not SIGNS[bytes_of(column.words)[1]].any():
        return
    for pattern, what in ((DATE, "a date"), (ROUNDED, "a rounded number")):
        result = [index for index, text in enumerate(column.texts) if pattern.fullmatch(text)]
        if result:
            index = int(np.argmax(np.isin(column.codes, result)))
            more = f" (and {len(result) - 1:,} more)" if len(result) > 1 else ""
            yield (
                f"{path}, row {rows[index]}, column {name(index)}: {column[index]}{more} looks like {what}, "
                f"which spreadsheets make of some ids; check it"
            )


def normalise_id(text: str) -> str:
    """Return an id without what is easily mistaken: case and spaces."""
    return BLANKS.sub("", text).casefold()


class SimilarIds:
    """Ids compared without case, spaces and leading zeros, which spreadsheets drop."""

    def __init__(self, ids: Iterable[str]) -> None:
        self._folded: dict[str, str | None] = {}
        self._bare: dict[str, str | None] = {}
        for each in ids:
            for known, key in ((self._folded, normalise_id(each)), (self._bare, _bare(each))):
                # Two similar ids are no answer.
                known[key] = None if key in known else each

    def find(self, said: str) -> str | None:
        """Return the only id that differs from this one in nothing but case or spaces."""
        return self._folded.get(normalise_id(said))

    def suggest(self, said: str, cure: str) -> tuple[str, str]:
        """Return what to add to the message that there is no such id, and the cure; ``cure`` if none is similar."""
        if (result := self.find(said)) is not None:
            return f", but {shown(result)} is", f"write {shown(result)}"
        if (result := self._bare.get(_bare(said))) is None:
            return "", cure
        if len(result) > len(said):
            why = "spreadsheets drop leading zeros"
            return f", but {shown(result)} is: {why}", f"enter {shown(result)} in a cell formatted as text"
        why = "a spreadsheet may have dropped leading zeros there"
        return f", but {shown(result)} is: {why}", "write the id the same in both files"


def _bare(text: str) -> str:
    return normalise_id(text).lstrip("0")


def refuse_lost_zeros(path: Path, column: str, ids: Collection[str], roster: Path, known: Collection[str]) -> None:
    """Raise FileError for ids that match the roster but for leading zeros: they would count as other ids."""
    known_ids = {*known}
    missing = [each for each in ids if each.isdecimal() and each not in known_ids]
    if not missing:
        return
    # Ids that are in this file with their zeros are other people.
    similar = SimilarIds(known_ids.difference(ids))
    lost = [(each, *text) for each in missing if (text := similar.suggest(each, ""))[0]]
    if lost:
        said, but, cure = lost[0]
        more = f" (and {len(lost) - 1:,} more like it)" if len(lost) > 1 else ""
        raise FileError([Problem(path, None, column, f"{said} is not on the roster {roster}{but}{more}", cure)])


def lookalikes(path: Path, words: Any) -> tuple[str, ...]:
    """Return a note about ids, each given once, that differ only in case or spaces; they count as different."""
    _, characters = bytes_of(words)
    if not MISTAKEN[characters].any():
        return ()
    lower = pc.utf8_lower(words)
    if (characters == 32).any():
        lower = pc.replace_substring_regex(lower, r"\s+", "")
    codes, different = encode(lower)
    if len(different) == len(words):
        return ()
    groups: dict[int, list[str]] = {}
    for index in np.flatnonzero(np.bincount(codes)[codes] > 1):
        groups.setdefault(int(codes[index]), []).append(shown(words[int(index)].as_py()))
    named = "; ".join(" and ".join(group[:NAMED]) for group in [*groups.values()][:3])
    more = ", ..." if len(groups) > 3 else ""
    return (f"{path}: these ids differ only in case or spaces, and count as different: {named}{more}",)
