"""``peerorder reproduce``: the tables and figures of Caragiannis et al. (2015), next to the printed numbers."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from peerorder.cli import display, options
from peerorder.cli.first_use import prepare_rules
from peerorder.cli.kept_runs import check_shards, kept_runs, show_shard
from peerorder.core.translation import gettext as _

if TYPE_CHECKING:
    from collections.abc import Sequence

    from peerorder.reports.claims import Check

__all__ = ["reproduce"]


@click.command(short_help="Reproduce the tables and figures of Caragiannis et al. (2015).")
@click.argument("studies", nargs=-1, metavar="[table1 figure2 table2 figure3 all robustness calibration plan real]")
@options.out_directory
@click.option("--data", type=click.Path(path_type=Path), help="For `real`: the folder with the exercises.")
@click.option(
    "--half",
    type=click.Choice(["held-out", "tuning"]),
    help="For `real`: only this half of the exercises. Rules are tuned on `tuning` and tested on `held-out`.  "
    "[default: both]",
)
@click.option(
    "--runs",
    type=int,
    default=None,
    help="Runs of each setting.  [default: 50; 500 for figure3, 20 for robustness, 10 for calibration, 2 for plan and "
    "real]",
)
@options.seed
@options.engine
@options.shards
@options.as_json
def reproduce(
    studies: tuple[str, ...],
    out: Path,
    data: Path | None,
    half: str | None,
    runs: int | None,
    seed: int,
    workers: int | None,
    engine: str,
    scheduler: str | None,
    shard: str | None,
    merge_shards: bool,
    as_json: bool,
) -> None:
    """Run the experiments of Caragiannis et al. (2015), and show each number next to the printed one.

    `all` stands for the article's four. Others only by name: `robustness`, every rule in many
    scenarios of graders, and what a colluding team gains (that alone: `collusion`); `calibration`, how
    often the intervals of posterior contain the truth, and how well it estimates reliabilities; `plan`,
    the simulations behind `peerorder plan`; and `real`, how well every rule predicts judgements of real
    people, some held out, in the files of --data: decisions between two papers (CSV with the columns
    judge, candidate_chosen, candidate_not_chosen) and lists (CSV with grader, paper, rank, or .soc and
    .toc files of PrefLib).

    Writes CSV, figures (SVG and PNG) and one page, index.html, into --out. Ctrl-C keeps finished
    runs; the same command continues from there. The numbers do not depend on --workers or --engine.

    With --shard, only the runs of that share are written, into --out; when all shares are there, the same
    command with --merge-shards instead writes the rest.

    Example: peerorder reproduce all --out out
    """
    from functools import partial

    from peerorder.core.errors import PartlyDone
    from peerorder.engines import open_engine
    from peerorder.reports.directory import write_page
    from peerorder.studies import GROUPS, Shard, reproduce as run, reproduce_shard, run_real

    named = list(studies or ["all"])
    names = [each for name in named for each in GROUPS.get(name, (name,))]
    simulated = [name for name in names if name != "real"]
    if "real" in names and data is None:
        raise click.UsageError(_("real needs --data, the folder with the exercises"))
    check_shards(shard, merge_shards, out)
    if half is not None and "real" not in names:
        raise click.UsageError(_("--half applies only to the study real"))
    if "real" in names and (shard or merge_shards):
        raise click.UsageError(_("real has no shards; run it separately"))
    part = None if shard is None else Shard.parse(shard)
    tables: dict[str, list[dict[str, Any]]] = {}
    left_out: list[str] = []
    with open_engine(engine, workers, scheduler) as opened:
        if {"robustness", "real"} & set(names):
            prepare_rules([options.RULE])
        common: dict[str, Any] = {"seed": seed, "runs": runs, "engine": opened}
        with display.progress_bar(_("reproducing")) as bar, kept_runs(bar, out):
            if part is not None:
                show_shard(part, reproduce_shard(simulated, out, part, **common, progress=bar), as_json)
                return
            if simulated:
                draw = partial(bar.stage, _("drawing"))
                tables = run(simulated, out, **common, merge_shards=merge_shards, progress=bar, drawing=draw)
        if data is not None and "real" in names:
            with display.progress_bar(_("real people")) as bar:
                try:
                    tables["real"], left_out = run_real(
                        data, out, half=half, seed=seed, splits=runs, engine=opened, progress=bar
                    )
                except KeyboardInterrupt:
                    raise PartlyDone(_("stopped; nothing was written about real people")) from None
    page = write_page(out)
    if as_json:
        display.show_json({"page": str(page), "tables": tables, **({"left_out": left_out} if left_out else {})})
        return
    _show(tables, page)
    if left_out:
        display.say(_("Skipped (no judgements, too few or too many): {files}").format(files=", ".join(left_out)))


def _show(tables: dict[str, list[dict[str, Any]]], page: Path) -> None:
    """Show every promise, how many numbers keep it, and the furthest off."""
    from peerorder.reports.acceptance import target_checks
    from peerorder.reports.comparison import checks
    from peerorder.reports.deviations import explanation
    from peerorder.reports.reproduction import promises
    from peerorder.studies import exact_law, exact_noisy_law

    for name in ("table1", "table2"):
        if name in tables:
            _show_beside_the_paper(name, tables[name])
    laws = exact_law(tables.get("figure2", ())), exact_noisy_law(tables.get("table2", ()))
    result = checks(tables, *laws) + target_checks(tables.get("robustness", ()))
    _show_checks(_("check"), result)
    for each in result:
        for comparison in each.beyond:
            display.say(f"**{each.name}:** {explanation(comparison)}")
    _show_checks(_("promise"), promises(tables))
    if "real" in tables:
        _show_real(tables["real"])
    display.say(_("The whole report: `{file}`").format(file=page))


def _show_checks(kind: str, result: "Sequence[Check[Any]]") -> None:
    """Show each criterion, how many numbers meet it, and the furthest off."""
    rows = [
        (
            f"{each.name}\n({each.criterion})",
            _("{kept} of {all}").format(kept=each.within, all=each.compared),
            each.worst.sentence,
        )
        for each in result
    ]
    if rows:
        display.show_table((kind, _("kept"), _("nearest to its limit")), rows)


def _show_beside_the_paper(name: str, rows: list[dict[str, Any]]) -> None:
    """Show a table laid out as in the article: our number, and the printed one in brackets below it."""
    across, down = (("scheme", "rule"), ("k", "n")) if name == "table1" else (("rule",), ("k", "noise"))
    columns = dict.fromkeys(tuple(row[key] for key in across) for row in rows)
    cells = {tuple(row[key] for key in (*down, *across)): row for row in rows}
    lines = []
    for line in dict.fromkeys(tuple(row[key] for key in down) for row in rows):
        result = [cells.get((*line, *column)) for column in columns]
        lines.append((*line, *("" if row is None else _beside(row) for row in result)))
    heads = ["\n".join(column) for column in columns]
    title = {
        "table1": _("Table 1, perfect grading: % recovered (as printed in the article)"),
        "table2": _("Table 2, imperfect grading: % recovered (as printed in the article)"),
    }[name]
    display.show_table((*down, *heads), lines, title=title)


def _beside(row: dict[str, Any]) -> str:
    return f"{row['recovered']:.2f}\n" + (f"({row['paper']:.1f})" if row["paper"] is not None else "")


def _show_real(rows: list[dict[str, Any]]) -> None:
    """Show every measure of every rule, with the paired difference of posterior below it."""
    from peerorder.core.translation import translate
    from peerorder.reports.real import DIGITS, TITLES, difference_text, groups
    from peerorder.studies.real_summary import summarise

    trains = sorted({row["train"] for row in rows})
    columns = (_("rule"), *(_("trained on {percent}%").format(percent=train) for train in trains))
    for kind, half, title in groups(rows):
        for measure, digits in DIGITS.items():
            lines = [
                (rule, *(f"{cell.mean.value:.{digits}f}\n{difference_text(cell, digits)}" for cell in cells))
                for rule, cells in summarise(rows, kind, half, measure).items()
            ]
            if lines:
                display.show_table(columns, lines, title=f"**{title}.** {translate(TITLES[measure])}")
    display.say(
        _(
            "Below each number: posterior less this rule, mean over exercises ± its standard error; * beyond two "
            "standard errors."
        )
    )
