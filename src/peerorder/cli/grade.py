"""``peerorder grade``: rankings in, the order with its error bars out."""

from collections.abc import Callable, Mapping, Sequence
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
def grade(**given: Any) -> None:
    """Merge the rankings in a file, or in several, into one order of all papers.

    Writes a row a paper: its place, an interval that holds the true place in nine cases of ten, how many
    graders ranked it, and its mark. With --roster and --handout it knows who wrote what and who was asked.

    Example: peerorder grade rankings.csv --roster roster.csv --marks curve:mean=70,sd=10 --report report.html
    """
    from peerorder.files.formats import kinds
    from peerorder.rounds.grading import grade as grade_round

    if given["verify"] is not None:
        _verify(given)
        return
    outputs = _outputs(given)
    settings = options.grade_settings(given)
    with display.merging([settings.rule]):
        graded = grade_round(options.read_round(given), settings)
    books = fill_books(graded, given)
    whys = _explained(graded, given["explain"])
    contents: dict[Kind, Callable[[], Any]] = {
        kinds.GRADES: graded.grades,
        kinds.GRADERS: graded.graders,
        kinds.STUDENTS: graded.students,
        kinds.LETTERS: graded.letters,
        kinds.GRADEBOOK: lambda: books[0].data,
        kinds.REPORT: lambda: _page(graded, whys, outputs, given["title"]),
    }
    written = {path: (kind, contents[kind]()) for kind, path in outputs.values()}
    _write(graded, written)
    reasons = [why for _, why in whys]
    if given["no_names"]:
        explaining.show_without_names(reasons, given["as_json"])
    elif given["as_json"]:
        display.show_json(_summary(graded, reasons, books))
    else:
        _show(graded)
        explaining.show(reasons, given["report"] is not None)
        for at, book in enumerate(books):
            show_book(book, books[:at])
        if graded.contrary_warning:
            display.say(f"**Before you use this order:** {'. '.join(graded.contrary_warning)}.")
        if written:
            display.say(f"Wrote {display.with_provenance([*written])}.")
    skipped_rows.raise_left_out(graded.round.dropped, graded.round)


def _outputs(given: dict[str, Any]) -> "dict[str, tuple[Kind, Path]]":
    """What is to be written and where to, by option, once it is clear that the options go together."""
    from peerorder.files.formats import kinds

    context, book = click.get_current_context(), given["gradebook"]
    if not given["rankings"]:
        raise click.UsageError("Missing argument 'RANKINGS...'.", context)
    if book is None and given["gradebook_review_column"] is not None:
        raise click.UsageError("--gradebook-review-column goes with --gradebook", context)
    if given["no_names"] and not given["explain"]:
        raise click.UsageError("--no-names goes with --explain", context)
    filled = None if book is None else given["gradebook_out"] or book.with_name(f"{book.stem}-filled{book.suffix}")
    wanted = {
        # Who asks a question gets an answer, and no file but those that they name.
        "--out": (kinds.GRADES, given["out"] or (None if given["explain"] else DEFAULT_OUT)),
        "--graders": (kinds.GRADERS, given["graders"]),
        "--students": (kinds.STUDENTS, given["students"]),
        "--letters": (kinds.LETTERS, given["letters"]),
        "--report": (kinds.REPORT, given["report"]),
        "--gradebook-out": (kinds.GRADEBOOK, filled),
    }
    outputs = {option: (kind, path) for option, (kind, path) in wanted.items() if path is not None}
    if given["no_names"] and outputs:
        raise click.UsageError(
            f"--no-names is for the answer of --explain alone, and {next(iter(outputs))} writes a file that names "
            "people; leave one of them out",
            context,
        )
    _check_writable(outputs, given)
    return outputs


def _explained(graded: "GradedRound", wanted: Sequence[str]) -> "list[tuple[int, Why]]":
    """Why the papers stand where they stand that somebody asked for."""
    if not wanted:
        return []
    from peerorder.reports import instructor

    read = graded.round
    papers = instructor.chosen(read, wanted)
    with display.progress_bar("merging without one grader each", "explaining") as progress:
        return instructor.explain(graded, papers, progress)


