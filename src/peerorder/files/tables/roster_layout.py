"""``Layout``: which column of a roster holds what, by its header, by the platform that made it, or as somebody says."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field as dataclass_field, replace
from pathlib import Path

import numpy as np

from peerorder.core.text import listed, plural, shortlist
from peerorder.files.formats.arrow import strings
from peerorder.files.formats.problems import Problems, in_stretches, shown
from peerorder.files.formats.sheets import Choice, Column, Sheet, column_of, read_sheet, some_rows
from peerorder.files.tables.platforms import Platform, looked_at, platform_of
from peerorder.files.tables.roster_columns import ALIASES, FIELDS, FIRST_OR_FULL, GROUPS, LAST_OR_FULL, positions

__all__ = ["Layout", "layout_of", "read_roster_sheet"]

# A column of ids that fewer students have is passed over for the next.
ENOUGH = 0.5
# Columns and rows that are named in a note.
NAMED = 30
IN_WORDS = {
    "student": "ids",
    "name": "names",
    "email": "e-mail addresses",
    "section": "sections",
    "team": "teams",
    "paper": "papers",
    "link": "links",
    "role": "roles",
}
PART_OF = {"first name": "name", "surname": "name"}
# A name beside one of these is a whole name; beside "Vorname" it is a surname.
ENGLISH = ("first name", "given name", "forename")


@dataclass(frozen=True)
class Layout:
    """What every column of a file holds."""

    titles: tuple[str, ...]
    fields: tuple[str, ...]
    """The field of every column, one of ``FIELDS``; empty for those that are not used."""
    platform: Platform | None = None
    ids: tuple[int, ...] = ()
    """Columns that may have the ids, the best first, until the rows decide."""
    unclear: Mapping[str, tuple[int, ...]] = dataclass_field(default_factory=dict)
    """Columns of which more than one may be meant, by their fields."""

    def at(self, field: str) -> int | None:
        """Return the column with this field."""
        return self.fields.index(field) if field in self.fields else None

    def title(self, field: str) -> str:
        """Return what the file calls the column with a field; our name where it differs in nothing but case."""
        at = self.at("email" if field == "student" and self.at(field) is None else field)
        return field if at is None or self.titles[at].lower() == field else self.titles[at]

    @property
    def has_students(self) -> bool:
        """Whether ids can be taken from anywhere."""
        return bool(self.ids) or bool({"student", "email"} & {*self.fields})

    @property
    def ignored(self) -> tuple[str, ...]:
        """The names of the columns that are not used."""
        return tuple(title for title, field in zip(self.titles, self.fields, strict=True) if title and not field)

    def key(self, at: int) -> str:
        """Return the name by which a column is read, another one for each."""
        name = self.titles[at].lower()
        several = not name or [title.lower() for title in self.titles].count(name) > 1
        return f"{name} (column {at + 1})" if several else name


def layout_of(titles: Sequence[str], fields: Sequence[str] = FIELDS) -> Layout:
    """Return the layout of a file with this header; only these fields are looked for."""
    platform = platform_of(titles)
    places: dict[str, int] = {}
    unclear: dict[str, tuple[int, ...]] = {}
    ids: tuple[int, ...] = ()
    for field in fields:
        groups = _groups(titles, platform, field)
        if field == "student":
            ids = tuple(group[0] for group in groups)
        elif groups and len(groups[0]) == 1:
            places[field] = groups[0][0]
        if groups and len(groups[0]) > 1:
            unclear[field] = groups[0]
    if "paper" in places:
        places.pop("team", None)
    _settle_names(titles, fields, places)
    columns = [""] * len(titles)
    for field, at in places.items():
        columns[at] = field
    return Layout(tuple(titles), tuple(columns), platform, ids, unclear)


def _groups(titles: Sequence[str], platform: Platform | None, field: str) -> list[tuple[int, ...]]:
    """Return the columns that may hold something, in groups, the best first."""
    if platform is not None and field in platform.columns:
        groups = [positions(titles, [name])[:1] for name in platform.columns[field]]
    elif own := tuple(at for at, title in enumerate(titles) if title.lower() == field):
        return [own]
    else:
        not_used = positions(titles, platform.not_used) if platform is not None else ()
        groups = [
            tuple(at for at in positions(titles, names) if at not in not_used) for names in ALIASES.get(field, ())
        ]
    return [group for group in groups if group]


def _settle_names(titles: Sequence[str], fields: Sequence[str], places: dict[str, int]) -> None:
    """Decide between a whole name and its parts, also where a word means another part in other company."""
    if "name" not in fields:
        return
    first, last = places.get("first name"), places.get("surname")
    name = places.get("name")
    if name is not None and titles[name].lower() in LAST_OR_FULL and first is not None and last is None:
        if titles[first].lower() not in ENGLISH:
            last, name = name, None
    elif name is None:
        or_last, or_first = (positions(titles, words) for words in (LAST_OR_FULL, FIRST_OR_FULL))
        if first is not None and last is None and len(or_last) == 1:
            last = or_last[0]
        elif last is not None and first is None and len(or_first) == 1:
            first = or_first[0]
        elif first is None and last is None and len(or_first + or_last) == 1:
            (name,) = or_first + or_last
    for field in ("name", "first name", "surname"):
        places.pop(field, None)
    if name is not None:
        places["name"] = name
    elif first is not None and last is not None:
        places |= {"first name": first, "surname": last}


def read_roster_sheet(
    path: Path, fields: Sequence[str] = FIELDS, chosen: Sequence[str] | None = None
) -> tuple[Sheet, Layout]:
    """Read the columns of a roster under the names of their fields; return them with what was taken for what.

    Parameters
    ----------
    fields
        What is looked for.
    chosen
        The field of every column, empty for those that are not to be used, where somebody has said so.
    """

    def layout(titles: Sequence[str]) -> Layout:
        found = layout_of(titles, fields)
        if chosen is None:
            return found
        known = [field if field in fields else "" for field in chosen[: len(titles)]]
        taken = (*known, *[""] * (len(titles) - len(known)))
        several = {field: tuple(at for at, each in enumerate(taken) if each == field) for field in fields}
        unclear = {field: places for field, places in several.items() if len(places) > 1}
        return Layout(tuple(titles), taken, found.platform, (), unclear)

    def places(titles: Sequence[str]) -> dict[str, int]:
        found = layout(titles)
        used = {at for at, field in enumerate(found.fields) if field}
        used.update(found.ids, looked_at(found.platform, titles).values())
        return {found.key(at): at for at in sorted(used)}

    sheet = read_sheet(path, Choice(places))
    found = layout(sheet.titles)
    _refuse_unclear(sheet, found, by_choice=chosen is not None)
    sheet, left_out = _without_others(sheet, found)
    found = _with_ids(sheet, found)
    taken = () if chosen is not None else _notes_on_columns(path, found)
    notes = (*sheet.notes, *taken, *left_out, *_notes_on_the_rest(path, found, by_choice=chosen is not None))
    return replace(sheet, columns=_columns(sheet, found), notes=notes), found


def _refuse_unclear(sheet: Sheet, layout: Layout, by_choice: bool) -> None:
    """Complain where nobody can tell which column has the ids, or a name of ours stands over several columns."""
    problems = Problems(sheet.path)
    for field, places in layout.unclear.items():
        titles = [layout.titles[at] for at in places]
        if by_choice:
            cause = f"{' and '.join(map(shown, titles))} are both read as {field}"
            problems.add(None, None, cause, "choose one column for it")
        elif all(title.lower() == field for title in titles):
            cause = "this name stands over more than one column"
            problems.add(1, field, cause, "delete or rename all of them but one")
        elif field == "student":
            cause = f"no column student, and {' and '.join(map(shown, titles))} may each be meant"
            problems.add(None, None, cause, "rename the column with the ids to student")
    problems.raise_if_any()
    if not layout.has_students:
        if not by_choice:
            sheet.no_header(lambda row: layout_of(row).has_students)
        cause = f"no column student; found: {sheet.named()}"
        problems.add(None, None, cause, "rename the column with the ids to student")
        problems.raise_if_any()


def _without_others(sheet: Sheet, layout: Layout) -> tuple[Sheet, tuple[str, ...]]:
    """Leave out the rows of a platform that are not about students; return a note that says so."""
    places = looked_at(layout.platform, layout.titles)
    if layout.platform is None or not places:
        return sheet, ()
    texts = zip(*(sheet[layout.key(at)].tolist() for at in places.values()), strict=True)
    others = [layout.platform.no_student(dict(zip(places, row, strict=True))) for row in texts]
    left_out = np.array([bool(other) for other in others], bool)
    if not left_out.any():
        return sheet, ()
    names = [shown(other) for other in others if other]
    rows = in_stretches(sheet.rows[left_out].tolist())
    why = f"left out, because {plural(len(names), 'this is not a student', 'these are not students')}"
    note = f"{sheet.path}, {plural(len(names), 'row')} {rows}: {why}: {shortlist(names, NAMED, '; ')}"
    return some_rows(sheet, ~left_out), (note,)


def _with_ids(sheet: Sheet, layout: Layout) -> Layout:
    """Return the layout with a column for the ids: the first that most students have; none where addresses are."""

    def is_filled(at: int | None) -> bool:
        return at is not None and (not len(sheet) or float((~sheet[layout.key(at)].empty).mean()) >= ENOUGH)

    if not layout.ids:
        return layout
    best = next(filter(is_filled, layout.ids), layout.ids[0])
    if not is_filled(best) and layout.titles[best].lower() != "student" and is_filled(layout.at("email")):
        return layout
    return replace(layout, fields=tuple("student" if at == best else field for at, field in enumerate(layout.fields)))


def _columns(sheet: Sheet, layout: Layout) -> dict[str, Column]:
    columns = {field: sheet[layout.key(at)] for at, field in enumerate(layout.fields) if field}
    if "student" not in columns:
        columns["student"] = columns["email"]
    parts = [columns.pop(field) for field in ("first name", "surname") if field in columns]
    if parts and "name" not in columns:
        columns["name"] = _joined(parts)
    nothing = layout.platform.nothing if layout.platform is not None else ()
    for field in ("section", "team"):
        if nothing and field in columns:
            texts = ["" if text in nothing else text for text in columns[field].tolist()]
            columns[field] = column_of(strings(texts))
    return columns


def _joined(parts: Sequence[Column]) -> Column:
    """Return whole names: first name and surname, in Chinese letters the other way round and without a blank."""
    rows = zip(*(part.tolist() for part in parts), strict=True)
    names = ["".join(row[::-1]) if _is_chinese("".join(row)) else " ".join(filter(None, row)) for row in rows]
    return column_of(strings(names))


def _is_chinese(text: str) -> bool:
    return bool(text) and all("\u4e00" <= letter <= "\u9fff" for letter in text)


def _notes_on_columns(path: Path, layout: Layout) -> Iterator[str]:
    """Say what was taken for what."""
    if taken := [*_taken(layout)]:
        what = "columns recognised" if layout.platform is None else f"this is an export of {layout.platform.name}"
        yield f"{path}: {what}: {listed(taken)}"


def _notes_on_the_rest(path: Path, layout: Layout, by_choice: bool) -> Iterator[str]:
    """Say what is not clear, and what is not used."""
    for field, places in layout.unclear.items():
        titles = " and ".join(shown(layout.titles[at]) for at in places)
        yield f"{path}: {titles} may each be meant as {field}, so neither is used"
    if "student" not in layout.fields:
        yield f"{path}: no column has student ids, so the addresses in {shown(layout.title('email'))} are the ids"
    at = layout.at("section")
    if not by_choice and at in positions(layout.titles, GROUPS) and not {"team", "paper"} & {*layout.fields}:
        yield (
            f"{path}: {shown(layout.titles[at])} is taken as section; name it Team if students of one group hand in "
            f"one paper together"
        )
    if layout.ignored:
        names = [shown(title) for title in layout.ignored]
        yield f"{path}: ignored {plural(len(names), 'column')}: {shortlist(names, NAMED)}"


def _taken(layout: Layout) -> Iterator[str]:
    """Say which columns are taken for what, where their names are not ours."""
    for field, what in IN_WORDS.items():
        places = [at for at, each in enumerate(layout.fields) if (PART_OF.get(each) or each) == field]
        if places and (layout.platform or [layout.titles[at].lower() for at in places] != [field]):
            # First names go first, wherever they stand.
            places.sort(key=lambda at: layout.fields[at])
            yield f"{what} from {' and '.join(shown(layout.titles[at]) for at in places)}"
