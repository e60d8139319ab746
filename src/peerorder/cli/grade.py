"""``peerorder grade``: from rankings to an order with intervals and marks."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from peerorder.cli import by_course, display, explain as explain_output, options, participation, skipped_rows
from peerorder.cli.gradebook import book_record, fill_books, show_book
from peerorder.cli.results import show_order, show_sampler, write_results
from peerorder.cli.streaming import grade_streaming, is_streamed, shared_work
from peerorder.core.translation import gettext as _, ngettext, translate

if TYPE_CHECKING:
    from peerorder.files.formats.kinds import Kind
    from peerorder.files.outgoing.gradebooks import Gradebook
    from peerorder.reports.instructor import Explanation
    from peerorder.rounds.grading import GradedRound

__all__ = ["grade"]

DEFAULT_OUT = Path("grades.csv")


@click.command(short_help="Merge rankings into an order, with intervals and marks.")
@options.rankings(required=False)
@options.by_course
@click.option(
    "--out",
    type=options.FILE,
    help="Write the grades to this file.  [default: grades.csv; with --explain, none; with --by-course, folder grades]",
)
@click.option("--graders", type=options.FILE, help="Write the reliability of every grader to this file.")
@click.option("--students", type=options.FILE, help="Write every student's marks to this file.")
@options.mail_merge("Write a mail-merge table of every student's marks to this file.")
@click.option("--rule", default=options.RULE, show_default=True, help="How to merge.")
@options.round_files
@click.option("--report", type=options.FILE, help="Write a page about the round for the instructor to this file.")
@click.option("--title", help="The title of the report: course and assignment.  [default: the name of the rankings]")
@click.option("--explain", metavar="PAPER", multiple=True, help="Explain the place of this paper, or of `all`.")
@click.option("--no-names", is_flag=True, help="With --explain: label graders A, B, C, for the student who asks.")
@click.option("--marks", metavar="SCALE", help="How places become marks: percentile, curve:... or bands:...")
@click.option(
    "--anchors",
    type=options.FILE,
    multiple=True,
    help="Papers that staff marked, which turn places into marks; may be repeated.",
)
@options.anchors_points
@click.option(
    "--smooth-anchors", is_flag=True, help="Give papers that staff marked the mark of the curve, not staff's mark."
)
@click.option(
    "--review-weights",
    "review",
    default="done=70,reliable=30",
    show_default=True,
    help="Weights of the mark for ranking.",
)
@click.option("--penalty", type=options.NUMBER, default=0.0, show_default=True, help="Points off for ranking nothing.")
@click.option("--absent", type=options.NUMBER, help="The mark of students without a paper.  [default: none]")
@click.option(
    "--unranked",
    metavar="MARK",
    help="The mark of papers that nobody ranked, or `place` for the mark of their random place.  [default: none]",
)
@click.option("--gradebook", type=options.FILE, help="Fill in this export of Canvas, Moodle, Blackboard or Open edX.")
@click.option(
    "--gradebook-column", "column", metavar="NAME", help="The column to fill in.  [default: the only empty one]"
)
@click.option("--gradebook-review-column", metavar="NAME", help="The column for marks for ranking.  [default: none]")
@click.option(
    "--gradebook-out",
    type=options.FILE,
    help="Where to write the filled copy.  [default: NAME-filled.csv in the same folder]",
)
@click.option(
    "--gradebook-points",
    type=options.ABOVE_ZERO,
    help="Points that full marks are worth in that column.  [default: as in the file]",
)
@click.option("--force", is_flag=True, help="Replace marks that the gradebook already has in that column.")
@options.staff_weight
@click.option("--verify", type=options.FILE, help="Check what --out, --graders or --students wrote; write nothing.")
@options.seed
@options.engine
@options.as_json
def grade(**given: Any) -> None:
    """Merge the rankings in one or more files into one order of all papers.

    Writes one row per paper: its place and a 90% interval for it, the number of rankings, and its mark.
    --roster and --handout tell it who wrote what and who was asked to rank what.

    Example: peerorder grade rankings.csv --roster roster.csv --marks curve:mean=70,sd=10 --report report.html
    """
    from peerorder.files.formats import kinds
    from peerorder.rounds.grading import grade as grade_round

    given = options.absolute_paths(given)
    if given["by_course"]:
        by_course.grade_courses(given)
        return
    if given["verify"] is not None:
        _verify(given)
        return
    outputs = _outputs(given)
    if is_streamed(given):
        grade_streaming(given, outputs)
        return
    settings = options.grade_settings(given)
    with display.merging([settings.rule]), shared_work(given, outputs) as workers:
        graded = grade_round(options.read_round(given), settings, workers=workers)
    books = fill_books(graded, given)
    whys = _explain(graded, given["explain"])
    contents: dict[Kind, Callable[[], Any]] = {
        kinds.GRADES: graded.grades,
        kinds.GRADERS: graded.graders,
        kinds.STUDENTS: graded.students,
        kinds.LETTERS: graded.mail_merge,
        kinds.GRADEBOOK: lambda: books[0].data,
        kinds.REPORT: lambda: _page(graded, whys, outputs, given["title"]),
    }
    written = {path: (kind, contents[kind]()) for kind, path in outputs.values()}
    write_results(graded, written)
    reasons = [why for _, why in whys]
    if given["no_names"]:
        explain_output.show_without_names(reasons, given["as_json"])
    elif given["as_json"]:
        display.show_json(_summary(graded, reasons, books))
    else:
        _show(graded)
        explain_output.show(reasons, given["report"] is not None)
        for index, book in enumerate(books):
            show_book(book, books[:index])
        if graded.contrary_warning:
            warning = skipped_rows.translate_notes(graded.contrary_warning)
            text = _("**Before you use this order:** {warning}.")
            display.say(text.format(warning=". ".join(warning)))
        if written:
            display.say(_("Wrote {files}.").format(files=display.with_provenance([*written])))
    skipped_rows.raise_left_out(graded.round.dropped, graded.round)


def _outputs(given: dict[str, Any]) -> "dict[str, tuple[Kind, Path]]":
    """Return what to write and where, by option; raise UsageError if options do not go together."""
    from peerorder.files.formats import kinds

    context, book = click.get_current_context(), given["gradebook"]
    if not given["rankings"]:
        raise click.UsageError(_("Missing argument 'RANKINGS...'."), context)
    if book is None and given["gradebook_review_column"] is not None:
        raise click.UsageError(_("--gradebook-review-column goes with --gradebook"), context)
    if given["no_names"] and not given["explain"]:
        raise click.UsageError(_("--no-names goes with --explain"), context)
    filled = None if book is None else given["gradebook_out"] or book.with_name(f"{book.stem}-filled{book.suffix}")
    wanted = {
        # --explain answers a question, and writes only files that are named.
        "--out": (kinds.GRADES, given["out"] or (None if given["explain"] else DEFAULT_OUT)),
        "--graders": (kinds.GRADERS, given["graders"]),
        "--students": (kinds.STUDENTS, given["students"]),
        "--mail-merge": (kinds.LETTERS, given["letters"]),
        "--report": (kinds.REPORT, given["report"]),
        "--gradebook-out": (kinds.GRADEBOOK, filled),
    }
    outputs = {option: (kind, path) for option, (kind, path) in wanted.items() if path is not None}
    if given["no_names"] and outputs:
        text = _(
            "--no-names is for the answer of --explain alone, but {option} writes a file that names people; omit one"
        )
        raise click.UsageError(text.format(option=next(iter(outputs))), context)
    _check_writable(outputs, given)
    return outputs


def _explain(graded: "GradedRound", wanted: Sequence[str]) -> "list[tuple[int, Explanation]]":
    """Explain the places of the papers that were asked for."""
    if not wanted:
        return []
    from peerorder.reports import instructor

    read = graded.round
    papers = instructor.select_papers(read, wanted)
    with display.progress_bar(_("merging without one grader each"), _("explaining")) as progress:
        return instructor.explain(graded, papers, progress)


def _page(
    graded: "GradedRound",
    whys: "Sequence[tuple[int, Explanation]]",
    outputs: "Mapping[str, tuple[Kind, Path]]",
    title: str,
) -> str:
    from datetime import date

    from peerorder.reports import instructor

    kept = outputs["--out"][1] if "--out" in outputs else None
    with display.working(_("writing the report")):
        return instructor.report(graded, marks=graded.marking, whys=whys, kept=kept, title=title, made=date.today())


# Files.


def _check_writable(outputs: "Mapping[str, tuple[Kind, Path]]", given: dict[str, Any]) -> None:
    """Raise InputError if an output cannot be written or would overwrite an input or another output."""
    from peerorder.core.errors import InputError
    from peerorder.files.formats.output import check_output
    from peerorder.files.formats.paths import as_paths

    inputs = [path for name in (*options.ROUND_FILES, "gradebook") for path in as_paths(given[name])]
    taken = {path.resolve(): _("the input") for path in inputs}
    for option, (kind, path) in outputs.items():
        if path.resolve() in taken:
            text = _("{option} would overwrite {other}, {file}; choose another name")
            raise InputError(text.format(option=option, other=taken[path.resolve()], file=path))
        taken[path.resolve()] = option
        check_output(path, option, kind, "grade")


def _verify(given: dict[str, Any]) -> None:
    """Grade again with the settings of the provenance, and compare."""
    from peerorder.core.errors import InputError
    from peerorder.files.replay import load_replay

    kept = given["verify"]
    again = load_replay(kept, {name: given[name] for name in options.ROUND_FILES})
    with display.merging([again.settings.rule]):
        differences = again.differences()
        changes = [] if differences else again.changes
    if differences:
        text = _("{file} is not what these rankings give{version}: {differences}")
        listed = "; ".join(map(str, differences))
        raise InputError(text.format(file=kept, version=again.version_in_words, differences=listed))
    display.say(_("**Verified.** {how}").format(how=again.in_words))
    for change in changes:
        text = _("Note: {file} follows the default of peerorder {version}. In this version, by default, {now}.")
        if change.option:
            text = _(
                "Note: {file} follows the default of peerorder {version}. In this version, by default, {now}. Add "
                "`{option}` for the old behaviour."
            )
        display.say(text.format(file=kept, version=again.version, now=translate(change.now), option=change.option))


# What people see.


def _summary(graded: "GradedRound", whys: "Sequence[Explanation]", books: "Sequence[Gradebook]") -> dict[str, Any]:
    """Return the whole result for JSON."""
    marked = graded.marking is not None and graded.round.people is not None
    return {
        "papers": display.records(graded.grades()),
        "graders": display.records(graded.graders()),
        **({"students": display.records(graded.students())} if marked else {}),
        **{name: book_record(book) for name, book in zip(("gradebook", "gradebook_review"), books, strict=False)},
        **({"diagnostics": display.finite(asdict(graded.diagnostics))} if graded.diagnostics else {}),
        "notes": skipped_rows.translate_notes([*(graded.contrary_warning or ()), *graded.notes]),
        "dropped": [*map(str, graded.round.dropped)],
        **({"explained": [asdict(why) for why in whys]} if whys else {}),
        "provenance": graded.provenance,
    }


def _show(graded: "GradedRound") -> None:
    read = graded.round
    skipped_rows.show(read.dropped, graded.notes)
    handed_in = int((read.judged > 0).sum())
    asked = read.profile.n_graders if read.asked is None else int((read.asked > 0).sum())
    whose = ngettext("{count:,} grader", "{count:,} graders", handed_in)
    if asked > handed_in:
        whose = _("{count:,} of {asked:,} graders")
    text = ngettext(
        "**Order of {count:,} paper**, by the rule `{rule}`, from the rankings of {graders}.",
        "**Order of {count:,} papers**, by the rule `{rule}`, from the rankings of {graders}.",
        read.profile.n_papers,
    )
    graders = whose.format(count=handed_in, asked=asked)
    display.say(text.format(count=read.profile.n_papers, rule=graded.settings.rule, graders=graders))
    show_order(graded)
    show_sampler(graded)
    participation.show(graded)
