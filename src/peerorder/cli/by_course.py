"""``peerorder grade --by-course``: every course into a folder of its own, and a summary of all."""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from peerorder._version import __version__
from peerorder.cli import display, options, skipped_rows
from peerorder.cli.first_use import prepare_rules
from peerorder.core.translation import gettext as _, ngettext

if TYPE_CHECKING:
    from peerorder.engines import Engine
    from peerorder.files.courses.finding import Course
    from peerorder.files.courses.grading import CourseResult, CourseTask
    from peerorder.files.formats.problems import Problem
    from peerorder.rounds.settings import GradeSettings

__all__ = ["grade_courses"]

DEFAULT_OUT = Path("grades")
GRADES, SUMMARY = "grades.csv", "summary.csv"
# Options that are about one round.
ALONE = (
    *("verify", "explain", "no_names", "report", "title", "force", "gradebook", "column"),
    *("gradebook_review_column", "gradebook_out", "gradebook_points"),
)
# Failed courses whose problems are printed, and courses in the table: failed ones, and the largest others.
REPORTED, FAILED_SHOWN, LARGEST_SHOWN = 50, 10, 5


def grade_courses(given: Mapping[str, Any]) -> None:
    """Grade every course, and show a summary; raise PartlyDone where some failed, and InputError where all did."""
    from peerorder.core.cores import cores
    from peerorder.engines import open_engine
    from peerorder.files.courses.grading import FAILED, CourseTask
    from peerorder.files.formats.kinds import COURSES
    from peerorder.files.formats.output import check_output
    from peerorder.files.formats.writing import output_directory

    settings = options.grade_settings(given)
    _check_settings(settings)
    _check_options(given)
    out = output_directory(given["out"] or DEFAULT_OUT)
    check_output(out / SUMMARY, "--out", COURSES, "grade")
    with tempfile.TemporaryDirectory(dir=out.absolute(), prefix=".grading-") as folder:
        tables = _tables(given, Path(folder))
        courses, nowhere = _find(given, Path(folder))
        (staging := Path(folder) / "courses").mkdir()
        # The longest first, so that at the end nobody waits for one of these.
        longest = sorted(courses, key=lambda course: -course.size)
        prepare_rules([settings.rule])
        with open_engine(given["engine"], given["workers"], given["scheduler"]) as engine:
            share = max(1, cores() // min(engine.workers, len(courses)))
            done = _grade(
                [CourseTask(each, settings, out.absolute(), staging, tables, share) for each in longest], engine, out
            )
    results = [done[course.folder] for course in courses]
    failed = [result for result in results if result.status == FAILED]
    if len(failed) == len(results):
        _raise_all_failed(failed)
    rows = [_row(result) for result in results]
    _write_summary(out / SUMMARY, rows, settings, tables)
    if given["as_json"]:
        display.show_json({"courses": [_record(row, result) for row, result in zip(rows, results, strict=True)]})
    else:
        skipped_rows.show(nowhere, ())
        _show(results, out)
    _raise_partly_done(results, failed, nowhere, out)


# What is given.


def _check_settings(settings: "GradeSettings") -> None:
    """Raise InputError for what would be wrong in every course."""
    from peerorder.marks import SCALES
    from peerorder.rules import RULES

    RULES.parse(settings.rule)
    if settings.marks is not None:
        SCALES.parse(settings.marks)
    settings.review_scheme  # noqa: B018 -- raises an error for bad weights


def _check_options(given: Mapping[str, Any]) -> None:
    """Raise UsageError for options that do not go with many courses."""
    from peerorder.files.courses.finding import is_of_folders

    context = click.get_current_context()
    paths = given["rankings"]
    if not paths:
        raise click.UsageError(_("Missing argument 'RANKINGS...'."), context)
    for name in ALONE:
        if given[name]:
            text = _("{option} is about one round, and does not go with --by-course; omit one of the two")
            raise click.UsageError(text.format(option=_option(name)), context)
    out = (given["out"] or DEFAULT_OUT).resolve()
    for path in paths:
        if path.is_dir() and out.is_relative_to(path.resolve()):
            text = _("--out {out} is in {folder}, where it would be read as a course; choose a folder elsewhere")
            raise click.UsageError(text.format(out=given["out"] or DEFAULT_OUT, folder=path), context)
    of_files = [name for name in options.ROUND_FILES if name != "rankings" and given[name]]
    if of_files and is_of_folders(paths):
        text = _(
            "{option} goes with files that have a column course; {folder} has a folder per course, so put {file} into "
            "each of these"
        )
        name = of_files[0]
        raise click.UsageError(text.format(option=_option(name), folder=paths[0], file=f"{name}.csv"), context)


def _tables(given: Mapping[str, Any], folder: Path) -> dict[str, str]:
    """Return the names of the files to write for every course, by the kinds of their tables."""
    from peerorder.core.errors import InputError
    from peerorder.files.formats import kinds
    from peerorder.files.formats.output import check_writable

    result = {kinds.GRADES.name: GRADES}
    for option, kind in (("graders", kinds.GRADERS), ("students", kinds.STUDENTS), ("letters", kinds.LETTERS)):
        if (path := given[option]) is None:
            continue
        if path != Path(path.name) or path.name in result.values():
            text = _(
                "{option} {file}: with --by-course, give it a name of its own without a folder, for a file in the "
                "folder of each course"
            )
            raise InputError(text.format(option=_option(option), file=path))
        check_writable(folder / path.name, _option(option), kind)
        result[kind.name] = path.name
    return result


def _option(name: str) -> str:
    """Return how a parameter is spelt."""
    command = click.get_current_context().command
    return next(max(each.opts, key=len) for each in command.params if each.name == name)


def _find(given: Mapping[str, Any], store: Path) -> "tuple[list[Course], tuple[Problem, ...]]":
    """Return all courses, and problems of rows that are in none."""
    from peerorder.core.errors import InputError
    from peerorder.files.courses import finding
    from peerorder.files.formats.paths import as_paths
    from peerorder.files.formats.problems import FileError
    from peerorder.files.formats.writing import PROVENANCE

    taken, paths = (SUMMARY, SUMMARY + PROVENANCE), given["rankings"]
    if finding.is_of_folders(paths):
        if not given["as_json"]:
            skipped_rows.show((), finding.tables_beside(paths))
        return finding.courses_in_folders(paths, taken), ()
    with display.working(_("reading")):
        files = {name: as_paths(given[name]) for name in options.ROUND_FILES}
        courses, nowhere = finding.courses_in_rows(files, store, taken)
    # They may be of any course, so that none is complete without them.
    if nowhere and not given["lenient"]:
        raise FileError(nowhere)
    if not courses:
        raise InputError(_("{file}: it has no rows, so there is no course").format(file=paths[0]))
    return courses, nowhere


# The work.


def _grade(tasks: "Sequence[CourseTask]", engine: "Engine", out: Path) -> "dict[str, CourseResult]":
    """Grade all courses; return their results, by their folders."""
    from peerorder.core.errors import PartlyDone
    from peerorder.engines import TasksGivenUp, map_tasks
    from peerorder.files.courses.grading import failed, grade_course

    results: dict[str, CourseResult] = {}
    try:
        with display.progress_bar(_("grading")) as progress:
            progress(0, len(tasks))
            for task, result in map_tasks(engine, grade_course, tasks):
                results[task.course.folder] = result
                progress(len(results), len(tasks))
    except KeyboardInterrupt:
        text = _("stopped; {done:,} of {total:,} courses are in {folder}, without a summary; grade them again")
        raise PartlyDone(text.format(done=len(results), total=len(tasks), folder=out)) from None
    except PartlyDone as problem:
        text = str(problem)
        if isinstance(problem, TasksGivenUp):
            text = _(
                "the process that graded it was killed, perhaps for want of memory; grade it alone, by another rule"
            )
        for task in tasks:
            results.setdefault(task.course.folder, failed(task.course, text))
    return results


# What people get.


def _row(result: "CourseResult") -> dict[str, Any]:
    """Return the row of a course in the summary."""
    row = asdict(result)
    problems, _notes = row.pop("problems"), row.pop("notes")
    return {**row, "problem": next(iter(skipped_rows.translate_notes(problems)), "")}


def _record(row: Mapping[str, Any], result: "CourseResult") -> dict[str, Any]:
    """Return the same for JSON, with all problems and notes."""
    return {
        **row,
        "problems": skipped_rows.translate_notes(result.problems),
        "notes": skipped_rows.translate_notes(result.notes),
    }


def _write_summary(
    path: Path, rows: Sequence[Mapping[str, Any]], settings: "GradeSettings", tables: Mapping[str, str]
) -> None:
    from peerorder.files.formats.kinds import COURSES
    from peerorder.files.formats.output import write_table
    from peerorder.files.formats.writing import write_provenance

    write_table(path, {name: [row[name] for row in rows] for name in rows[0]}, COURSES)
    about = {"settings": asdict(settings), "files": [*tables.values()], "inputs": {}, "version": __version__}
    write_provenance(path, {"command": "grade", "table": COURSES.name, **about})


def _show(results: "Sequence[CourseResult]", out: Path) -> None:
    """Show failed courses, the largest of the others, and the sums."""
    from peerorder.files.courses.grading import FAILED
    from peerorder.files.formats.problems import shown

    failed = [each for each in results if each.status == FAILED]
    graded = sorted((each for each in results if each.status != FAILED), key=lambda each: -(each.papers or 0))
    text = ngettext("**{count:,} course graded**", "**{count:,} courses graded**", len(graded))
    if failed:
        text += ngettext(", {failed:,} failed", ", {failed:,} failed", len(failed))
    display.say(text.format(count=len(graded), failed=len(failed)) + ".")
    some = [*failed[:FAILED_SHOWN], *graded[:LARGEST_SHOWN]]
    lines: list[tuple[object, ...]] = [
        (
            *(shown(each.course), _("failed") if each.status == FAILED else _("graded")),
            *map(_thousands, (each.papers, each.graders, each.rankings)),
            *(each.mean_width, _thousands(each.flagged)),
        )
        for each in some
    ]
    if len(some) < len(results):
        lines.append((display.GAP,) * len(lines[0]))
    sums = [_sum(graded, name) for name in ("papers", "graders", "rankings", "flagged")]
    lines.append((_("all"), None, *sums[:3], None, sums[3]))
    heads = (_("course"), _("status"), _("papers"), _("graders"), _("rankings"), _("mean width"), _("flagged"))
    display.show_table(heads, lines)
    if doubtful := [shown(each.course) for each in graded if each.warning]:
        text = ngettext(
            "**Before you use the order of {names}:** many graders contradict it; see `warning` in the summary.",
            "**Before you use the orders of {names}:** many graders contradict them; see `warning` in the summary.",
            len(doubtful),
        )
        display.say(text.format(names=display.some(doubtful)))
    text = _("Wrote `{summary}`, and a folder for every course that was graded.")
    display.say(text.format(summary=out / SUMMARY))


def _sum(results: "Sequence[CourseResult]", name: str) -> str | None:
    known = [getattr(each, name) for each in results if getattr(each, name) is not None]
    return _thousands(sum(known)) if known else None


def _thousands(number: int | None) -> str | None:
    return None if number is None else f"{number:,}"


def _problem_lines(failed: "Sequence[CourseResult]") -> list[str]:
    """Return all problems of failed courses, each after the name of its course."""
    from peerorder.files.formats.problems import shown

    lines = [f"{shown(each.course)}: {line}" for each in failed[:REPORTED] for line in each.problems]
    if len(failed) > REPORTED:
        count = len(failed) - REPORTED
        text = ngettext("and {count:,} more course failed", "and {count:,} more courses failed", count)
        lines.append(text.format(count=count))
    return lines


def _raise_all_failed(failed: "Sequence[CourseResult]") -> NoReturn:
    from peerorder.core.errors import InputError

    raise InputError("\n".join(_problem_lines(failed)))


def _raise_partly_done(
    results: "Sequence[CourseResult]", failed: "Sequence[CourseResult]", nowhere: "Sequence[Problem]", out: Path
) -> None:
    """End with exit code 3 if courses failed or rows were skipped."""
    from peerorder.core.errors import PartlyDone

    skipped = len(nowhere) + sum(each.skipped for each in results)
    if failed:
        text = ngettext(
            "{count:,} of {total:,} courses failed; the others are in {folder}",
            "{count:,} of {total:,} courses failed; the others are in {folder}",
            len(failed),
        )
        heading = text.format(count=len(failed), total=len(results), folder=out)
        raise PartlyDone("\n".join([heading, *_problem_lines(failed)]))
    if skipped:
        text = ngettext(
            "{count:,} row was skipped (see {file}); correct the files and run the command again without --lenient",
            "{count:,} rows were skipped (see {file}); correct the files and run the command again without --lenient",
            skipped,
        )
        raise PartlyDone(text.format(count=skipped, file=out / SUMMARY))
