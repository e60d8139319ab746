"""``peerorder anchors``: which papers staff should mark next."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from peerorder.cli import display, options, skipped_rows

if TYPE_CHECKING:
    from peerorder.marks import Suggestion
    from peerorder.rounds.round import Round

__all__ = ["anchors"]

# By what staff can open a paper.
FINDING = ("code", "link")


@click.command(short_help="Which papers staff should mark next.")
@options.rankings()
@click.option("--rule", default=options.RULE, show_default=True, help="How to merge the rankings.")
@options.round_files
@click.option("--anchors", type=options.FILE, multiple=True, help="Papers that are marked already; may be repeated.")
@options.anchors_points
@click.option("-n", "--count", type=int, default=10, show_default=True, help="How many papers to mark.")
@options.staff_weight
@options.seed
@click.option("--out", type=options.FILE, help="Write the list to this file, for staff to fill in; marks in it stay.")
@options.as_json
def anchors(**given: Any) -> None:
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
    from peerorder.files.tables.anchors import typed_rows
    from peerorder.marks import next_anchors
    from peerorder.rounds.grading import merge

    out, settings = given["out"], options.grade_settings(given)
    if given["count"] < 1:
        raise InputError(f"-n is {given['count']}; ask for at least 1 paper")
    kept: dict[str, list[str]] = {}
    if out is not None:
        check_output(out, "--out", ANCHORS)
        if out.exists():
            kept = typed_rows(out)
            # Marks in it count, whether it is given as --anchors too or not.
            if any(kept["mark"]) and out.resolve() not in (path.resolve() for path in given["anchors"]):
                given["anchors"] = (*given["anchors"], out)
    with display.merging([settings.rule]):
        read = options.read_ballots(given)
        outcome = merge(read, settings)
        found = next_anchors(outcome, given["count"], () if read.anchors is None else read.anchors.papers)
    rows = _rows(read, found)
    if out is not None:
        _write(out, kept, read, rows, {"command": "anchors", "seed": settings.seed, **outcome.provenance})
    if given["as_json"]:
        notes = [*read.notes, *(f"left out: {problem}" for problem in read.dropped), *outcome.findings.notes]
        display.show_json({"anchors": rows, "notes": notes, "provenance": outcome.provenance})
    else:
        _show(found, rows, read)
        skipped_rows.show(read.dropped, [*read.notes, *outcome.findings.notes])
    if out is not None and not given["as_json"]:
        stay = sum(map(bool, kept.get("mark", ())))
        said = f", with the {_many(stay)} that {'is' if stay == 1 else 'are'} marked in it" if stay else ""
        display.say(f"Written: `{out}`{said}. Fill in its column mark, and give it to `peerorder grade` as --anchors.")
    skipped_rows.raise_left_out(read.dropped, read)


def _rows(read: "Round", found: "Sequence[Suggestion]") -> list[dict[str, Any]]:
    """What to say of every paper; the code and the link, for staff to open it by, only where there are any."""
    code_of = {paper: code for code, paper in (read.codes or {}).items()}
    links = read.people.links if read.people is not None else [""] * len(read.papers)
    rows = [
        {
            "paper": read.papers[each.paper],
            "code": code_of.get(read.papers[each.paper], ""),
            "link": links[each.paper],
            "place": each.place,
            "low": each.low,
            "high": each.high,
            "reason": each.reason,
        }
        for each in found
    ]
    unknown = [name for name in FINDING if not any(row[name] for row in rows)]
    return [{name: value for name, value in row.items() if name not in unknown} for row in rows]


def _write(
    out: Path, kept: dict[str, list[str]], read: "Round", rows: Sequence[Mapping[str, Any]], about: dict[str, Any]
) -> None:
    """What was typed into the file already, as it stands there, and then the next papers."""
    from peerorder.files import write_provenance, write_table
    from peerorder.files.formats.kinds import ANCHORS

    if "paper" not in kept and "code" in kept:
        kept = {"paper": [(read.codes or {}).get(said, said) for said in kept["code"]], **kept}
    there = {(read.codes or {}).get(said, said) for said in kept.get("paper", ())}
    ours = ("paper", "reason", *FINDING)
    new = [{name: row[name] for name in ours if name in row} for row in rows if row["paper"] not in there]
    before = [""] * len(kept.get("mark", ()))
    found = [name for name in FINDING if any(row.get(name) for row in new)]
    names = dict.fromkeys(["paper", *found, "mark", "reason", *kept])
    table = {name: [*kept.get(name, before), *(row.get(name, "") for row in new)] for name in names}
    write_table(out, table, ANCHORS)
    write_provenance(out, {**about, "inputs": read.input_records})


def _many(papers: int) -> str:
    return "paper" if papers == 1 else f"{papers} papers"


def _show(found: "Sequence[Suggestion]", rows: Sequence[Mapping[str, Any]], read: "Round") -> None:
    n, known = read.profile.n_papers, read.anchors
    have = "" if known is None else f", beside the {len(known)} that {'is' if len(known) == 1 else 'are'} marked"
    if not found:
        display.say("Every paper is marked already.")
        return
    display.show_table(
        ("paper", *FINDING, "place", "90% interval", "why"),
        [
            (
                row["paper"],
                *(row.get(name) for name in FINDING),
                f"{each.place}{'=' if each.shared else ''}",
                display.interval(row),
                each.reason,
            )
            for each, row in zip(found, rows, strict=True)
        ],
        title=f"Of {n} papers, the {_many(len(found))} to mark next{have}, the most telling first",
    )