def _page(
    graded: "GradedRound", whys: "Sequence[tuple[int, Why]]", outputs: "Mapping[str, tuple[Kind, Path]]", title: str
) -> str:
    from datetime import date

    from peerorder.reports import instructor

    kept = outputs["--out"][1] if "--out" in outputs else None
    with display.working("writing the report"):
        return instructor.report(graded, marks=graded.marking, whys=whys, kept=kept, title=title, made=date.today())


# Files.


def _check_writable(outputs: "Mapping[str, tuple[Kind, Path]]", given: dict[str, Any]) -> None:
    """Complain about outputs that cannot be written or would overwrite something that is needed."""
    from peerorder.core.errors import InputError
    from peerorder.files.formats.output import check_output
    from peerorder.files.formats.paths import as_paths

    inputs = [path for name in (*options.ROUND_FILES, "gradebook") for path in as_paths(given[name])]
    taken = {path.resolve(): "an input" for path in inputs}
    for option, (kind, path) in outputs.items():
        if path.resolve() in taken:
            raise InputError(f"{taken[path.resolve()]} and {option} are both {path}; give each a file of its own")
        taken[path.resolve()] = option
        check_output(path, option, kind, "grade")


def _write(graded: "GradedRound", contents: "Mapping[Path, tuple[Kind, Any]]") -> None:
    """Write these tables and pages, each with its provenance."""
    from peerorder.files.formats.output import write_table
    from peerorder.files.formats.writing import write_bytes, write_provenance, write_text
    from peerorder.files.rounds import provenance_for

    for path, (kind, content) in contents.items():
        if isinstance(content, str):
            write_text(path, content)
        elif isinstance(content, bytes):
            write_bytes(path, content)
        else:
            write_table(path, content, kind)
        write_provenance(path, {**provenance_for(graded, path), "table": kind.name})


def _verify(given: dict[str, Any]) -> None:
    """Grade once more as the provenance says, and compare."""
    from peerorder.core.errors import InputError
    from peerorder.files.replay import replayed

    kept = given["verify"]
    again = replayed(kept, {name: given[name] for name in options.ROUND_FILES})
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
        "papers": display.records(graded.grades()),
        "graders": display.records(graded.graders()),
        **({"students": display.records(graded.students())} if marked else {}),
        **{name: book_record(book) for name, book in zip(("gradebook", "gradebook_review"), books, strict=False)},
        "notes": [*(graded.contrary_warning or ()), *graded.notes],
        "dropped": [*map(str, graded.round.dropped)],
        **({"explained": [asdict(why) for why in whys]} if whys else {}),
        "provenance": graded.provenance,
    }


def _show(graded: "GradedRound") -> None:
    read = graded.round
    skipped_rows.show(read.dropped, graded.notes)
    handed_in = int((read.judged > 0).sum())
    asked = read.profile.n_graders if read.asked is None else int((read.asked > 0).sum())
    whose = f"{handed_in:,} of {asked:,} graders" if asked > handed_in else display.count(handed_in, "grader")
    display.say(
        f"**Order of {display.count(read.profile.n_papers, 'paper')}**, by the rule `{graded.settings.rule}`, from the "
        f"rankings of {whose}."
    )
    _show_order(graded)
    participation.show(graded)


def _show_order(graded: "GradedRound") -> None:
    """All places, or the first and the last."""
    parts = [slice(None)]
    if graded.round.profile.n_papers > TOP + BOTTOM + 1:
        parts = [slice(TOP), slice(-BOTTOM, None)]
    rows = [row for part in parts for row in display.records(graded.grades(), part)]
    papers = [paper for part in parts for paper in graded.outcome.order[part].tolist()]
    marked = any(row["mark"] not in (None, "") for row in rows)
    lines: list[tuple[object, ...]] = [
        (
            graded.place_label(paper),
            row["paper"],
            display.interval(row),
            row["rankings"],
            _as_mark(row["mark"]) if marked else None,
        )
        for paper, row in zip(papers, rows, strict=True)
    ]
    if len(parts) > 1:
        lines.insert(TOP, (display.GAP,) * len(lines[0]))
    display.show_table(("place", "paper", "90% interval", "rankings", "mark"), lines)


def _as_mark(mark: object) -> str:
    return f"{mark:.1f}" if isinstance(mark, float) else str(mark or "\N{EN DASH}")
