"""Grading one course into a folder of its own, which appears complete or not at all."""

import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from peerorder.core.cores import limit_cores
from peerorder.core.errors import InputError, PeerorderError
from peerorder.core.translation import gettext as _
from peerorder.files.courses.finding import Course
from peerorder.files.formats.kinds import GRADERS, GRADES, KINDS, LETTERS, STUDENTS
from peerorder.files.formats.output import check_output, write_table
from peerorder.files.formats.parts import reading
from peerorder.files.formats.writing import provenance_path, write_provenance
from peerorder.files.rounds import provenance_for, read_round
from peerorder.rounds.grading import GradedRound, grade
from peerorder.rounds.settings import GradeSettings

__all__ = ["FAILED", "GRADED", "CourseResult", "CourseTask", "failed", "grade_course"]

GRADED, FAILED = "graded", "failed"
# Of the methods of a graded round, by the tables that they return.
METHODS = {GRADES.name: "grades", GRADERS.name: "graders", STUDENTS.name: "students", LETTERS.name: "mail_merge"}


@dataclass(frozen=True)
class CourseTask:
    """A course to grade: everything that a worker needs, and small."""

    course: Course
    settings: GradeSettings
    out: Path
    """The folder of all courses."""
    staging: Path
    """A folder on the same file system, for files that are not complete."""
    tables: Mapping[str, str]
    """The names of the files to write, by the kinds of their tables."""
    cores: int
    """How many cores it may use."""


@dataclass(frozen=True)
class CourseResult:
    """A row of the summary: what came of a course."""

    course: str
    folder: str
    status: str
    """``GRADED`` or ``FAILED``."""
    papers: int | None = None
    graders: int | None = None
    """Graders with a ballot."""
    rankings: int | None = None
    """Ballots."""
    mean_width: float | None = None
    """The mean number of places in the interval of a paper, where the rule gives intervals."""
    flagged: int | None = None
    """Graders with a flag, where the rule gives flags."""
    skipped: int = 0
    """Rows that were skipped because something was wrong."""
    warning: str = ""
    """A reason to doubt the order."""
    problems: tuple[str, ...] = ()
    """Why it failed, in lines; or rows that were skipped."""
    notes: tuple[str, ...] = ()


def failed(course: Course, *problems: str) -> CourseResult:
    """Return the result of a course that was not graded."""
    return CourseResult(course.name, course.folder, FAILED, problems=problems)


def grade_course(task: CourseTask) -> CourseResult:
    """Grade a course and write its files; whatever is wrong with it is its result, because others go on."""
    course = task.course
    try:
        with limit_cores(task.cores):
            return _grade(task)
    except PeerorderError as error:
        return failed(course, *str(error).splitlines())
    except MemoryError:
        return failed(course, _("not enough memory; try fewer `workers`, or another rule"))
    except OSError as error:
        return failed(course, _("its files cannot be written ({error})").format(error=error.strerror or error))
    except Exception as error:
        text = _("this is a bug of peerorder ({error}); grade this course alone for its details, and report it")
        return failed(course, text.format(error=f"{type(error).__name__}: {error}"))


def _grade(task: CourseTask) -> CourseResult:
    course, folder = task.course, task.out / task.course.folder
    paths = {kind: folder / name for kind, name in task.tables.items()}
    if folder.exists() or folder.is_symlink():
        _check(folder, paths)
    settings = task.settings
    files = course.files()
    with reading([part for _, part in course.parts]):
        read = read_round(
            **files,
            lenient=settings.lenient,
            anchors_points=settings.anchors_points,
            marks=settings.marks,
        )
        graded = grade(read, settings)
    _write(graded, paths, task.staging, folder)
    return _result(course, graded)


def _check(folder: Path, paths: Mapping[str, Path]) -> None:
    """Raise InputError if something there would be overwritten that grade did not write."""
    if not folder.is_dir() or folder.is_symlink():
        raise InputError(_("{folder} is not a folder, so nothing is written there; move it away").format(folder=folder))
    for kind, path in paths.items():
        check_output(path, "`out`", KINDS[kind], "grade")


def _write(graded: GradedRound, paths: Mapping[str, Path], staging: Path, folder: Path) -> None:
    """Write all tables elsewhere, then move the folder into place; into one that exists, file by file."""
    # One for every attempt: a process that was thought to be lost may still be writing.
    staging = Path(tempfile.mkdtemp(dir=staging, prefix=f"{folder.name}-"))
    staging.chmod(0o777 & ~_umask())
    for kind, path in paths.items():
        new = staging / path.name
        write_table(new, getattr(graded, METHODS[kind])(), KINDS[kind])
        write_provenance(new, {**provenance_for(graded, path), "table": kind})
    if not folder.exists():
        staging.rename(folder)
        return
    for path in paths.values():
        for name in (path.name, provenance_path(path).name):
            os.replace(staging / name, folder / name)  # noqa: PTH105


def _umask() -> int:
    umask = os.umask(0)
    os.umask(umask)
    return umask


def _result(course: Course, graded: GradedRound) -> CourseResult:
    result, read = graded.outcome.result, graded.round
    width = None if result.intervals is None else np.diff(result.intervals, axis=1).mean() + 1
    flags: Any = graded.graders()["flag"]
    return CourseResult(
        course.name,
        course.folder,
        GRADED,
        papers=read.profile.n_papers,
        graders=len(np.unique(read.profile.grader)),
        rankings=len(read.profile),
        mean_width=None if width is None else round(float(width), 2),
        flagged=None if result.flags is None else sum(map(bool, flags)),
        skipped=len(read.dropped),
        warning=". ".join(graded.contrary_warning or ()),
        problems=tuple(map(str, read.dropped)),
        notes=graded.notes,
    )
