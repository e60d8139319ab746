"""``peerorder anchors``: which papers staff should mark next."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from peerorder.cli import display, options, skipped_rows

if TYPE_CHECKING:
    from peerorder.core.outcome import Outcome
    from peerorder.marks import Suggestion
    from peerorder.rounds.round import Round

__all__ = ["anchors"]


@click.command(short_help="Which papers staff should mark next.")
@options.rankings()
@click.option("--rule", default=options.RULE, show_default=True, help="How to merge the rankings.")
@options.round_files
@click.option(
    "--anchors", "marked", type=options.FILE, multiple=True, help="Papers that are marked already; may be repeated."
)
@options.anchors_points
@click.option("-n", "--count", type=int, default=10, show_default=True, help="How many papers to mark.")
@options.staff_weight
@options.seed
@click.option("--out", type=options.FILE, help="Write the list to this file, for staff to fill in; marks in it stay.")
@options.as_json
def anchors(
    rankings: tuple[Path, ...],
    rule: str,
    roster: Path | None,
    handout: tuple[Path, ...],
    codes: Path | None,
    lenient: bool,
    upside_down: bool,
    marked: tuple[Path, ...],
    anchors_points: float,
    count: int,
    staff_weight: int,
    seed: int,
    out: Path | None,
    as_json: bool,
) -> None:
    """Name the papers whose marks by staff would settle most of everybody's marks.

    A few papers that staff marked turn places into marks. The best are spread over the whole order, away
    from those that are marked already, and have a place that is well known. The file that --out writes
    waits for marks; filled in, it is what --anchors takes, here and in `peerorder grade`. If it is there
    already, the papers that are marked in it stay, and those to mark next come below.

    Example: peerorder anchors rankings.csv -n 10 --out anchors.csv
    """
    from peerorder.core import InputError
    from peerorder.files import check_output
    from peerorder.files.formats.kinds import ANCHORS
    from peerorder.files.rounds import read_round
    from peerorder.files.tables.anchors import typed_rows
    from peerorder.marks import next_anchors
    from peerorder.rounds.grading import merge
    from peerorder.rounds.settings import GradeSettings

    if count < 1:
        raise InputError(f"-n is {count}; ask for at least 1 paper")
    kept: dict[str, list[str]] = {}
    if out is not None:
        check_output(out, "--out", ANCHORS)
        if out.exists():
            kept = typed_rows(out)
            # Marks in it count, whether it is given as --anchors too or not.
            if any(kept["mark"]) and out.resolve() not in (path.resolve() for path in marked):
                marked = (*marked, out)
    with display.merging([rule]):
        read = read_round(
            rankings,
            roster=roster,
            handout=handout,
            codes=codes,
            anchors=marked,
            lenient=lenient,
            anchors_points=anchors_points,
            passed_over=options.passed_over(),
        )
        read = read.reversed() if upside_down else read
        outcome = merge(read, GradeSettings(rule, seed, staff_weight, lenient))
        found = next_anchors(outcome, count, () if read.anchors is None else read.anchors.papers)
    if out is not None:
        _write(out, kept, read, found, outcome, seed)
    notes = [*read.notes, *(f"left out: {problem}" for problem in read.dropped), *outcome.findings.notes]
    _tell(as_json, found, read, outcome, notes)
    if out is not None and not as_json:
        stay = sum(map(bool, kept.get("mark", ())))
        said = f", with the {_many(stay)} that {'is' if stay == 1 else 'are'} marked in it" if stay else ""
        display.say(f"Written: `{out}`{said}. Fill in its column mark, and give it to `peerorder grade` as --anchors.")
    skipped_rows.raise_left_out(read.dropped, read)


def _tell(as_json: bool, found: "list[Suggestion]", read: "Round", outcome: "Outcome", notes: Sequence[str]) -> None:
    if as_json:
        find = _finding_columns(read, found)
        display.show_json(
            {
                "anchors": [
                    {
                        "paper": read.papers[each.paper],
                        **{name: column[at] for name, column in find.items()},
                        "place": each.place,
                        "low": each.low,
                        "high": each.high,
                        "reason": each.reason,
                    }
                    for at, each in enumerate(found)
                ],
                "notes": notes,
                "provenance": outcome.provenance,
            }
        )
        return
    _show(found, read)
    for note in notes:
        display.say(f"Note: {note}.")


def _write(
    out: Path, kept: dict[str, list[str]], read: "Round", found: "list[Suggestion]", outcome: "Outcome", seed: int
) -> None:
    """What was typed into the file already, as it stands there, and then the next papers."""
    from peerorder.files import write_provenance, write_table
    from peerorder.files.formats.kinds import ANCHORS

    if "paper" not in kept and "code" in kept:
        kept = {"paper": [(read.codes or {}).get(said, said) for said in kept["code"]], **kept}
    there = {(read.codes or {}).get(said, said) for said in kept.get("paper", ())}
    found = [each for each in found if read.papers[each.paper] not in there]
    new = {
        "paper": [read.papers[each.paper] for each in found],
        "reason": [each.reason for each in found],
        **_finding_columns(read, found),
    }
    before, after = [""] * len(kept.get("mark", ())), [""] * len(found)
    names = dict.fromkeys(["paper", *_finding_columns(read, found), "mark", "reason", *kept])
    about = {"command": "anchors", "seed": seed, "inputs": read.input_records, **outcome.provenance}
    write_table(out, {name: [*kept.get(name, before), *new.get(name, after)] for name in names}, ANCHORS)
    write_provenance(out, about)


def _finding_columns(read: "Round", found: "Sequence[Suggestion]") -> dict[str, list[str]]:
    """The code and the link of every paper, for staff to open it by; only what there is."""
    code_of = {paper: code for code, paper in (read.codes or {}).items()}
    columns = {"code": [code_of.get(read.papers[each.paper], "") for each in found]}
    if read.people is not None:
        columns["link"] = [read.people.links[each.paper] for each in found]
    return {name: column for name, column in columns.items() if any(column)}


def _many(papers: int) -> str:
    return "paper" if papers == 1 else f"{papers} papers"


def _show(found: "list[Suggestion]", read: "Round") -> None:
    n, known = read.profile.n_papers, read.anchors
    have = "" if known is None else f", beside the {len(known)} that {'is' if len(known) == 1 else 'are'} marked"
    if not found:
        display.say("Every paper is marked already.")
        return
    sure = any(each.low is not None for each in found)
    find = _finding_columns(read, found)
    display.show_table(
        ("paper", *find, "place", *(["90% interval"] if sure else []), "why"),
        [
            (
                read.papers[each.paper],
                *(find[name][at] for name in find),
                f"{each.place}{'=' if each.shared else ''}",
                *([f"{each.low} to {each.high}"] if sure else []),
                each.reason,
            )
            for at, each in enumerate(found)
        ],
        title=f"Of {n} papers, the {_many(len(found))} to mark next{have}, the most telling first",
    )
