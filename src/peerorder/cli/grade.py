"""``peerorder grade``: rankings in, the order with its error bars out."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from peerorder.cli import display, explaining, options, turnout

if TYPE_CHECKING:
    from peerorder.files.gradebooks import Gradebook
    from peerorder.files.grading import Graded, Settings
    from peerorder.reports.instructor import Why

__all__ = ["grade"]

DEFAULT_OUT = Path("grades.csv")
TOP, BOTTOM = 8, 3
NAMED = 10


@click.command(short_help="Merge rankings into an order, with intervals and marks.")
@click.argument("rankings", type=options.FILE, nargs=-1, required=True)
@click.option("--out", type=options.FILE, help="Write the grades to this file.  [default: grades.csv]")
@click.option("--graders", type=options.FILE, help="Write how reliable every grader is to this file.")
@click.option("--students", type=options.FILE, help="Write every student's marks to this file.")
@click.option("--letters", type=options.FILE, help="Write a mail-merge table of every student's marks to this file.")
@click.option("--rule", default=options.RULE, show_default=True, help="How to merge.")
@options.round_files
@click.option("--report", type=options.FILE, help="Write a page about the round for the instructor to this file.")
@click.option("--explain", metavar="PAPER", multiple=True, help="Say why this paper stands where it stands, or `all`.")
@click.option("--marks", metavar="SCALE", help="How places become marks: percentile, curve:... or bands:...")
@click.option("--anchors", type=options.FILE, help="Papers that staff marked; they turn places into marks.")
@click.option("--review-weights", default="done=70,reliable=30", show_default=True, help="The mark for ranking.")
@click.option("--penalty", type=float, default=0.0, show_default=True, help="Points off for ranking nothing.")
@click.option("--absent", type=float, help="The mark of students without a paper.  [default: none]")
@click.option("--gradebook", type=options.FILE, help="Fill in this export of Canvas, Moodle or Blackboard.")
@click.option("--gradebook-column", metavar="NAME", help="The column to fill.  [default: the one that is empty]")
@click.option("--gradebook-out", type=options.FILE, help="Where to write it.  [default: beside it, -filled]")
@click.option("--gradebook-points", type=float, help="What 100 is worth there.  [default: what the file says, or 100]")
@options.staff_weight
@click.option("--verify", type=options.FILE, help="Check that these grades come of these rankings; write nothing.")
@options.seed
@options.as_json
def grade(
    rankings: tuple[Path, ...],
    out: Path | None,
    graders: Path | None,
    students: Path | None,
    letters: Path | None,
    report: Path | None,
    explain: tuple[str, ...],
    rule: str,
    roster: Path | None,
    handout: tuple[Path, ...],
    codes: Path | None,
    lenient: bool,
    marks: str | None,
    anchors: Path | None,
    review_weights: str,
    penalty: float,
    absent: float | None,
    gradebook: Path | None,
    gradebook_column: str | None,
    gradebook_out: Path | None,
    gradebook_points: float | None,
    staff_weight: int,
    verify: Path | None,
    seed: int,
    as_json: bool,
) -> None:
    """Merge the rankings in a file, or in several, into one order of all papers.

    Writes a row a paper: its place, an interval that holds the true place in nine cases of ten, how many
    graders ranked it, and its mark. With --roster and --handout it knows who wrote what and who was asked.

    Example: peerorder grade rankings.csv --roster roster.csv --marks curve:mean=70,sd=10 --report report.html
    """
    from peerorder.files.grading import Settings

    files = {"rankings": rankings, "roster": roster, "handout": handout, "codes": codes, "anchors": anchors}
    if verify is not None:
        _verify(verify, files)
        return
    grades = out or DEFAULT_OUT
    if gradebook is not None:
        gradebook_out = gradebook_out or gradebook.with_name(f"{gradebook.stem}-filled{gradebook.suffix}")
    outputs = {
        "--out": grades,
        "--graders": graders,
        "--students": students,
        "--letters": letters,
        "--report": report,
        "--gradebook-out": gradebook_out if gradebook is not None else None,
    }
    _check_writable(outputs, [*rankings, *handout, *(path for path in (roster, codes, anchors, gradebook) if path)])
    graded = _graded(files, Settings(rule, seed, staff_weight, lenient, marks, review_weights, penalty, absent))
    book = _filled(graded, gradebook, gradebook_column, gradebook_points)
    contents: dict[Path | None, Any] = {
        grades: graded.grades(),
        graders: graded.graders(),
        students: graded.students() if students is not None else None,
        letters: graded.letters() if letters is not None else None,
        gradebook_out: book.data if book is not None else None,
    }
    whys, contents[report] = _explained(graded, explain, report, grades)
    written = _write(graded, {path: each for path, each in contents.items() if path is not None and each is not None})
    if as_json:
        display.show_json(_summary(graded, whys, book))
        return
    _show(graded)
    explaining.show(whys, report is not None)
    _show_gradebook(book)
    display.say(f"Written: {written}")


def _graded(files: Mapping[str, Any], settings: "Settings") -> "Graded":
    from peerorder.files.grading import grade as grade_round
    from peerorder.files.rounds import read_round

    with display.merging([settings.rule]):
        return grade_round(read_round(**files, lenient=settings.lenient), settings)


def _explained(
    graded: "Graded", wanted: Sequence[str], report: Path | None, grades: Path
) -> "tuple[list[Why], str | None]":
    """Why the papers stand where they stand, and the page where one is wanted."""
    if not wanted and report is None:
        return [], None
    from peerorder.reports import instructor

    read = graded.round
    papers = instructor.chosen(read.papers, wanted, read.codes, read.roster)
    with display.progress_bar("merging without one grader each", "explaining") as progress:
        whys = instructor.explained(graded, papers, progress)
    with display.working("writing the report"):
        page = instructor.report(graded, marks=graded.marking, whys=whys, kept=grades) if report is not None else None
    return [why for _, why in whys], page


def _filled(graded: "Graded", path: Path | None, column: str | None, points: float | None) -> "Gradebook | None":
    """The gradebook with everybody's marks in it."""
    if path is None:
        return None
    from peerorder.files.gradebooks import filled_gradebook

    table, roster = graded.students(), graded.round.roster
    emails = dict(zip(roster.students, roster.email, strict=True)) if roster is not None else {}
    given = dict(zip(table["student"], table["mark"], strict=True))
    return filled_gradebook(path, given, column, emails=emails, points=points)


