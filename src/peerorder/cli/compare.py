"""``peerorder compare``: every rule side by side on the same rankings."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from peerorder.cli import display, options, skipped_rows
from peerorder.cli.first_use import prepare_rules
from peerorder.core.translation import gettext as _, ngettext

if TYPE_CHECKING:
    from peerorder.rounds.round import Round
    from peerorder.studies.rule_comparison import RuleComparison

__all__ = ["compare"]

TABLES = ("agreement.csv", "places.csv", "predicted.csv")
# Papers that are shown; all are in places.csv.
SHOWN = 10


@click.command(short_help="Compare every rule on the same rankings.")
@options.rankings()
@click.option("--rule", "rules", multiple=True, help="A rule to compare; may be repeated.  [default: all]")
@options.round_files
@click.option("--splits", type=int, default=10, show_default=True, help="How often papers are held out.")
@options.staff_weight
@options.seed
@options.engine
@click.option("--out", type=options.FILE, help="Write tables and a figure (SVG and PNG) into this directory.")
@options.as_json
def compare(**given: Any) -> None:
    """Merge the same rankings by every rule: how far they agree, and on which papers they do not.

    Then hold out two papers of every ballot, merge the rest, and see which rule best predicts which of
    the two the grader put first.

    Example: peerorder compare rankings.csv --roster roster.csv --out comparison
    """
    from peerorder.engines import open_engine
    from peerorder.rounds.grading import staff_times
    from peerorder.rules import RULES
    from peerorder.studies.rule_comparison import compare_rules, feasible

    rules, splits, out = given["rules"], given["splits"], given["out"]
    for rule in rules:
        RULES.parse(rule)  # raises before anything is read
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
        text = _("Comparing {rules} rules, each on {splits} splits; this can take a minute or more.")
        display.announce(text.format(rules=len(run), splits=splits))
    prepare_rules(run)
    with (
        open_engine(given["engine"], given["workers"], given["scheduler"]) as engine,
        display.progress_bar(_("merging")) as progress,
    ):
        result = compare_rules(
            read.profile,
            run,
            splits=splits,
            seed=given["seed"],
            engine=engine,
            times=times,
            progress=progress,
        )
    if out is not None:
        settings = {name: given[name] for name in ("splits", "staff_weight", "seed", "lenient", "upside_down")}
        _write(out, read, result, {"command": "compare", "rules": list(result.rules), **settings})
    if given["as_json"]:
        display.show_json(_summary(read, result, left_out))
    else:
        _show(read, result, left_out)
        if out is not None:
            files = display.join_with_and([*TABLES, "compare.svg", "compare.png"])
            display.say(_("Wrote {files} into `{folder}`.").format(files=files, folder=out))
    skipped_rows.raise_left_out(read.dropped, read)


# Tables.


def _agreement(result: "RuleComparison") -> dict[str, Any]:
    columns = {rule: (100 * result.agreement[:, index]).round(2) for index, rule in enumerate(result.rules)}
    return {"rule": list(result.rules), **columns}


def _places(read: "Round", result: "RuleComparison", papers: Sequence[int]) -> dict[str, Any]:
    columns = {rule: result.places[papers, index] for index, rule in enumerate(result.rules)}
    return {"paper": [read.papers[index] for index in papers], "spread": result.spread[papers].round(2), **columns}


def _predictions(result: "RuleComparison") -> dict[str, Any]:
    return {
        "rule": [each.rule for each in result.predictions],
        "predicted": [_rounded(each.share) for each in result.predictions],
        "stderr": [_rounded(each.stderr) for each in result.predictions],
        "behind": [_rounded(each.behind) for each in result.predictions],
        "behind_stderr": [_rounded(each.behind_stderr) for each in result.predictions],
        "among_the_best": ["yes" if each.among_the_best else "no" for each in result.predictions],
    }


def _rounded(value: float) -> float | None:
    """Round to two digits; None for a standard error that a single grader does not have."""
    return round(value, 2) if value != float("inf") else None


def _by_spread(read: "Round", result: "RuleComparison") -> list[int]:
    """Return papers by falling disagreement, equal ones by their id."""
    spread = result.spread.tolist()
    return sorted(range(len(spread)), key=lambda index: (-spread[index], read.papers[index]))


def _write(out: Path, read: "Round", result: "RuleComparison", about: dict[str, Any]) -> None:
    from peerorder._version import __version__
    from peerorder.files import write_provenance, write_table
    from peerorder.studies.comparison_figure import figure_comparison
    from peerorder.studies.figure_style import save

    figure = figure_comparison(result)
    tables = (_agreement(result), _places(read, result, _by_spread(read, result)), _predictions(result))
    for name, table in zip(TABLES, tables, strict=True):
        write_table(out / name, table)
        write_provenance(out / name, {**about, "version": __version__, "inputs": read.input_records})
    save(figure, out / "compare")


def _summary(read: "Round", result: "RuleComparison", left_out: Sequence[str]) -> dict[str, Any]:
    return {
        "rules": list(result.rules),
        "left_out": list(left_out),
        "verdict": result.verdict,
        "predicted": display.records(_predictions(result)),
        "pairs": result.pairs,
        "splits": result.splits,
        "agreement": {rule: dict(zip(result.rules, row, strict=True)) for rule, row in _rows(result)},
        "papers": display.records(_places(read, result, _by_spread(read, result))),
        "notes": skipped_rows.translate_notes(read.notes),
        "dropped": [*map(str, read.dropped)],
    }


def _rows(result: "RuleComparison") -> list[tuple[str, list[float]]]:
    return [(rule, (100 * result.agreement[index]).round(2).tolist()) for index, rule in enumerate(result.rules)]


# What people see.


def _show(read: "Round", result: "RuleComparison", left_out: Sequence[str]) -> None:
    skipped_rows.show(read.dropped, read.notes)
    if left_out:
        names = ", ".join(f"`{rule}`" for rule in left_out)
        text = _("Not run, because {papers:,} papers would take too long: {rules}. To run one, name it with --rule.")
        display.say(text.format(papers=read.profile.n_papers, rules=names))
    if len(result.rules) > 1:
        _show_agreement(result)
        _show_papers(read, result)
    if result.predictions:
        display.show_table(
            (_("rule"), _("predicted %"), _("behind the best")),
            [(each.rule, _with_error(each.share, each.stderr), _behind(each)) for each in result.predictions],
            title=ngettext(
                "**Held-out pairs predicted correctly** ({pairs:,} pairs in {splits:,} split)",
                "**Held-out pairs predicted correctly** ({pairs:,} pairs in {splits:,} splits)",
                result.splits,
            ).format(pairs=result.pairs, splits=result.splits),
        )
        if any(each.behind for each in result.predictions):
            display.say(_("Within the margin of error: no further behind the best than twice the number after the ±."))
    display.say(f"**{result.verdict}**")
    if advice := _advice(result):
        display.say(advice)


def _advice(result: "RuleComparison") -> str:
    """Return what to do about the verdict: nothing where the default rule is among the best."""
    best = [each.rule for each in result.predictions if each.among_the_best]
    if len(result.predictions) < 2 or options.RULE not in result.rules:
        return ""
    if options.RULE in best:
        text = _("`{rule}`, the default of `peerorder grade`, is among the best: there is no reason to change.")
        return text.format(rule=options.RULE)
    text = _(
        "`peerorder grade --rule {best}` uses it. Only `{rule}` estimates how certain places and graders are, so "
        "change only if the places above differ much, and before anybody has seen marks."
    )
    return text.format(best=best[0], rule=options.RULE)


def _show_agreement(result: "RuleComparison") -> None:
    """Show rules by number across: a terminal has no room for fifteen names."""
    numbers = range(1, len(result.rules) + 1)
    lines = [
        (index, rule, *("" if i == index else f"{share:.0f}" for i, share in enumerate(row, 1)))
        for index, (rule, row) in zip(numbers, _rows(result), strict=True)
    ]
    title = _("**Pairs of papers in the same order** (%); the columns are the rules, by number")
    display.show_table(("", _("rule"), *map(str, numbers)), lines, title, narrow=True)
    display.say("")


def _show_papers(read: "Round", result: "RuleComparison") -> None:
    most = [index for index in _by_spread(read, result)[:SHOWN] if result.spread[index] > 0]
    if not most:
        display.say(_("All rules give the same order."))
        return
    display.show_table(
        (_("paper"), *map(str, range(1, len(result.rules) + 1))),
        [(read.papers[index], *result.places[index].tolist()) for index in most],
        title=_("**Papers on which the rules disagree most:** the place under each rule"),
        narrow=True,
    )
    display.say("")


def _with_error(value: float, error: float) -> str:
    return f"{value:.1f}" + (f" ± {error:.1f}" if error != float("inf") else "")


def _behind(each: Any) -> str:
    if each.behind == 0:
        return ""
    behind = _with_error(each.behind, each.behind_stderr)
    return _("{behind} (within error)").format(behind=behind) if each.among_the_best else behind
