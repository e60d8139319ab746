"""Ids: texts that cannot be one, damage done by spreadsheets, and ids that are easily confused."""

import re
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from peerorder.core.arrays import IntArray
from peerorder.core.text import join_with_and
from peerorder.core.translation import gettext as _, message, ngettext, translate
from peerorder.files.formats.arrow import bytes_of, encode
from peerorder.files.formats.problems import FileError, Problem, and_more, shown
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
    name = (lambda _index: called) if isinstance(called, str) else called
    for index in where(column.empty if may_be_empty is None else column.empty & ~may_be_empty):
        problems.refuse(index, name(index), _("this cell is empty"), _("write the ID, or delete the row"))
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
            wrong[index] = _("this is a spreadsheet error, {text}").format(text=text), _("write the ID")
    # A text has at least as many bytes as characters.
    for index in where(sizes > LONGEST):
        if len(text := words[index].as_py()) > LONGEST:
            cause = _("the ID {text} has more than {most:,} characters").format(text=shown(text), most=LONGEST)
            wrong[index] = cause, _("delete what does not belong to it")
    if (characters < 32).any():
        for index, text in enumerate(words.to_pylist()):
            if any(letter < " " for letter in text):
                cause = _("the ID {text} has a line break or a tab in it").format(text=shown(text))
                wrong[index] = cause, _("delete what does not belong to it, or close a quotation mark that is open")
    return wrong


def _notes(path: Path, rows: IntArray, column: Column, name: Callable[[int], str]) -> Iterable[str]:
    if not SIGNS[bytes_of(column.words)[1]].any():
        return
    for pattern, text in (
        (
            DATE,
            message(
                "{file}, row {row}, column {column}: {id} looks like a date, which spreadsheets make of some IDs; "
                "check it"
            ),
        ),
        (
            ROUNDED,
            message(
                "{file}, row {row}, column {column}: {id} looks like a rounded number, which spreadsheets make of "
                "some IDs; check it"
            ),
        ),
    ):
        result = [index for index, word in enumerate(column.texts) if pattern.fullmatch(word)]
        if result:
            index = int(np.argmax(np.isin(column.codes, result)))
            yield translate(text).format(
                file=path, row=rows[index], column=name(index), id=and_more(column[index], len(result) - 1)
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

    def is_similar(self, said: str) -> bool:
        """Return whether an id differs from this one in nothing but case, spaces or leading zeros."""
        return self.find(said) is not None or self._bare.get(_bare(said)) is not None

    def suggest(self, said: str, cause: str, cure: str) -> tuple[str, str]:
        """Return the message that there is no such id, with the one that is similar, and what to do.

        Both are as they were given where no id is similar.
        """
        if (similar := self.find(said)) is not None:
            text, cure = _("{cause}, but {id} is"), _("write {id}")
        elif (similar := self._bare.get(_bare(said))) is None:
            return cause, cure
        elif len(similar) > len(said):
            text = _("{cause}, but {id} is: spreadsheets drop leading zeros")
            cure = _("enter {id} in a cell formatted as text")
        else:
            text = _("{cause}, but {id} is: a spreadsheet may have dropped leading zeros there")
            cure = _("write the ID the same in both files")
        return text.format(cause=cause, id=shown(similar)), cure.format(id=shown(similar))


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
    lost = [each for each in missing if similar.is_similar(each)]
    if lost:
        cause = _("{id} is not on the roster {file}").format(id=lost[0], file=roster)
        cause, cure = similar.suggest(lost[0], cause, "")
        if len(lost) > 1:
            cause = ngettext(
                "{cause} (and {count:,} more like it)",
                "{cause} (and {count:,} more like it)",
                len(lost) - 1,
            ).format(cause=cause, count=len(lost) - 1)
        raise FileError([Problem(path, None, column, cause, cure)])


def lookalikes(path: Path, words: Any) -> tuple[str, ...]:
    """Return a note about ids, each given once, that differ only in case or spaces; they count as different."""
    characters = bytes_of(words)[1]
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
    named = "; ".join(join_with_and(group[:NAMED]) for group in [*groups.values()][:3])
    named += ", ..." if len(groups) > 3 else ""
    text = _("{file}: these IDs differ only in case or spaces, and count as different: {ids}")
    return (text.format(file=path, ids=named),)
