"""``peerorder anchors``: which papers staff should mark next."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from peerorder.cli import display, options

if TYPE_CHECKING:
    from peerorder.core.outcome import Outcome
    from peerorder.files import Rankings
    from peerorder.files.anchors import Anchors
    from peerorder.marks import Suggestion

__all__ = ["anchors"]

FILE = click.Path(path_type=Path, dir_okay=False)


@click.command(short_help="Which papers staff should mark next.")
@click.argument("rankings", type=FILE)
@click.option("--rule", default=options.RULE, show_default=True, help="How to merge the rankings.")
@click.option("--roster", type=FILE, help="Who takes part and who wrote what.")
@click.option("--handout", type=FILE, help="Who was asked to rank what.")
@click.option("--codes", type=FILE, help="The papers behind the codes in the rankings.")
@click.option("--anchors", "marked", type=FILE, help="The papers that are marked already.")
@click.option("-n", "--count", type=int, default=10, show_default=True, help="How many papers to mark.")
@options.seed
@click.option("--out", type=FILE, help="Write the list to this file, for staff to fill in.")
@options.as_json
@click.option("--lenient", is_flag=True, help="Leave out rows with problems, and say which.")
def anchors(
    rankings: Path,
    rule: str,
    roster: Path | None,
    handout: Path | None,
    codes: Path | None,
    marked: Path | None,
    count: int,
    seed: int,
    out: Path | None,
    as_json: bool,
    lenient: bool,
) -> None:
    """Name the papers whose marks by staff would settle most of everybody's marks.

    A few papers that staff marked turn places into marks. The best are spread over the whole order, away
    from those that are marked already, and have a place that is well known. The file that --out writes
    waits for marks; filled in, it is what --anchors takes, here and in `peerorder grade`.

    Example: peerorder anchors rankings.csv -n 10 --out anchors.csv
    """
    from peerorder.core import InputError, child
    from peerorder.files import check_writable, read_codes, read_handout, read_rankings, read_roster
    from peerorder.files.anchors import read_anchors
    from peerorder.marks import next_anchors
    from peerorder.rules import RULES

    method = RULES.parse(rule)
    if count < 1:
        raise InputError(f"-n is {count}; ask for at least 1 paper")
    if out is not None:
        check_writable(out, "--out")
    behind = None if codes is None else read_codes(codes)
    people = None if roster is None else read_roster(roster, lenient)
    asked = None if handout is None else read_handout(handout, behind, lenient)
    read = read_rankings(
        rankings,
        roster=people,
        codes=behind,
        papers=() if asked is None else tuple(asked.papers),
        graders=() if asked is None else tuple(asked.graders),
        lenient=lenient,
    )
    known = None if marked is None else read_anchors(marked, read.papers, behind, lenient)
    if not read.papers:
        raise InputError(f"{rankings}: there are no papers in it; it needs a row for every paper that was ranked")
    with display.merging([method.name]):
        outcome = method.aggregate(read.profile, child(seed, "rule"))
    already: Any = () if known is None else known.papers
    found = next_anchors(outcome, count, already)
    if out is not None:
        _write(out, read, found, outcome, marked, seed)
    parts = (people, asked, read, known)
    notes = [note for part in parts if part is not None for note in part.notes]
    notes += [f"left out: {problem}" for part in parts if part is not None for problem in part.dropped]
    notes += outcome.findings.notes
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
    _show(found, read, known)
    for note in notes:
        display.say(f"Note: {note}.")
    if out is not None:
        display.say(f"Written: `{out}`. Fill in its column mark, and give it to `peerorder grade` as --anchors.")


def _write(
    out: Path, read: "Rankings", found: "list[Suggestion]", outcome: "Outcome", marked: Path | None, seed: int
) -> None:
    from peerorder.files import write_provenance, write_table

    write_table(
        out,
        {
            "paper": [read.papers[each.paper] for each in found],
            "mark": [""] * len(found),
            "reason": [each.reason for each in found],
        },
    )
    about = {"command": "anchors", "rankings": str(read.path), "anchors": None if marked is None else str(marked)}
    write_provenance(out, {**about, "seed": seed, **outcome.provenance})


def _show(found: "list[Suggestion]", read: "Rankings", known: "Anchors | None") -> None:
    n = read.profile.n_papers
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
