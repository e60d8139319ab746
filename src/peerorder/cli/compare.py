"""``peerorder compare``: every rule side by side on the same rankings."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from peerorder.cli import display, options, skipped_rows
from peerorder.cli.first_use import prepare_rules

if TYPE_CHECKING:
    from peerorder.rounds.round import Round
    from peerorder.studies.rule_comparison import RuleComparison

__all__ = ["compare"]

TABLES = ("agreement.csv", "places.csv", "foretold.csv")
# Papers that are shown; all of them are in places.csv.
SHOWN = 10


@click.command(short_help="Every rule side by side on the same rankings.")
@options.rankings()
@click.option("--rule", "rules", multiple=True, help="A rule to compare; may be repeated.  [default: all of them]")
@options.round_files
@click.option("--splits", type=int, default=10, show_default=True, help="How often papers are held out.")
@options.staff_weight
@options.seed
@options.workers
@click.option("--out", type=options.FILE, help="Write tables and a figure (SVG and PNG) into this directory.")
@options.as_json
def compare(**given: Any) -> None:
    """Merge the same rankings by every rule: how far they agree, and about which papers they do not.

    Then hold out two papers of every ballot, merge the rest, and see which rule foretells best which
    of the two the grader put first: that rule understands these graders best.

    Example: peerorder compare rankings.csv --roster roster.csv --out comparison
    """
    from peerorder.rounds.grading import staff_times
    from peerorder.rules import RULES
    from peerorder.studies.rule_comparison import compare_rules, feasible

    rules, splits, out = given["rules"], given["splits"], given["out"]
    for rule in rules:
        RULES.parse(rule)  # complains before anything is read
    if out is not None:
        from peerorder.files import check_output, output_directory
        from peerorder.files.formats.kinds import COMPARISON

        output_directory(out)
        for name in TABLES:
            check_output(out / name, "--out", COMPARISON, "compare")
    read = options.read_ballots(given)
    times = staff_times(read, given["staff_weight"])
    run, left_out = (rules, ()) if rules else feasible(read.profile.n_papers)
    if not rules:
        display.announce(f"Comparing {len(run)} rules, each on {splits} splits; this can take a minute or more.")
    prepare_rules(run)
    with display.progress_bar("merging") as progress:
        found = compare_rules(
            read.profile,
            run,
            splits=splits,
            seed=given["seed"],
            workers=given["workers"],
            times=times,
            progress=progress,
        )
    if out is not None:
        settings = {name: given[name] for name in ("splits", "staff_weight", "seed", "lenient", "upside_down")}
        _write(out, read, found, {"command": "compare", "rules": list(found.rules), **settings})
    if given["as_json"]:
        display.show_json(_summary(read, found, left_out))
    else:
        _show(read, found, left_out)
        if out is not None:
            display.say(f"Written into `{out}`: {', '.join(TABLES)}, compare.svg and compare.png")
    skipped_rows.raise_left_out(read.dropped, read)


# Tables.


def _agreement(found: "RuleComparison") -> dict[str, Any]:
    columns = {rule: (100 * found.agreement[:, at]).round(2) for at, rule in enumerate(found.rules)}
    return {"rule": list(found.rules), **columns}


def _places(read: "Round", found: "RuleComparison", papers: Sequence[int]) -> dict[str, Any]:
    columns = {rule: found.places[papers, at] for at, rule in enumerate(found.rules)}
    return {"paper": [read.papers[at] for at in papers], "spread": found.spread[papers].round(2), **columns}


def _foretold(found: "RuleComparison") -> dict[str, Any]:
    return {
        "rule": [each.rule for each in found.foretold],
        "foretold": [_rounded(each.share) for each in found.foretold],
        "stderr": [_rounded(each.stderr) for each in found.foretold],
        "behind": [_rounded(each.behind) for each in found.foretold],
        "behind_stderr": [_rounded(each.behind_stderr) for each in found.foretold],
        "among_the_best": ["yes" if each.among_the_best else "no" for each in found.foretold],
    }


def _rounded(value: float) -> float | None:
    """To two digits; None for a standard error that a single grader does not have."""
    return round(value, 2) if value != float("inf") else None


def _by_spread(read: "Round", found: "RuleComparison") -> list[int]:
    """Papers by falling disagreement, equal ones by their id."""
    spread = found.spread.tolist()
    return sorted(range(len(spread)), key=lambda at: (-spread[at], read.papers[at]))


def _write(out: Path, read: "Round", found: "RuleComparison", about: dict[str, Any]) -> None:
    from peerorder._version import __version__
    from peerorder.files import write_provenance, write_table
    from peerorder.studies.comparison_figure import figure_comparison
    from peerorder.studies.figure_style import save

    figure = figure_comparison(found)
    tables = (_agreement(found), _places(read, found, _by_spread(read, found)), _foretold(found))
    for name, table in zip(TABLES, tables, strict=True):
        write_table(out / name, table)
        write_provenance(out / name, {**about, "version": __version__, "inputs": read.input_records})
    save(figure, out / "compare")


def _summary(read: "Round", found: "RuleComparison", left_out: Sequence[str]) -> dict[str, Any]:
    return {
        "rules": list(found.rules),
        "left_out": list(left_out),
        "verdict": found.verdict,
        "foretold": display.records(_foretold(found)),
        "pairs": found.pairs,
        "splits": found.splits,
        "agreement": {rule: dict(zip(found.rules, row, strict=True)) for rule, row in _rows(found)},
        "papers": display.records(_places(read, found, _by_spread(read, found))),
        "notes": list(read.notes),
        "dropped": [*map(str, read.dropped)],
    }


def _rows(found: "RuleComparison") -> list[tuple[str, list[float]]]:
    return [(rule, (100 * found.agreement[at]).round(2).tolist()) for at, rule in enumerate(found.rules)]


# What people see.


def _show(read: "Round", found: "RuleComparison", left_out: Sequence[str]) -> None:
    skipped_rows.show(read.dropped, read.notes)
    if left_out:
        names = ", ".join(f"`{rule}`" for rule in left_out)
        display.say(
            f"Not run, because {read.profile.n_papers:,} papers would take too long: {names}. --rule runs them."
        )
    if len(found.rules) > 1:
        _show_agreement(found)
        _show_papers(read, found)
    if found.foretold:
        display.show_table(
            ("rule", "foretold %", "behind the best"),
            [(each.rule, _with_error(each.share, each.stderr), _behind(each)) for each in found.foretold],
            title=f"**Held-out pairs foretold** ({found.pairs:,} pairs in {found.splits} splits)",
        )
        if any(each.behind for each in found.foretold):
            display.say("Within the error: not further behind the best than twice the number after the ±.")
    display.say(f"**{found.verdict}**")
    if advice := _advice(found):
        display.say(advice)


def _advice(found: "RuleComparison") -> str:
    """What to do about the verdict: nothing where the default rule is among the best."""
    best = [each.rule for each in found.foretold if each.among_the_best]
    if len(found.foretold) < 2 or options.RULE not in found.rules:
        return ""
    if options.RULE in best:
        return f"`{options.RULE}`, by which `peerorder grade` merges, is among the best: there is no reason to change."
    return (
        f"`peerorder grade --rule {best[0]}` would merge by it. Only `{options.RULE}` says how sure it is of places "
        f"and graders, so change if the places above differ much, and before anybody has seen marks."
    )


def _show_agreement(found: "RuleComparison") -> None:
    """By number across: a terminal has no room for fifteen names."""
    numbers = range(1, len(found.rules) + 1)
    lines = [
        (at, rule, *("" if i == at else f"{share:.0f}" for i, share in enumerate(row, 1)))
        for at, (rule, row) in zip(numbers, _rows(found), strict=True)
    ]
    title = "**Pairs of papers in the same order** (%), rules by number across"
    display.show_table(("", "rule", *map(str, numbers)), lines, title, narrow=True)
    display.say("")


def _show_papers(read: "Round", found: "RuleComparison") -> None:
    most = [at for at in _by_spread(read, found)[:SHOWN] if found.spread[at] > 0]
    if not most:
        display.say("All rules give the same order.")
        return
    display.show_table(
        ("paper", *map(str, range(1, len(found.rules) + 1))),
        [(read.papers[at], *found.places[at].tolist()) for at in most],
        title="**Papers the rules disagree about most:** the place under each rule",
        narrow=True,
    )
    display.say("")


def _with_error(value: float, error: float) -> str:
    return f"{value:.1f}" + (f" ± {error:.1f}" if error != float("inf") else "")


def _behind(each: Any) -> str:
    if each.behind == 0:
        return ""
    return _with_error(each.behind, each.behind_stderr) + (" (within the error)" if each.among_the_best else "")
