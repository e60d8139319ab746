"""``peerorder grade``: rankings in, the order with its error bars out."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from peerorder.cli import display, explain as explaining, options, participation, skipped_rows
from peerorder.cli.gradebook import book_record, fill_books, show_book

if TYPE_CHECKING:
    from peerorder.files.formats.kinds import Kind
    from peerorder.files.outgoing.gradebooks import Gradebook
    from peerorder.reports.instructor import Why
    from peerorder.rounds.grading import GradedRound
    from peerorder.rounds.settings import GradeSettings

__all__ = ["grade"]

DEFAULT_OUT = Path("grades.csv")
TOP, BOTTOM = 8, 3


@click.command(short_help="Merge rankings into an order, with intervals and marks.")
@options.rankings(required=False)
@click.option(
    "--out", type=options.FILE, help="Write the grades to this file.  [default: grades.csv; with --explain, none]"
)
@click.option("--graders", type=options.FILE, help="Write how reliable every grader is to this file.")
@click.option("--students", type=options.FILE, help="Write every student's marks to this file.")
@click.option("--letters", type=options.FILE, help="Write a mail-merge table of every student's marks to this file.")
@click.option("--rule", default=options.RULE, show_default=True, help="How to merge.")
@options.round_files
@click.option("--report", type=options.FILE, help="Write a page about the round for the instructor to this file.")
@click.option("--title", help="What to call the report: the course and the assignment.  [default: the rankings' name]")
@click.option("--explain", metavar="PAPER", multiple=True, help="Say why this paper stands where it stands, or `all`.")
@click.option("--no-names", is_flag=True, help="With --explain: graders as A, B, C, for the student who asks.")
@click.option("--marks", metavar="SCALE", help="How places become marks: percentile, curve:... or bands:...")
@click.option(
    "--anchors",
    type=options.FILE,
    multiple=True,
    help="Papers that staff marked; they turn places into marks; may be repeated.",
)
@options.anchors_points
@click.option(
    "--smooth-anchors", is_flag=True, help="Give papers that staff marked the mark of the curve, not staff's."
)
@click.option("--overrides", type=options.FILE, help="What staff decided: marks to set, penalties, ballots to exclude.")
@click.option(
    "--review-weights", "review", default="done=70,reliable=30", show_default=True, help="The mark for ranking."
)
@click.option("--penalty", type=options.NUMBER, default=0.0, show_default=True, help="Points off for ranking nothing.")
@click.option("--absent", type=options.NUMBER, help="The mark of students without a paper.  [default: none]")
@click.option(
    "--unranked",
    metavar="MARK",
    help="The mark of papers that nobody ranked, or `place` for that of the place they got by chance.  [default: none]",
)
@click.option("--gradebook", type=options.FILE, help="Fill in this export of Canvas, Moodle, Blackboard or Open edX.")
@click.option(
    "--gradebook-column", "column", metavar="NAME", help="The column to fill.  [default: the one that is empty]"
)
@click.option(
    "--gradebook-review-column", metavar="NAME", help="The column for the marks for ranking.  [default: none]"
)
@click.option("--gradebook-out", type=options.FILE, help="Where to write it.  [default: beside it, -filled]")
@click.option(
    "--gradebook-points",
    type=options.ABOVE_ZERO,
    help="What full marks are worth there.  [default: what the file says]",
)
@click.option("--force", is_flag=True, help="Replace marks that the gradebook already has in that column.")
@options.staff_weight
@click.option("--verify", type=options.FILE, help="Check what --out, --graders or --students wrote; write nothing.")
@options.seed
@options.as_json
def grade(
    rankings: tuple[Path, ...],
    out: Path | None,
    graders: Path | None,
    students: Path | None,
    letters: Path | None,
    report: Path | None,
    title: str | None,
    explain: tuple[str, ...],
    no_names: bool,
    rule: str,
    roster: Path | None,
    handout: tuple[Path, ...],
    codes: Path | None,
    lenient: bool,
    upside_down: bool,
    marks: str | None,
    anchors: tuple[Path, ...],
    anchors_points: float,
    smooth_anchors: bool,
    overrides: Path | None,
    review: str,
    penalty: float,
    absent: float | None,
    unranked: str | None,
    gradebook: Path | None,
    column: str | None,
    gradebook_review_column: str | None,
    gradebook_out: Path | None,
    gradebook_points: float | None,
    force: bool,
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
    from peerorder.files.formats import kinds
    from peerorder.rounds.settings import GradeSettings

    files = {
        "rankings": rankings,
        "roster": roster,
        "handout": handout,
        "codes": codes,
        "anchors": anchors,
        "overrides": overrides,
    }
    if verify is not None:
        _verify(verify, files)
        return
    if not rankings:
        raise click.UsageError("Missing argument 'RANKINGS...'.", click.get_current_context())
    if gradebook is None and gradebook_review_column is not None:
        raise click.UsageError("--gradebook-review-column goes with --gradebook", click.get_current_context())
    # Who asks a question gets an answer, and no file but those that they name.
    grades = out or (None if explain else DEFAULT_OUT)
    if gradebook is not None:
        gradebook_out = gradebook_out or gradebook.with_name(f"{gradebook.stem}-filled{gradebook.suffix}")
    outputs = {
        "--out": (kinds.GRADES, grades),
        "--graders": (kinds.GRADERS, graders),
        "--students": (kinds.STUDENTS, students),
        "--letters": (kinds.LETTERS, letters),
        "--report": (kinds.REPORT, report),
        "--gradebook-out": (kinds.GRADEBOOK, gradebook_out if gradebook is not None else None),
    }
    if no_names:
        _only_asks(explain, outputs)
    _check_writable(
        outputs, [*rankings, *handout, *anchors, *(path for path in (roster, codes, overrides, gradebook) if path)]
    )
    settings = GradeSettings(
        rule=rule,
        seed=seed,
        staff_weight=staff_weight,
        lenient=lenient,
        marks=marks,
        review=review,
        penalty=penalty,
        absent=absent,
        unranked=unranked,
        smooth_anchors=smooth_anchors,
        anchors_points=anchors_points,
        upside_down=upside_down,
    )
    graded = _graded(files, settings)
    books = fill_books(graded, gradebook, column, gradebook_review_column, gradebook_points, force)
    whys = _explained(graded, explain)
    page = _page(graded, whys, grades, title) if report is not None else None
    contents = {
        kinds.GRADES: graded.grades() if grades is not None else None,
        kinds.GRADERS: graded.graders() if graders is not None else None,
        kinds.STUDENTS: graded.students() if students is not None else None,
        kinds.LETTERS: graded.letters() if letters is not None else None,
        kinds.GRADEBOOK: books[0].data if books else None,
        kinds.REPORT: page,
    }
    written = _write(graded, {kind: (path, contents[kind]) for kind, path in outputs.values() if path is not None})
    reasons = [why for _, why in whys]
    if no_names:
        explaining.show_without_names(reasons, as_json)
    elif as_json:
        display.show_json(_summary(graded, reasons, books))
    else:
        _show(graded)
        explaining.show(reasons, report is not None)
        for at, book in enumerate(books):
            show_book(book, books[:at])
        if graded.contrary_warning:
            display.say(f"**Before you use this order:** {'. '.join(graded.contrary_warning)}.")
        if written:
            display.say(f"Wrote {display.with_provenance(written)}.")
    skipped_rows.raise_left_out(graded.round.dropped, graded.round)


def _graded(files: Mapping[str, Any], settings: "GradeSettings") -> "GradedRound":
    from peerorder.files.rounds import read_round
    from peerorder.rounds.grading import grade as grade_round

    with display.merging([settings.rule]):
        read = read_round(
            **files,
            lenient=settings.lenient,
            anchors_points=settings.anchors_points,
            marks=settings.marks,
            passed_over=options.passed_over(),
        )
        return grade_round(read, settings)


def _only_asks(explain: Sequence[str], outputs: "Mapping[str, tuple[Kind, Path | None]]") -> None:
    """Complain about options that would name graders where their names are to be left out."""
    if not explain:
        raise click.UsageError("--no-names goes with --explain", click.get_current_context())
    if named := [option for option, (_, path) in outputs.items() if path is not None]:
        raise click.UsageError(
            f"--no-names is for the answer of --explain alone, and {named[0]} writes a file that names people; "
            "leave one of them out",
            click.get_current_context(),
        )


def _explained(graded: "GradedRound", wanted: Sequence[str]) -> "list[tuple[int, Why]]":
    """Why the papers stand where they stand that somebody asked for."""
    if not wanted:
        return []
    from peerorder.reports import instructor

    read = graded.round
    papers = instructor.chosen(read.papers, wanted, read.codes, read)
    with display.progress_bar("merging without one grader each", "explaining") as progress:
        return instructor.explain(graded, papers, progress)


def _page(graded: "GradedRound", whys: "Sequence[tuple[int, Why]]", grades: Path | None, title: str | None) -> str:
    from datetime import date

    from peerorder.reports import instructor

    with display.working("writing the report"):
        return instructor.report(
            graded,
            marks=graded.marking,
            whys=whys,
            kept=grades,
            title=title,
            made=date.today(),
        )


# Files.


def _check_writable(outputs: "Mapping[str, tuple[Kind, Path | None]]", inputs: Sequence[Path]) -> None:
    """Complain about outputs that cannot be written or would overwrite something that is needed."""
    from peerorder.core.errors import InputError
    from peerorder.files.formats.output import check_output

    taken: dict[Path, str] = {path.resolve(): "an input" for path in inputs}
    for option, (kind, path) in outputs.items():
        if path is None:
            continue
        if path.resolve() in taken:
            raise InputError(f"{taken[path.resolve()]} and {option} are both {path}; give each a file of its own")
        taken[path.resolve()] = option
        check_output(path, option, kind, "grade")


def _write(graded: "GradedRound", contents: "Mapping[Kind, tuple[Path, Any]]") -> list[Path]:
    """Write these tables and pages, each with its provenance, and return their names."""
    from peerorder.files.formats.output import write_table
    from peerorder.files.formats.writing import write_bytes, write_provenance, write_text
    from peerorder.files.rounds import provenance_for

    for kind, (path, content) in contents.items():
        if isinstance(content, str):
            write_text(path, content)
        elif isinstance(content, bytes):
            write_bytes(path, content)
        else:
            write_table(path, content, kind)
        write_provenance(path, {**provenance_for(graded, path), "table": kind.name})
    return [path for path, _ in contents.values()]


def _verify(kept: Path, files: Mapping[str, Path | Sequence[Path] | None]) -> None:
    """Grade once more as the provenance says, and compare."""
    from peerorder.core.errors import InputError
    from peerorder.files.replay import replayed

    again = replayed(kept, files)
    with display.merging([again.settings.rule]):
        differences = again.differences()
        changes = [] if differences else again.changes
    if differences:
        raise InputError(
            f"{kept} is not what these rankings give{again.version_in_words}: {'; '.join(map(str, differences))}"
        )
    display.say(f"**Verified.** {again.in_words}")
    for change in changes:
        cure = f" `{change.option}` gives it again." if change.option else ""
        display.say(
            f"Note: {kept} follows the default of peerorder {again.version}. By default this version differs: "
            f"{change.now}.{cure}"
        )


# What people see.


def _summary(graded: "GradedRound", whys: "Sequence[Why]", books: "Sequence[Gradebook]") -> dict[str, Any]:
    """The whole result for machines."""
    marked = graded.marking is not None and graded.round.people is not None
    return {
        "papers": _records(graded.grades()),
        "graders": _records(graded.graders()),
        **({"students": _records(graded.students())} if marked else {}),
        **{name: book_record(book) for name, book in zip(("gradebook", "gradebook_review"), books, strict=False)},
        "notes": [*(graded.contrary_warning or ()), *graded.notes],
        "dropped": [*map(str, graded.round.dropped)],
        **({"explained": [asdict(why) for why in whys]} if whys else {}),
        "provenance": graded.provenance,
    }


def _records(table: Mapping[str, Any]) -> list[dict[str, Any]]:
    columns = [values.tolist() if hasattr(values, "tolist") else list(values) for values in table.values()]
    return [dict(zip(table, map(_known, row), strict=True)) for row in zip(*columns, strict=True)]


def _known(value: Any) -> Any:
    """A value for JSON, which has no word for what is not a number."""
    return None if isinstance(value, float) and value != value else value


def _show(graded: "GradedRound") -> None:
    read = graded.round
    for problem in read.dropped:
        display.say(f"Left out: {problem}")
    for note in graded.notes:
        display.say(f"Note: {note}")
    handed_in = int((read.judged > 0).sum())
    asked = read.profile.n_graders if read.asked is None else int((read.asked > 0).sum())
    whose = f"{handed_in:,} of {asked:,} graders" if asked > handed_in else display.count(handed_in, "grader")
    display.say(
        f"**Order of {display.count(read.profile.n_papers, 'paper')}**, by the rule `{graded.settings.rule}`, from the "
        f"rankings of {whose}."
    )
    _show_order(graded)
    _show_coverage(graded)
    participation.show(read)
    _show_flags(graded)


def _show_order(graded: "GradedRound") -> None:
    table = _records(graded.grades()) if graded.round.profile.n_papers <= TOP + BOTTOM + 1 else None
    rows = table or [
        *_records(_slice(graded.grades(), slice(TOP))),
        *_records(_slice(graded.grades(), slice(-BOTTOM, None))),
    ]
    order = graded.outcome.order
    shown = order.tolist() if table else [*order[:TOP].tolist(), *order[-BOTTOM:].tolist()]
    labels = [graded.place_label(paper) for paper in shown]
    sure = graded.outcome.findings.intervals is not None
    marked = any(row["mark"] not in (None, "") for row in rows)
    columns = ["place", "paper", *(["90% interval"] if sure else []), "rankings", *(["mark"] if marked else [])]
    lines: list[list[object]] = [
        [
            label,
            row["paper"],
            *([f"{row['low']} to {row['high']}"] if sure else []),
            row["rankings"],
            *([_as_mark(row["mark"])] if marked else []),
        ]
        for label, row in zip(labels, rows, strict=True)
    ]
    if table is None:
        lines.insert(TOP, ["..."] * len(columns))
    display.show_table(columns, lines)


def _slice(table: Mapping[str, Any], part: slice) -> dict[str, Any]:
    return {name: values[part] for name, values in table.items()}


def _as_mark(mark: object) -> str:
    return f"{mark:.1f}" if isinstance(mark, float) else str(mark or "\N{EN DASH}")


def _show_coverage(graded: "GradedRound") -> None:
    from peerorder.rounds.marking import unranked_papers

    rankings = graded.round.profile.rankings
    unread = [graded.round.papers[at] for at in (rankings == 0).nonzero()[0].tolist()]
    if unread:
        its_place = "its place is" if len(unread) == 1 else "their places are"
        display.say(
            f"{display.count(len(unread), 'paper was', 'papers were')} ranked by nobody, so {its_place} a guess: "
            f"{display.some(unread)}."
        )
    alone = [at for at in unranked_papers(graded.round.profile).tolist() if rankings[at]]
    if alone:
        its_place = "its place is" if len(alone) == 1 else "their places are"
        display.say(
            f"{display.count(len(alone), 'paper')} {'is' if len(alone) == 1 else 'are'} on ballots, but compared with "
            f"no other paper, so {its_place} a guess: {display.some([graded.round.papers[at] for at in alone])}."
        )


def _show_flags(graded: "GradedRound") -> None:
    flags = graded.outcome.findings.flags or ()
    for flag, meaning in (("random", "as if at random"), ("reversed", "upside down, it seems")):
        who = [graded.round.graders[at] for at, said in enumerate(flags) if said == flag]
        if who:
            display.say(f"{display.count(len(who), 'grader')} ranked {meaning}: {display.some(who)}.")
