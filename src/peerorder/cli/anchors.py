"""``peerorder anchors``: the papers that staff should mark next."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from peerorder.cli import display, options, skipped_rows
from peerorder.core.translation import gettext as _, ngettext

if TYPE_CHECKING:
    from peerorder.marks import Suggestion
    from peerorder.rounds.round import Round

__all__ = ["anchors"]

# Columns by which staff can find a paper.
FINDING = ("code", "link")


@click.command(short_help="Choose the papers that staff should mark next.")
@options.rankings()
@click.option("--rule", default=options.RULE, show_default=True, help="How to merge the rankings.")
@options.round_files
@click.option("--anchors", type=options.FILE, multiple=True, help="Papers that are already marked; may be repeated.")
@options.anchors_points
@click.option("-n", "--count", type=int, default=10, show_default=True, help="How many papers to mark.")
@options.staff_weight
@options.seed
@click.option(
    "--out", type=options.FILE, help="Write the list to this file, for staff to fill in; marks in it are kept."
)
@options.as_json
def anchors(**given: Any) -> None:
    """Choose the papers whose marks by staff would reduce the uncertainty of all marks most.

    A few papers that staff marked turn places into marks. The best ones are spread over the whole order,
    away from those already marked, and have a well-known place. Fill in the marks in the file that --out
    writes, and give it to --anchors, here and in `peerorder grade`. If the file already exists, its marked
    papers are kept, and the papers to mark next are added below.

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
        raise InputError(_("-n is {value}; it must be at least 1").format(value=given["count"]))
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
        result = next_anchors(outcome, given["count"], () if read.anchors is None else read.anchors.papers)
    rows = _rows(read, result)
    if out is not None:
        _write(out, kept, read, rows, {"command": "anchors", "seed": settings.seed, **outcome.provenance})
    if given["as_json"]:
        skipped = (_("skipped: {problem}").format(problem=problem) for problem in read.dropped)
        notes = [*read.notes, *skipped, *outcome.result.notes]
        notes = skipped_rows.translate_notes(notes)
        display.show_json({"anchors": rows, "notes": notes, "provenance": outcome.provenance})
    else:
        _show(result, rows, read)
        skipped_rows.show(read.dropped, [*read.notes, *outcome.result.notes])
    if out is not None and not given["as_json"]:
        stay = sum(map(bool, kept.get("mark", ())))
        text = _("Wrote `{file}`. Fill in its column mark, and use it with `peerorder grade --anchors`.")
        if stay:
            text = ngettext(
                "Wrote `{file}`, which keeps the paper already marked in it. Fill in its column mark, and use it with "
                "`peerorder grade --anchors`.",
                "Wrote `{file}`, which keeps the {count} papers already marked in it. Fill in its column mark, and "
                "use it with `peerorder grade --anchors`.",
                stay,
            )
        display.say(text.format(file=out, count=stay))
    skipped_rows.raise_left_out(read.dropped, read)


def _rows(read: "Round", result: "Sequence[Suggestion]") -> list[dict[str, Any]]:
    """Return one row per paper; with code and link, for staff to find it by, only where there are any."""
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
        for each in result
    ]
    unknown = [name for name in FINDING if not any(row[name] for row in rows)]
    return [{name: value for name, value in row.items() if name not in unknown} for row in rows]


def _write(
    out: Path, kept: dict[str, list[str]], read: "Round", rows: Sequence[Mapping[str, Any]], about: dict[str, Any]
) -> None:
    """Write what is already in the file, unchanged, and then the next papers."""
    from peerorder.files import write_provenance, write_table
    from peerorder.files.formats.kinds import ANCHORS

    if "paper" not in kept and "code" in kept:
        kept = {"paper": [(read.codes or {}).get(code, code) for code in kept["code"]], **kept}
    listed = {(read.codes or {}).get(name, name) for name in kept.get("paper", ())}
    ours = ("paper", "reason", *FINDING)
    new = [{name: row[name] for name in ours if name in row} for row in rows if row["paper"] not in listed]
    before = [""] * len(kept.get("mark", ()))
    result = [name for name in FINDING if any(row.get(name) for row in new)]
    names = dict.fromkeys(["paper", *result, "mark", "reason", *kept])
    table = {name: [*kept.get(name, before), *(row.get(name, "") for row in new)] for name in names}
    write_table(out, table, ANCHORS)
    write_provenance(out, {**about, "inputs": read.input_records})


def _show(result: "Sequence[Suggestion]", rows: Sequence[Mapping[str, Any]], read: "Round") -> None:
    n, known = read.profile.n_papers, read.anchors
    if not result:
        display.say(_("Every paper is marked already."))
        return
    title = ngettext(
        "The paper to mark next (of {papers:,}), most informative first",
        "The {count} papers to mark next (of {papers:,}), most informative first",
        len(result),
    )
    if known is not None:
        title = ngettext(
            "The paper to mark next (of {papers:,}), in addition to the {marked} already marked, most informative "
            "first",
            "The {count} papers to mark next (of {papers:,}), in addition to the {marked} already marked, most "
            "informative first",
            len(result),
        )
    display.show_table(
        (_("paper"), _("code"), _("link"), _("place"), _("90% interval"), _("why")),
        [
            (
                row["paper"],
                *(row.get(name) for name in FINDING),
                f"{each.place}{'=' if each.shared else ''}",
                display.interval(row),
                each.reason,
            )
            for each, row in zip(result, rows, strict=True)
        ],
        title=title.format(count=len(result), papers=n, marked=0 if known is None else len(known)),
    )
