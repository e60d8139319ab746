"""Properties of a workbook that calamine does not report: the extent of its sheets, and unreadable cells.

It makes room for every cell up to the last, so one that somebody typed far away would end the program for want of
memory. Cells with #N/A and the like are empty for it, and so are formulas of a script that nobody ever calculated; an
empty rank means not judged.
"""

import re
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from xml.etree import ElementTree

from peerorder.core.translation import gettext as _
from peerorder.files.formats.problems import FileError, Problem

__all__ = ["Cell", "Fault", "faults_on_sheets"]

Cell = tuple[int, int]
"""Row and column, both from 0."""

Fault = tuple[str, str]
"""What is wrong with a cell, and the cure."""

MOST_CELLS = 20_000_000
MOST_BYTES = 4 * 2**30

PLACE = re.compile(rb"""<(?:\w+:)?c\s[^>]*?\br=["']([A-Z]{1,3})(\d{1,7})["']""")
# Such a cell, and what stands in it before the next one.
ERROR = re.compile(
    rb"""<(?:\w+:)?c\s(?=[^>]*\bt=["']e["'])[^>]*?\br=["']([A-Z]{1,3})(\d{1,7})["'][^>]*>(.*?)(?=</?(?:\w+:)?c[\s>]|\Z)""",
    re.DOTALL,
)
# A cell with a formula: its attributes, and what stands in it from the formula on.
FORMULA = re.compile(
    rb"""<(?:\w+:)?c(\s[^>]*)>\s*<(?:\w+:)?f[\s/>](.*?)(?=</?(?:\w+:)?c[\s>]|\Z)""",
    re.DOTALL,
)
NAME = re.compile(rb"""\br=["']([A-Z]{1,3})(\d{1,7})["']""")
# A text may be empty, and an error is told apart.
TEXT_OR_ERROR = re.compile(rb"""\bt=["'](?:str|e)["']""")
SAVED = re.compile(rb"<(?:\w+:)?v[^>/]*>[^<]")
VALUE = re.compile(rb"<(?:\w+:)?v>(#[^<]{1,20})<")
DAMAGED = (zipfile.BadZipFile, zlib.error, ElementTree.ParseError, KeyError, EOFError, NotImplementedError)


def faults_on_sheets(path: Path) -> dict[str, dict[Cell, Fault]]:
    """Return the unreadable cells, by the names of the sheets; raise FileError for sheets that are too large."""
    result = {}
    try:
        with zipfile.ZipFile(path) as book:
            for name, member in _members(book).items():
                if book.getinfo(member).file_size > MOST_BYTES:
                    raise _too_large(path, _("the sheet {sheet} cannot be read: it is too large").format(sheet=name))
                content = book.read(member)
                _check_reach(path, name, content)
                result[name] = _unsaved(content) | _errors(content)
    except (*DAMAGED, RuntimeError, ValueError) as error:
        if isinstance(error, FileError):
            raise
        # Calamine says what is wrong with it, or reads it all the same.
        return {}
    return result


def _members(book: zipfile.ZipFile) -> dict[str, str]:
    """Return the path of every sheet in the archive."""
    links = {}
    for link in ElementTree.fromstring(book.read("xl/_rels/workbook.xml.rels")):
        target = link.attrib["Target"]
        links[link.attrib["Id"]] = target.lstrip("/") if target.startswith("/") else str(PurePosixPath("xl") / target)
    members = {}
    for sheet in ElementTree.fromstring(book.read("xl/workbook.xml")).iter():
        if sheet.tag.endswith("}sheet"):
            target = next(links[value] for key, value in sheet.attrib.items() if key.endswith("}id"))
            if "worksheets" in target:
                members[sheet.attrib["name"]] = target
    return members


def _check_reach(path: Path, sheet: str, content: bytes) -> None:
    places = PLACE.findall(content)
    height = max((int(row) for _letters, row in places), default=0)
    width = max((_column(letters) + 1 for letters in {letters for letters, _row in places}), default=0)
    if height * width > MOST_CELLS:
        cause = _("the sheet {sheet} cannot be read: it reaches to row {row:,} and column {column:,}")
        raise _too_large(path, cause.format(sheet=sheet, row=height, column=width))


def _too_large(path: Path, cause: str) -> FileError:
    cure = _("delete rows and columns that are far from the table, or save it as CSV")
    return FileError([Problem(path, None, None, cause, cure)])


def _errors(content: bytes) -> dict[Cell, Fault]:
    errors = {}
    for letters, row, rest in ERROR.findall(content):
        value = VALUE.search(rest)
        text = value[1].decode("utf-8", "replace") if value else "#N/A"
        errors[int(row) - 1, _column(letters)] = (
            _("this is a spreadsheet error, {text}").format(text=text),
            _("write what should stand there"),
        )
    return errors


def _unsaved(content: bytes) -> dict[Cell, Fault]:
    return {
        (int(name[2]) - 1, _column(name[1])): (
            _("this formula has no saved value"),
            _("open the file in a spreadsheet and save it"),
        )
        for attributes, rest in FORMULA.findall(content)
        if not TEXT_OR_ERROR.search(attributes) and not SAVED.search(rest) and (name := NAME.search(attributes))
    }


def _column(letters: bytes) -> int:
    """Return the number of a column from 0: A is 0, Z is 25, AA is 26."""
    number = 0
    for letter in letters:
        number = 26 * number + letter - 64
    return number - 1
