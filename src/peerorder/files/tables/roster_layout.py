"""``Layout``: the field of every column of a roster, by its header, by the platform that made it, or as chosen."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field as dataclass_field, replace
from pathlib import Path

import numpy as np

from peerorder.core.text import join_with_and, shortlist
from peerorder.core.translation import gettext as _, message, ngettext, translate
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
    "student": message("IDs"),
    "name": message("names"),
    "email": message("e-mail addresses"),
    "section": message("sections"),
    "team": message("teams"),
    "paper": message("papers"),
    "link": message("links"),
    "role": message("roles"),
}
PART_OF = {"first name": "name", "surname": "name"}
# A name beside one of these is a whole name; beside "Vorname" it is a surname.
ENGLISH = ("first name", "given name", "forename")


@dataclass(frozen=True)
class Layout:
    """The field of every column of a file."""

    titles: tuple[str, ...]
    fields: tuple[str, ...]
    """The field of every column, one of ``FIELDS``; empty for those that are not used."""
    platform: Platform | None = None
    ids: tuple[int, ...] = ()
    """Columns that may have the ids, the best first, until the rows decide."""
    unclear: Mapping[str, tuple[int, ...]] = dataclass_field(default_factory=dict)
    """Several columns that could be meant, by field."""

    def at(self, field: str) -> int | None:
        """Return the column with this field."""
        return self.fields.index(field) if field in self.fields else None

    def title(self, field: str) -> str:
        """Return the file's name of the column with a field; our name where it differs only in case."""
        index = self.at("email" if field == "student" and self.at(field) is None else field)
        return field if index is None or self.titles[index].lower() == field else self.titles[index]

    @property
    def has_students(self) -> bool:
        """Whether any column can provide ids."""
        return bool(self.ids) or bool({"student", "email"} & {*self.fields})

    @property
    def ignored(self) -> tuple[str, ...]:
        """The names of the columns that are not used."""
        return tuple(title for title, field in zip(self.titles, self.fields, strict=True) if title and not field)

    def key(self, index: int) -> str:
        """Return the unique name by which a column is read."""
        name = self.titles[index].lower()
        several = not name or [title.lower() for title in self.titles].count(name) > 1
        return f"{name} (column {index + 1})" if several else name


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
    for field, index in places.items():
        columns[index] = field
    return Layout(tuple(titles), tuple(columns), platform, ids, unclear)


def _groups(titles: Sequence[str], platform: Platform | None, field: str) -> list[tuple[int, ...]]:
    """Return the columns that may hold a field, in groups, the best first."""
    if platform is not None and field in platform.columns:
        groups = [positions(titles, [name])[:1] for name in platform.columns[field]]
    elif own := tuple(index for index, title in enumerate(titles) if title.lower() == field):
        return [own]
    else:
        not_used = positions(titles, platform.not_used) if platform is not None else ()
        groups = [
            tuple(index for index in positions(titles, names) if index not in not_used)
            for names in ALIASES.get(field, ())
        ]
    return [group for group in groups if group]


def _settle_names(titles: Sequence[str], fields: Sequence[str], places: dict[str, int]) -> None:
    """Decide between a whole name and its parts, also where a word depends on the other columns."""
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
    """Read the columns of a roster under the names of their fields; return these with the layout.

    Parameters
    ----------
    fields
        The fields to look for.
    chosen
        The field of every column, empty for unused ones, where somebody has chosen it.
    """

    def layout(titles: Sequence[str]) -> Layout:
        result = layout_of(titles, fields)
        if chosen is None:
            return result
        known = [field if field in fields else "" for field in chosen[: len(titles)]]
        taken = (*known, *[""] * (len(titles) - len(known)))
        several = {field: tuple(index for index, each in enumerate(taken) if each == field) for field in fields}
        unclear = {field: places for field, places in several.items() if len(places) > 1}
        return Layout(tuple(titles), taken, result.platform, (), unclear)

    def places(titles: Sequence[str]) -> dict[str, int]:
        result = layout(titles)
        used = {index for index, field in enumerate(result.fields) if field}
        used.update(result.ids, looked_at(result.platform, titles).values())
        return {result.key(index): index for index in sorted(used)}

    sheet = read_sheet(path, Choice(places))
    result = layout(sheet.titles)
    _refuse_unclear(sheet, result, by_choice=chosen is not None)
    sheet, left_out = _without_others(sheet, result)
    result = _with_ids(sheet, result)
    taken = () if chosen is not None else _notes_on_columns(path, result)
    notes = (*sheet.notes, *taken, *left_out, *_notes_on_the_rest(path, result, by_choice=chosen is not None))
    return replace(sheet, columns=_columns(sheet, result), notes=notes), result


