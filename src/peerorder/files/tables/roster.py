"""Rosters: participants, their papers, and staff."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from peerorder.core.arrays import Int32Array, freeze
from peerorder.core.translation import gettext as _, ngettext
from peerorder.files.formats.arrow import strings
from peerorder.files.formats.paths import takes_path
from peerorder.files.formats.problems import Problem, and_more, in_stretches, shown
from peerorder.files.formats.sheets import Column, Sheet, column_of, where
from peerorder.files.tables.ids import SimilarIds, check_ids, lookalikes
from peerorder.files.tables.roster_columns import FIELDS
from peerorder.files.tables.roster_layout import Layout, read_roster_sheet
from peerorder.files.tables.row_problems import RowProblems

__all__ = ["Roster", "read_roster"]

ROLES = ("student", "staff")
NOTHING = -1


@dataclass(frozen=True, eq=False)
class Roster:
    """Everybody who takes part, numbered by row, and their papers, numbered as they first appear."""

    path: Path
    student_ids: Any
    """The id of every student, as an arrow array."""
    paper_ids: Any
    """The id of every paper, as an arrow array."""
    authored: Int32Array
    """The paper of every student, -1 for none; students with the same paper are a team."""
    staff: NDArray[np.bool_]
    name: tuple[str, ...]
    email: tuple[str, ...]
    link: tuple[str, ...]
    """A link to every paper, empty where the roster has none."""
    rows: NDArray[np.int64]
    """The row of every student in the file."""
    notes: tuple[str, ...] = ()
    dropped: tuple[Problem, ...] = ()
    section: tuple[str, ...] = ()
    """The section of every student, empty where the roster has none."""
    columns: frozenset[str] = frozenset()
    """The columns of a roster that the file has."""
    layout: Layout = field(default_factory=lambda: Layout((), ()))
    """The field of every column of the file."""
    left_out: Mapping[int, Mapping[str, str]] = field(default_factory=dict)
    """The content of skipped rows, by the number of the row and the column of a roster."""

    @cached_property
    def students(self) -> tuple[str, ...]:
        """The id of every student."""
        return tuple(self.student_ids.to_pylist())

    @cached_property
    def papers(self) -> tuple[str, ...]:
        """The id of every paper."""
        return tuple(self.paper_ids.to_pylist())

    @cached_property
    def student_number(self) -> dict[str, int]:
        """The number of every student."""
        return {student: index for index, student in enumerate(self.students)}

    @cached_property
    def paper_number(self) -> dict[str, int]:
        """The number of every paper."""
        return {paper: index for index, paper in enumerate(self.papers)}

    @cached_property
    def _similar(self) -> tuple[SimilarIds, SimilarIds]:
        """Students and papers, for ids that are easily confused."""
        return SimilarIds(self.students), SimilarIds(self.papers)

    def no_student(self, said: str, cure: str) -> tuple[str, str]:
        """Return why there is no student with this id, and the cure; ``cure`` where no id is similar."""
        cause = _("{id} is not on the roster {file}").format(id=shown(said), file=self.path)
        return self._similar[0].suggest(said, cause, cure)

    def no_paper(self, said: str, cure: str) -> tuple[str, str]:
        """Return the same for a paper."""
        cause = _("nobody on the roster {file} wrote the paper {id}").format(file=self.path, id=shown(said))
        cause, cure = self._similar[1].suggest(said, cause, cure)
        if said in self.student_number:
            cause = _("{cause} ({explanation})").format(cause=cause, explanation=self.paper_in_words(said))
        return cause, cure

    def paper_in_words(self, student: str) -> str:
        """Say what a student wrote, for people who confuse the student's id with that of a paper."""
        authored = int(self.authored[self.student_number[student]])
        if authored < 0:
            return _("{student} wrote nothing").format(student=shown(student))
        return _("{student} wrote {paper}").format(student=shown(student), paper=shown(self.papers[authored]))


@takes_path
def read_roster(
    path: Path, lenient: bool = False, *, fields: Sequence[str] = FIELDS, chosen: Sequence[str] | None = None
) -> Roster:
    """Read the roster in a file, or raise all problems with it.

    Parameters
    ----------
    lenient
        Skip rows with problems and report them; otherwise all problems of the file are raised together.
    fields
        The fields to look for in the file.
    chosen
        The field of every column, where somebody has chosen it.
    """
    sheet, layout = read_roster_sheet(path, fields, chosen)
    problems = RowProblems(path, sheet.rows, sheet.problems)
    good = problems.good
    check_ids(problems, sheet["student"], layout.title("student"))
    for name in {"paper", "team"} & {*sheet.columns}:
        check_ids(problems, sheet[name], layout.title(name), np.ones(len(sheet), bool))
    staff = _staff(sheet, layout, problems)
    kept = _no_doubles(sheet, layout, problems)
    if "team" in sheet:
        sheet.columns["paper"] = _papers_of_teams(sheet, layout, problems, staff)
    dropped = problems.raise_or_drop(lenient)
    left_out = {
        int(sheet.rows[index]): {name: sheet[name][index] for name in sheet.columns} for index in where(~good & kept)
    }
    good &= kept
    if not good.any():
        cause = _("no student is left on it") if dropped else _("it has a header but no students")
        problems.add(None, None, cause, _("write one row for everybody who takes part"))
        problems.raise_if_any()
    student, staff = sheet["student"].some(good), staff[good]
    papers, authored = _papers(sheet, good, student, staff)
    named = lookalikes(path, papers) if "paper" in sheet else ()
    problems.notes += dict.fromkeys((*lookalikes(path, student.words), *named))
    # One for all columns that are not there: even this is large where there are millions of students.
    nothing = ("",) * len(student)
    links = _links(sheet, problems, papers, authored) if "link" in sheet else nothing[: len(papers)]
    return Roster(
        path=path,
        student_ids=student.as_arrow(),
        paper_ids=papers,
        authored=freeze(authored),
        staff=freeze(staff),
        name=_texts(sheet, "name", good, nothing),
        email=_texts(sheet, "email", good, nothing),
        link=links,
        rows=freeze(sheet.rows[good]),
        notes=(*sheet.notes, *problems.notes),
        dropped=dropped,
        section=_texts(sheet, "section", good, nothing),
        columns=frozenset(sheet.columns) - {"team"},
        layout=layout,
        left_out=left_out,
    )


