"""``peerorder anchors``: which papers staff should mark next."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from peerorder.cli import display, options

if TYPE_CHECKING:
    from peerorder.core.outcome import Outcome
    from peerorder.files.rounds import Round
    from peerorder.marks import Suggestion

__all__ = ["anchors"]


@click.command(short_help="Which papers staff should mark next.")
@click.argument("rankings", type=options.FILE, nargs=-1, required=True)
@click.option("--rule", default=options.RULE, show_default=True, help="How to merge the rankings.")
@options.round_files
@click.option("--anchors", "marked", type=options.FILE, help="The papers that are marked already.")
@click.option("-n", "--count", type=int, default=10, show_default=True, help="How many papers to mark.")
@options.staff_weight
@options.seed
@click.option("--out", type=options.FILE, help="Write the list to this file, for staff to fill in.")
@options.as_json
def anchors(
    rankings: tuple[Path, ...],
    rule: str,
    roster: Path | None,
    handout: tuple[Path, ...],
    codes: Path | None,
    lenient: bool,
    marked: Path | None,
    count: int,
    staff_weight: int,
    seed: int,
    out: Path | None,
    as_json: bool,
) -> None:
    """Name the papers whose marks by staff would settle most of everybody's marks.

    A few papers that staff marked turn places into marks. The best are spread over the whole order, away
    from those that are marked already, and have a place that is well known. The file that --out writes
    waits for marks; filled in, it is what --anchors takes, here and in `peerorder grade`.

    Example: peerorder anchors rankings.csv -n 10 --out anchors.csv
    """
    from peerorder.core import InputError
    from peerorder.files import check_writable
    from peerorder.files.grading import Settings, merged
    from peerorder.files.rounds import read_round
    from peerorder.marks import next_anchors

    if count < 1:
        raise InputError(f"-n is {count}; ask for at least 1 paper")
    if out is not None:
        check_writable(out, "--out")
    with display.merging([rule]):
        read = read_round(rankings, roster=roster, handout=handout, codes=codes, anchors=marked, lenient=lenient)
        outcome = merged(read, Settings(rule, seed, staff_weight, lenient))
        found = next_anchors(outcome, count, () if read.anchors is None else read.anchors.papers)
    if out is not None:
        _write(out, read, found, outcome, seed)
    notes = [*read.notes, *(f"left out: {problem}" for problem in read.dropped), *outcome.findings.notes]
    if as_json:
        display.show_json(
            {
                "anchors": [
                    {
                        "paper": read.papers[each.paper],
                        "place": each.place,
                        "low": each.low,
                        "high": each.high,
                        "reason": each.reason,
                    }
                    for each in found
                ],
                "notes": notes,
                "provenance": outcome.provenance,
            }
        )
        return
    _show(found, read)
    for note in notes:
        display.say(f"Note: {note}.")
    if out is not None:
        display.say(f"Written: `{out}`. Fill in its column mark, and give it to `peerorder grade` as --anchors.")


def _write(out: Path, read: "Round", found: "list[Suggestion]", outcome: "Outcome", seed: int) -> None:
    from peerorder.files import write_provenance, write_table

    write_table(
        out,
        {
            "paper": [read.papers[each.paper] for each in found],
            "mark": [""] * len(found),
            "reason": [each.reason for each in found],
        },
    )
    write_provenance(out, {"command": "anchors", "seed": seed, "inputs": read.inputs, **outcome.provenance})


def _show(found: "list[Suggestion]", read: "Round") -> None:
    n, known = read.profile.n_papers, read.anchors
    have = "" if known is None else f", beside the {len(known)} that are marked"
    if not found:
        display.say("Every paper is marked already.")
        return
    sure = any(each.low is not None for each in found)
    papers = "the paper" if len(found) == 1 else f"the {len(found)} papers"
    display.show_table(
        ("paper", "place", *(["90% interval"] if sure else []), "why"),
        [
            (
                read.papers[each.paper],
                f"{each.place:g}",
                *([f"{each.low} to {each.high}"] if sure else []),
                each.reason,
            )
            for each in found
        ],
        title=f"Of {n} papers, {papers} to mark next{have}, the most telling first",
    )