def _refuse_unclear(sheet: Sheet, layout: Layout, by_choice: bool) -> None:
    """Raise FileError if it is unclear which column has the ids, or one of our names is used for several columns."""
    problems = Problems(sheet.path)
    for field, places in layout.unclear.items():
        titles = [layout.titles[index] for index in places]
        if by_choice:
            cause = _("{columns} are both read as {field}").format(
                columns=join_with_and([*map(shown, titles)]), field=field
            )
            problems.add(None, None, cause, _("choose one column for it"))
        elif all(title.lower() == field for title in titles):
            cause = _("more than one column has this name")
            problems.add(1, field, cause, _("delete or rename all but one"))
        elif field == "student":
            cause = _("there is no column student, and {columns} could each be meant").format(
                columns=join_with_and([*map(shown, titles)])
            )
            problems.add(None, None, cause, _("rename the column with the IDs to student"))
    problems.raise_if_any()
    if not layout.has_students:
        if not by_choice:
            sheet.no_header(lambda row: layout_of(row).has_students)
        cause = _("there is no column student; the file has {columns}").format(columns=sheet.named())
        problems.add(None, None, cause, _("rename the column with the IDs to student"))
        problems.raise_if_any()


def _without_others(sheet: Sheet, layout: Layout) -> tuple[Sheet, tuple[str, ...]]:
    """Skip the rows of a platform that are not about students; return a note that says so."""
    places = looked_at(layout.platform, layout.titles)
    if layout.platform is None or not places:
        return sheet, ()
    texts = zip(*(sheet[layout.key(index)].tolist() for index in places.values()), strict=True)
    others = [layout.platform.no_student(dict(zip(places, row, strict=True))) for row in texts]
    left_out = np.array([bool(other) for other in others], bool)
    if not left_out.any():
        return sheet, ()
    names = [shown(other) for other in others if other]
    note = ngettext(
        "{file}, row {rows}: skipped, because this is not a student: {names}",
        "{file}, rows {rows}: skipped, because these are not students: {names}",
        len(names),
    ).format(
        file=sheet.path,
        rows=in_stretches(sheet.rows[left_out].tolist()),
        names=shortlist(names, NAMED, "; "),
    )
    return some_rows(sheet, ~left_out), (note,)


def _with_ids(sheet: Sheet, layout: Layout) -> Layout:
    """Return the layout with a column for the ids: the first that most students have; none if addresses serve."""

    def is_filled(index: int | None) -> bool:
        return index is not None and (not len(sheet) or float((~sheet[layout.key(index)].empty).mean()) >= ENOUGH)

    if not layout.ids:
        return layout
    best = next(filter(is_filled, layout.ids), layout.ids[0])
    if not is_filled(best) and layout.titles[best].lower() != "student" and is_filled(layout.at("email")):
        return layout
    return replace(
        layout, fields=tuple("student" if index == best else field for index, field in enumerate(layout.fields))
    )


def _columns(sheet: Sheet, layout: Layout) -> dict[str, Column]:
    columns = {field: sheet[layout.key(index)] for index, field in enumerate(layout.fields) if field}
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
    """Return whole names: first name and surname, in Chinese characters in reverse order and without a space."""
    rows = zip(*(part.tolist() for part in parts), strict=True)
    names = ["".join(row[::-1]) if _is_chinese("".join(row)) else " ".join(filter(None, row)) for row in rows]
    return column_of(strings(names))


def _is_chinese(text: str) -> bool:
    return bool(text) and all("\u4e00" <= letter <= "\u9fff" for letter in text)


def _notes_on_columns(path: Path, layout: Layout) -> Iterator[str]:
    """Yield a note on which column was read as what."""
    if taken := [*_taken(layout)]:
        if layout.platform is None:
            yield _("{file}: columns recognised: {columns}").format(file=path, columns=join_with_and(taken))
        else:
            yield _("{file}: this is an export of {platform}: {columns}").format(
                file=path, platform=layout.platform.name, columns=join_with_and(taken)
            )


def _notes_on_the_rest(path: Path, layout: Layout, by_choice: bool) -> Iterator[str]:
    """Yield notes on what is unclear, and what is not used."""
    for field, places in layout.unclear.items():
        titles = join_with_and([shown(layout.titles[index]) for index in places])
        yield _("{file}: {columns} could each be {field}, so neither is used").format(
            file=path, columns=titles, field=field
        )
    if "student" not in layout.fields:
        yield _("{file}: no column has student IDs, so the addresses in {column} are used as IDs").format(
            file=path, column=shown(layout.title("email"))
        )
    index = layout.at("section")
    if not by_choice and index in positions(layout.titles, GROUPS) and not {"team", "paper"} & {*layout.fields}:
        yield _(
            "{file}: {column} is read as section; rename it to Team if the students of one group hand in one paper "
            "together"
        ).format(file=path, column=shown(layout.titles[index]))
    if layout.ignored:
        names = [shown(title) for title in layout.ignored]
        yield ngettext("{file}: ignored column: {names}", "{file}: ignored columns: {names}", len(names)).format(
            file=path, names=shortlist(names, NAMED)
        )


def _taken(layout: Layout) -> Iterator[str]:
    """Yield which columns are read as what, where their names are not ours."""
    for field, what in IN_WORDS.items():
        places = [index for index, each in enumerate(layout.fields) if (PART_OF.get(each) or each) == field]
        if places and (layout.platform or [layout.titles[index].lower() for index in places] != [field]):
            # First names go first, wherever they stand.
            places.sort(key=lambda index: layout.fields[index])
            columns = join_with_and([shown(layout.titles[index]) for index in places])
            yield _("{content} from {columns}").format(content=translate(what), columns=columns)
