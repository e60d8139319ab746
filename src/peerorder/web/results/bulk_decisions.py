"""Decisions from a file: have it read, and say what it would change. ``services.decide_all`` makes them."""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from peerorder.files.formats.problems import Problem
from peerorder.web.courses.roster import table_suffix
from peerorder.web.ranking.round_snapshot import RoundNames
from peerorder.web.results.mark_changes import Change, mark_changes, sheet_with
from peerorder.web.results.mark_sheets import draft_of, with_names
from peerorder.web.results.models import Basis, Decision
from peerorder.web.results.services import NewDecision
from peerorder.web.sandbox.problems import Problem as SandboxProblem
from peerorder.web.sandbox.runner import Limits, run_sandboxed

READ = "peerorder.web.results.tasks:read_decisions"
LIMITS = Limits(seconds=10, memory=2**30, output=2**20)
FILE = Path("decisions")
EXCLUDE = Decision.Kind.EXCLUDE
LONGEST = {"value": 20, "reason": 500}


@dataclass(frozen=True)
class BulkPlan:
    """What a file of decisions would do."""

    decisions: tuple[NewDecision, ...]
    unchanged: int
    """Rows that say what is decided already."""
    changes: tuple[Change, ...]
    problems: tuple[Problem, ...]

    @property
    def excluded(self) -> int:
        """How many rankings it would exclude: from a result that is computed then."""
        return sum(each.kind == EXCLUDE for each in self.decisions)


def read_upload(name: str, content: bytes) -> Mapping[str, Any]:
    """Read a file that somebody sent, in the sandbox; what is wrong with it as a whole is a problem without a row."""
    with tempfile.TemporaryDirectory(prefix="peerorder-decisions-") as folder:
        path = Path(folder) / f"decisions{table_suffix(name, content)}"
        path.write_bytes(content)
        try:
            read: Mapping[str, Any] = run_sandboxed(READ, path, Path(folder), LIMITS)
        except SandboxProblem as problem:
            return {"decisions": [], "problems": [[None, None, *_words(problem.code)]]}
    return read


def _words(code: str) -> tuple[str, str]:
    return {
        "busy": (_("the server is busy with other files"), _("try again in a minute")),
        "many-rows": (_("this file has more than 2,000 decisions"), _("split it into several files")),
    }.get(code, (_("this file cannot be read"), _("save it again, or save it as CSV")))


def plan_decisions(basis: Basis, read: Mapping[str, Any]) -> BulkPlan:
    """Return what these rows would change, or all that is wrong with them."""
    from peerorder.files.tables.overrides import OverrideRows
    from peerorder.rounds import Override

    sheet = draft_of(basis)
    names = RoundNames(basis.assignment)
    member = {student: pk for pk, student in names.student.items()}
    made = Decision.objects.filter(assignment=basis.assignment, undone_at=None)
    in_force = {(each.kind, each.paper_id or each.grader_id): each for each in made}
    # An exclusion stays as it is, for whatever reason: another one would make the result out of date.
    excluded = {subject for kind, subject in in_force if kind == EXCLUDE}
    rows = [
        each for each in _check_rows(read["decisions"]) if each[1] != EXCLUDE or member.get(each[0]) not in excluded
    ]
    table = OverrideRows(
        FILE,
        tuple(Override(person, decision, value, reason) for person, decision, value, reason, _row, _column in rows),
        tuple(each[4] for each in rows),
        tuple(each[5] for each in rows),
    )
    graded = with_names(sheet, basis.assignment)
    problems = [Problem(FILE, *each) for each in read["problems"]]
    problems += [problem for _number, problem in table.problems_in(graded.round, graded.settings)]
    problems += [problem for each in rows for problem in _row_problems(each)]
    unchanged = len(read["decisions"]) - len(rows)
    if problems:
        return BulkPlan((), unchanged, (), tuple(sorted(dict.fromkeys(problems), key=lambda each: each.row or 0)))
    new: list[NewDecision] = []
    for person, kind, value, reason, _row, _column in rows:
        subject = member[person] if kind == EXCLUDE else sheet.students[member[person]].paper or 0
        before = in_force.get((kind, subject))
        if before is not None and (before.value, before.reason) == (value, reason):
            unchanged += 1
        else:
            new.append(NewDecision(kind, subject, value, reason, None if before is None else before.pk))
    replaced = [each.seen for each in new if each.seen is not None]
    after = sheet_with(basis, replaced, [each[:4] for each in new if each.kind != EXCLUDE])
    return BulkPlan(tuple(new), unchanged, tuple(mark_changes(sheet, after)), ())


def _check_rows(rows: Any) -> list[tuple[str, str, str, str, int, str]]:
    """Return the rows that the process told of, which is no more to be trusted than the file."""
    result = []
    for person, decision, value, reason, row, column in rows:
        texts = (person, decision, value, reason, column)
        if not all(isinstance(each, str) for each in texts) or not isinstance(row, int):
            raise TypeError
        result.append((person, decision, value, reason, row, column))
    return result


def _row_problems(row: Sequence[Any]) -> list[Problem]:
    """Return what the library takes and this page does not."""
    _person, _decision, value, reason, number, _column = row
    problems = []
    for column, text in (("value", value), ("reason", reason)):
        if len(text) > LONGEST[column]:
            cause = _("this has %(count)d characters") % {"count": len(text)}
            problems.append(
                Problem(FILE, number, column, cause, _("write %(most)d at most") % {"most": LONGEST[column]})
            )
    return problems
