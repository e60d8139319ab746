"""Columns of gradebooks that can hold marks, as Canvas, Moodle, Blackboard and Open edX name them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from peerorder.files.formats.lossless_csv import RawTable
from peerorder.files.tables.platforms import (
    BLACKBOARD,
    BLACKBOARD_ITEM,
    CANVAS,
    CANVAS_ITEM,
    MOODLE_EXPORTED,
    OPEN_EDX,
    Platform,
)
from peerorder.files.tables.roster_columns import bare, field_of, positions

__all__ = ["NUMBER", "OPEN_EDX_OVERRIDE", "Item", "items_of"]

NUMBER = re.compile(r"-?\d+(?:([.,])\d+)?", re.ASCII)

# Columns of text, and totals that Blackboard reckons itself.
BLACKBOARD_OTHER = re.compile(r"\[Total Pts: ?(?:[\d.,]* ?Text|up to [^\]]*)\]")

# What Moodle puts in brackets behind the name of an item, in the languages that are understood: points first.
MOODLE_POINTS = ("Real", "Punkte", "Brut", "Punteggio", "Reëel", "Echt", "Πραγματικό", "分数", "真實的")
MOODLE_NOT_POINTS = (
    *("Percentage", "Prozentsatz", "Pourcentage", "Porcentaje", "Percentuale", "Percentagem", "Porcentagem", "Ποσοστό"),
    *("百分比", "Letter", "Note", "Lettre", "Letra", "Graduatoria letterale", "Nota alfabética"),
    *("Γράμμα", "分数段", "等第"),
    *("Feedback", "Retroalimentación", "Comentários", "Avaliação", "Ανατροφοδότηση", "Σχόλιο", "反馈", "回饋"),
)
MOODLE_ITEM = re.compile(rf"^(.*?)(?: \(({'|'.join((*MOODLE_POINTS, *MOODLE_NOT_POINTS))})\))?$", re.IGNORECASE)
MOODLE_TOTAL = re.compile(
    r"(?:course|category) total.*|.* (?:total|gesamt|totaal|συνολικά)|.*总分|(?:cursus|categorie)totaal|"
    r"(?:total (?:du|de|da|do|del)|totale|σύνολο) .*|feedback: .*",
    re.IGNORECASE,
)
MOODLE_PROFILE = (
    *("Institution", "Department", "Suspended", "Abteilung", "Département", "Institución", "Departamento"),
    *("Istituzione", "Dipartimento", "Instituição", "Instituut", "Afdeling", "Ίδρυμα", "Τμήμα"),
    *("机构", "系别", "機構", "科系"),
    *MOODLE_EXPORTED,
)

OPEN_EDX_OVERRIDE = "new_override-"
OPEN_EDX_EARNED, OPEN_EDX_POSSIBLE = " (Earned)", " (Possible)"
OPEN_EDX_OTHER = re.compile(
    r"grade|.* \(avg\)|.* \(possible\)|cohort name|experiment group \(.*\)|team name|enrollment (?:track|status)|"
    r"verification status|certificate (?:eligible|delivered|type)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Item:
    """A column that can hold marks: its position, its name for people, and its points, where the file has them."""

    at: int
    header: str
    name: str
    number: str
    points: float | None
    is_plain: bool = True
    """Whether it is for marks alone: not for texts, and not computed by the platform."""


def items_of(platform: Platform, table: RawTable) -> list[Item]:
    """Return the columns that can hold marks."""
    header = table.row(0)
    if platform is CANVAS:
        return [*_of_canvas(header, table)]
    if platform is BLACKBOARD:
        return [
            Item(index, name, match[1], match[3], _points(match[2] or ""), not BLACKBOARD_OTHER.search(name))
            for index, name in enumerate(header)
            if (match := BLACKBOARD_ITEM.match(name))
        ]
    return [*(_of_open_edx(header, table) if platform is OPEN_EDX else _of_moodle(header))]


def _of_canvas(header: Sequence[str], table: RawTable) -> Iterator[Item]:
    above = range(1, min(len(table.cells), 4))
    points = next((row for index in above if (row := table.row(index)) and row[0].lower() == "points possible"), [])
    for index, name in enumerate(header):
        worth = points[index] if index < len(points) else ""
        if (match := CANVAS_ITEM.match(name)) and worth.lower() != "(read only)":
            yield Item(index, name, match[1], match[2], _points(worth))


def _of_moodle(header: Sequence[str]) -> Iterator[Item]:
    others = {bare(name) for name in MOODLE_NOT_POINTS}
    profile = positions(header, MOODLE_PROFILE)
    for index, name in enumerate(header):
        match = MOODLE_ITEM.match(name)
        if not name or match is None or index in profile or field_of(name) or MOODLE_TOTAL.fullmatch(match[1]):
            continue
        if bare(match[2] or "") not in others:
            yield Item(index, name, match[1], "", None)


def _of_open_edx(header: Sequence[str], table: RawTable) -> Iterator[Item]:
    """Return the columns of the file for bulk management, or of a grade report, whose grades are shares of 1."""
    overrides = [index for index, name in enumerate(header) if name.startswith(OPEN_EDX_OVERRIDE)]
    for index in overrides:
        number = header[index].removeprefix(OPEN_EDX_OVERRIDE)
        named = positions(header, [f"name-{number}"])
        rows = map(table.row, range(1, len(table.cells)))
        names = (row[column] for row in rows for column in named if column < len(row))
        yield Item(index, header[index], next(filter(None, names), number), number, None)
    if overrides:
        return
    for index, name in enumerate(header):
        if name.endswith(OPEN_EDX_EARNED):
            called = name.removesuffix(OPEN_EDX_EARNED)
            possible = header.index(most) if (most := called + OPEN_EDX_POSSIBLE) in header else -1
            worth = {row[possible] for row in map(table.row, range(1, len(table.cells))) if 0 <= possible < len(row)}
            yield Item(index, name, called, "", _points(worth.pop()) if len(worth) == 1 else None)
        elif name and not field_of(name) and not OPEN_EDX_OTHER.fullmatch(name) and "Grade" in header:
            yield Item(index, name, name, "", 1.0)


def _points(text: str) -> float | None:
    """Return the points of a column; none where it has 0, as columns of text do."""
    if not NUMBER.fullmatch(text):
        return None
    value = float(text.replace(",", "."))
    return value if value > 0 else None