def _no_doubles(sheet: Sheet, layout: Layout, problems: RowProblems) -> NDArray[np.bool_]:
    """Report ids that occur twice; identical rows are not kept, and a note names them."""
    student = sheet["student"]
    rows = np.flatnonzero(problems.good)
    kept = np.ones(len(sheet), bool)
    if student.all_different:
        return kept
    _ids, first, of = np.unique(student.codes[rows], return_index=True, return_inverse=True)
    for index in np.flatnonzero(first[of] != np.arange(len(rows))):
        row, earlier = int(rows[index]), int(rows[first[of[index]]])
        if all(column.codes[row] == column.codes[earlier] for column in sheet.columns.values()):
            kept[row] = False
            continue
        cause = _("{student} is already in row {row}").format(student=shown(student[row]), row=sheet.rows[earlier])
        cure = _("delete one of the two rows, or give everybody an ID of their own")
        problems.refuse(row, layout.title("student"), cause, cure)
    if again := sheet.rows[~kept].tolist():
        text = ngettext(
            "{file}, row {rows}: skipped, because an earlier row is exactly the same",
            "{file}, rows {rows}: skipped, because an earlier row is exactly the same",
            len(again),
        )
        problems.notes.append(text.format(file=sheet.path, rows=in_stretches(again)))
    return kept


def _papers_of_teams(sheet: Sheet, layout: Layout, problems: RowProblems, staff: NDArray[np.bool_]) -> Column:
    """Return the paper of everybody where the file has teams: students in no team have their own."""
    student, team = sheet["student"].tolist(), sheet["team"].tolist()
    alone = {each for each, name, other in zip(student, team, staff, strict=True) if not name and not other}
    for index in where(problems.good):
        if team[index] and team[index] in alone:
            cause = _("the team {team} has the ID of a student who is in no team").format(team=shown(team[index]))
            problems.refuse(index, layout.title("team"), cause, _("give the team another name"))
    papers = [name or ("" if other else each) for each, name, other in zip(student, team, staff, strict=True)]
    return column_of(strings(papers))


def _staff(sheet: Sheet, layout: Layout, problems: RowProblems) -> NDArray[np.bool_]:
    if "role" not in sheet:
        return np.zeros(len(sheet), bool)
    role = sheet["role"]
    said = [text.lower() for text in role.texts]
    wrong = np.array([text not in ("", *ROLES) for text in said], bool)[role.codes]
    for row in where(wrong):
        cause, cure = (
            _("{role} is not a role").format(role=shown(role[row])),
            _("write student or staff, or leave the cell empty"),
        )
        problems.refuse(row, layout.title("role"), cause, cure)
    return np.array([text == "staff" for text in said], bool)[role.codes]


def _papers(sheet: Sheet, good: NDArray[np.bool_], student: Column, staff: NDArray[np.bool_]) -> tuple[Any, Int32Array]:
    """Return all papers, and the one of everybody: where the roster names none, students have their own."""
    if "paper" in sheet:
        paper = sheet["paper"].some(good)
        authored = ~paper.empty
    else:
        paper, authored = student, ~staff
    written = paper.some(authored)
    of = np.full(len(authored), NOTHING, np.int32)
    of[authored] = written.codes
    return written.words, of


def _links(sheet: Sheet, problems: RowProblems, papers: Any, authored: Int32Array) -> tuple[str, ...]:
    """Return the link of every paper, the first of its team; note where a team has several."""
    link = sheet["link"].some(problems.good)
    index = np.flatnonzero(~link.empty & (authored >= 0))
    linked, first, of = np.unique(authored[index], return_index=True, return_inverse=True)
    links = np.full(len(papers), "", object)
    links[linked] = [link[int(row)] for row in index[first]]
    others = index[link.codes[index] != link.codes[index[first[of]]]]
    if len(others):
        text = _("{file}, row {row}, column link: {paper} has another link above, which is the one used")
        row = and_more(str(sheet.rows[problems.good][others[0]]), len(others) - 1)
        paper = papers[int(authored[others[0]])]
        problems.notes.append(text.format(file=sheet.path, row=row, paper=paper))
    return tuple(links)


def _texts(sheet: Sheet, name: str, good: NDArray[np.bool_], nothing: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sheet[name].some(good).tolist()) if name in sheet else nothing
