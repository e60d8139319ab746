"""``peerorder grade``: rankings in, the order with its error bars out."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from peerorder.cli import display, explaining, options

if TYPE_CHECKING:
    from peerorder.files.grading import Graded, Settings
    from peerorder.reports.instructor import Why

__all__ = ["grade"]

DEFAULT_OUT = Path("grades.csv")
TOP, BOTTOM = 8, 3
NAMED = 10


@click.command(short_help="Merge rankings into an order, with intervals and marks.")
@click.argument("rankings", type=options.FILE)
@click.option("--out", type=options.FILE, help="Write the grades to this file.  [default: grades.csv]")
@click.option("--graders", type=options.FILE, help="Write how reliable every grader is to this file.")
@click.option("--rule", default=options.RULE, show_default=True, help="How to merge.")
@options.round_files
@click.option("--report", type=options.FILE, help="Write a page about the round for the instructor to this file.")
@click.option("--explain", metavar="PAPER", multiple=True, help="Say why this paper stands where it stands, or `all`.")
@click.option("--staff-weight", type=int, default=3, show_default=True, help="A ballot of staff counts as so many.")
@click.option("--verify", type=options.FILE, help="Check that these grades come of these rankings; write nothing.")
@options.seed
@options.as_json
def grade(
    rankings: Path,
    out: Path | None,
    graders: Path | None,
    report: Path | None,
    explain: tuple[str, ...],
    rule: str,
    roster: Path | None,
    handout: Path | None,
    codes: Path | None,
    lenient: bool,
    staff_weight: int,
    verify: Path | None,
    seed: int,
    as_json: bool,
) -> None:
    """Merge the rankings in a file into one order of all papers.

    Writes a row a paper: its place, an interval that holds the true place in nine cases of ten, how many
    graders ranked it, and its mark. With --roster and --handout it knows who wrote what and who was asked.

    Example: peerorder grade rankings.csv --roster roster.csv --graders graders.csv
    """
    from peerorder.files.grading import Settings

    files = {"rankings": rankings, "roster": roster, "handout": handout, "codes": codes}
    if verify is not None:
        _verify(verify, files)
        return
    grades = out or DEFAULT_OUT
    _check_writable({"--out": grades, "--graders": graders, "--report": report})
    graded = _graded(files, Settings(rule, seed, staff_weight, lenient))
    whys, page = _explained(graded, explain, report, grades)
    tables = {grades: graded.grades(), graders: graded.graders(), report: page}
    written = _write(graded, {path: table for path, table in tables.items() if path is not None})
    if as_json:
        display.show_json(_summary(graded, whys))
        return
    _show(graded)
    explaining.show(whys, report is not None)
    display.say(f"Written: {written}")


def _graded(files: Mapping[str, Any], settings: "Settings") -> "Graded":
    from peerorder.files.grading import grade as merged
    from peerorder.files.rounds import read_round

    with display.merging([settings.rule]):
        return merged(read_round(**files, lenient=settings.lenient), settings)


def _explained(
    graded: "Graded", wanted: Sequence[str], report: Path | None, grades: Path
) -> "tuple[list[Why], str | None]":
    """Why the papers stand where they stand, and the page where one is wanted."""
    if not wanted and report is None:
        return [], None
    from peerorder.reports import instructor

    papers = instructor.chosen(graded.round.papers, wanted)
    with display.progress_bar("merging without one grader each", "explaining") as progress:
        whys = instructor.explained(graded, papers, progress)
    with display.working("writing the report"):
        page = instructor.report(graded, whys=whys, kept=grades) if report is not None else None
    return [why for _, why in whys], page


# Files.


def _check_writable(outputs: Mapping[str, Path | None]) -> None:
    from peerorder.core.errors import InputError
    from peerorder.files.output import check_writable

    taken: dict[Path, str] = {}
    for option, path in outputs.items():
        if path is None:
            continue
        check_writable(path, option)
        if path.resolve() in taken:
            raise InputError(f"{taken[path.resolve()]} and {option} are both {path}; give each a file of its own")
        taken[path.resolve()] = option


def _write(graded: "Graded", contents: Mapping[Path, Any]) -> str:
    from peerorder.files.output import write_table
    from peerorder.files.writing import write_provenance, write_text

    about = graded.provenance
    for path, content in contents.items():
        if isinstance(content, str):
            write_text(path, content)
        else:
            write_table(path, content)
        write_provenance(path, about)
    names = [f"`{path}`" for path in contents]
    return f"{' and '.join(names)}, with {'its' if len(names) == 1 else 'their'} provenance beside"


def _verify(kept: Path, files: Mapping[str, Path | None]) -> None:
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


def _summary(graded: "Graded", whys: "Sequence[Why]") -> dict[str, Any]:
    """The whole result for machines."""
    grades, graders = graded.grades(), graded.graders()
    return {
        "papers": _records(grades),
        "graders": _records(graders),
        "notes": [*graded.round.notes, *graded.outcome.findings.notes],
        "dropped": [str(problem) for problem in graded.round.dropped],
        **({"explained": [asdict(why) for why in whys]} if whys else {}),
        "provenance": graded.provenance,
    }


def _records(table: Mapping[str, Any]) -> list[dict[str, Any]]:
    columns = [getattr(values, "tolist", lambda values=values: list(values))() for values in table.values()]
    return [dict(zip(table, row, strict=True)) for row in zip(*columns, strict=True)]


def _show(graded: "Graded") -> None:
    read, outcome = graded.round, graded.outcome
    for problem in read.dropped:
        display.say(f"Left out: {problem}")
    for note in (*read.notes, *outcome.findings.notes):
        display.say(f"Note: {note}")
    handed_in = int((read.judged > 0).sum())
    asked = len(read.graders) if read.asked is None else int((read.asked > 0).sum())
    of = f" of {asked:,}" if asked > handed_in else ""
    display.say(
        f"**{len(read.papers):,} papers** in order by `{graded.settings.rule}`, from {int(read.judged.sum()):,} "
        f"judgements of {handed_in:,}{of} graders."
    )
    _show_order(graded)
    _show_coverage(graded)
    _show_flags(graded)


def _show_order(graded: "Graded") -> None:
    table = _records(graded.grades()) if len(graded.round.papers) <= TOP + BOTTOM + 1 else None
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