# Files.


def _check_writable(outputs: Mapping[str, Path | None], inputs: Sequence[Path]) -> None:
    """Complain about outputs that cannot be written or would overwrite something that is needed."""
    from peerorder.core.errors import InputError
    from peerorder.files.output import check_writable

    taken: dict[Path, str] = {path.resolve(): "an input" for path in inputs}
    for option, path in outputs.items():
        if path is None:
            continue
        check_writable(path, option)
        if path.resolve() in taken:
            raise InputError(f"{taken[path.resolve()]} and {option} are both {path}; give each a file of its own")
        taken[path.resolve()] = option


def _write(graded: "Graded", contents: Mapping[Path, Any]) -> str:
    from peerorder.files.output import write_table
    from peerorder.files.writing import write_bytes, write_provenance, write_text

    about = graded.provenance
    for path, content in contents.items():
        if isinstance(content, str):
            write_text(path, content)
        elif isinstance(content, bytes):
            write_bytes(path, content)
        else:
            write_table(path, content)
        write_provenance(path, about)
    names = [f"`{path}`" for path in contents]
    listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    return f"{listed}, with {'its' if len(names) == 1 else 'their'} provenance beside"


def _verify(kept: Path, files: Mapping[str, Path | Sequence[Path] | None]) -> None:
    """Grade once more as the provenance says, and compare."""
    from peerorder.core.errors import InputError
    from peerorder.files.replay import replayed

    again = replayed(kept, files)
    with display.merging([again.settings.rule]):
        differences = again.differences()
    if differences:
        raise InputError(f"{kept} is not what these rankings give: {'; '.join(differences)}")
    display.say(f"**Equal.** {again.in_words}")


# What people see.


def _summary(graded: "Graded", whys: "Sequence[Why]", book: "Gradebook | None") -> dict[str, Any]:
    """The whole result for machines."""
    marked = graded.marking is not None and graded.round.roster is not None
    return {
        "papers": _records(graded.grades()),
        "graders": _records(graded.graders()),
        **({"students": _records(graded.students())} if marked else {}),
        **({"gradebook": _book(book)} if book is not None else {}),
        "notes": [*graded.notes],
        "dropped": [str(problem) for problem in graded.round.dropped],
        **({"explained": [asdict(why) for why in whys]} if whys else {}),
        "provenance": graded.provenance,
    }


def _book(book: "Gradebook") -> dict[str, Any]:
    wanted = ("system", "column", "matched_by", "points", "filled", "missing", "unmarked", "notes")
    return {name: getattr(book, name) for name in wanted}


def _show_gradebook(book: "Gradebook | None") -> None:
    if book is None:
        return
    display.say(
        f"Gradebook of {book.system}: {_count(book.filled, 'mark', 'marks')} in the column {book.column}, "
        f"students matched by {book.matched_by}."
    )
    if book.missing:
        display.say(f"Not in the gradebook: {_some(list(book.missing))}.")
    if book.unmarked:
        display.say(f"In the gradebook, but without a mark: {_some(list(book.unmarked))}.")
    for note in book.notes:
        display.say(f"Note: {note}")


def _records(table: Mapping[str, Any]) -> list[dict[str, Any]]:
    columns = [values.tolist() if hasattr(values, "tolist") else list(values) for values in table.values()]
    return [dict(zip(table, row, strict=True)) for row in zip(*columns, strict=True)]


def _show(graded: "Graded") -> None:
    read = graded.round
    for problem in read.dropped:
        display.say(f"Left out: {problem}")
    for note in graded.notes:
        display.say(f"Note: {note}")
    handed_in = int((read.judged > 0).sum())
    asked = read.profile.n_graders if read.asked is None else int((read.asked > 0).sum())
    of = f" of {asked:,}" if asked > handed_in else ""
    display.say(
        f"**{read.profile.n_papers:,} papers** in order by `{graded.settings.rule}`, from {int(read.judged.sum()):,} "
        f"judgements of {handed_in:,}{of} graders."
    )
    _show_order(graded)
    _show_coverage(graded)
    turnout.show(read)
    _show_flags(graded)


def _show_order(graded: "Graded") -> None:
    table = _records(graded.grades()) if graded.round.profile.n_papers <= TOP + BOTTOM + 1 else None
    rows = table or [
        *_records(_slice(graded.grades(), slice(TOP))),
        *_records(_slice(graded.grades(), slice(-BOTTOM, None))),
    ]
    sure = graded.outcome.findings.intervals is not None
    marked = any(row["mark"] not in (None, "") for row in rows)
    columns = ["place", "paper", *(["90% interval"] if sure else []), "rankings", *(["mark"] if marked else [])]
    lines: list[list[object]] = [
        [
            row["place"],
            row["paper"],
            *([f"{row['low']} to {row['high']}"] if sure else []),
            row["rankings"],
            *([_as_mark(row["mark"])] if marked else []),
        ]
        for row in rows
    ]
    if table is None:
        lines.insert(TOP, ["..."] * len(columns))
    display.show_table(columns, lines)


def _slice(table: Mapping[str, Any], part: slice) -> dict[str, Any]:
    return {name: values[part] for name, values in table.items()}


def _as_mark(mark: object) -> str:
    return f"{mark:.1f}" if isinstance(mark, float) else str(mark)


def _show_coverage(graded: "Graded") -> None:
    rankings = graded.round.profile.rankings
    unread = [graded.round.papers[at] for at in (rankings == 0).nonzero()[0].tolist()]
    if unread:
        its_place = "its place is" if len(unread) == 1 else "their places are"
        display.say(
            f"{_count(len(unread), 'paper was', 'papers were')} ranked by nobody, so {its_place} a guess: "
            f"{_some(unread)}."
        )


def _show_flags(graded: "Graded") -> None:
    flags = graded.outcome.findings.flags or ()
    for flag, meaning in (("random", "as if at random"), ("reversed", "upside down, it seems")):
        who = [graded.round.graders[at] for at, said in enumerate(flags) if said == flag]
        if who:
            display.say(f"{_count(len(who), 'grader', 'graders')} ranked {meaning}: {_some(who)}.")


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def _some(names: list[str]) -> str:
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more
