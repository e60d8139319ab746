"""``peerorder simulate``: a custom experiment."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from peerorder.cli import display, options
from peerorder.cli.first_use import prepare_rules
from peerorder.cli.kept_runs import check_shards, kept_runs, show_shard
from peerorder.core.translation import gettext as _

if TYPE_CHECKING:
    from peerorder.studies import Cell

__all__ = ["simulate"]

# Beyond this bundle size the law takes seconds and much memory.
LAW_UP_TO = 60
CELL = ("scheme", "n", "k", "noise")
COLUMNS = (*CELL, "rule", "recovered", "stderr", "runs", "law")


@click.command(short_help="Run an experiment of your own.")
@click.option("-n", "n", type=int, multiple=True, default=(1000,), show_default=True, help="Papers, and students.")
@click.option("-k", "k", type=int, multiple=True, default=(8,), show_default=True, help="Papers each student ranks.")
@click.option(
    "--scheme", "schemes", multiple=True, default=("random",), show_default=True, help="The allocation scheme."
)
@click.option("--noise", "noises", multiple=True, default=("perfect",), show_default=True, help="The noise model.")
@click.option(
    "--rule", "rules", multiple=True, default=(options.RULE, "borda"), show_default=True, help="How to merge."
)
@click.option("--runs", type=int, default=50, show_default=True, help="Repetitions of each setting.")
@options.seed
@options.engine
@options.shards
@click.option("--out", type=options.FILE, help="Write the table to this CSV file.")
@options.as_json
def simulate(
    n: tuple[int, ...],
    k: tuple[int, ...],
    schemes: tuple[str, ...],
    noises: tuple[str, ...],
    rules: tuple[str, ...],
    runs: int,
    seed: int,
    workers: int | None,
    engine: str,
    scheduler: str | None,
    shard: str | None,
    merge_shards: bool,
    out: Path | None,
    as_json: bool,
) -> None:
    """Simulate rounds of peer grading and measure the pairwise accuracy of each rule.

    -n, -k, --scheme, --noise and --rule may be repeated: every combination is run. The column
    `law` is the exact law of Borda on random bundles for a large class, where it applies.

    With --out, Ctrl-C keeps finished runs; the same command continues from there. With --shard, only the
    runs of that share are written, beside --out; when all shares are there, the same command with
    --merge-shards instead writes the table.

    Example: peerorder simulate -k 5 -k 8 --noise condorcet:level=50 --rule borda --rule rsd
    """
    from itertools import product

    from peerorder._version import __version__
    from peerorder.engines import open_engine
    from peerorder.files import check_output, output_directory, write_provenance, write_rows
    from peerorder.files.formats.kinds import SIMULATION
    from peerorder.studies import Cell, Shard, Study, run_kept, run_shard, run_studies, summary

    check_shards(shard, merge_shards, out)
    part = None if shard is None else Shard.parse(shard)
    cells = tuple(dict.fromkeys(Cell(*setting, rules) for setting in product(schemes, n, k, noises)))
    if out is not None:
        check_output(out, "--out", SIMULATION, "simulate")

    def rows(results: Any) -> list[dict[str, Any]]:
        return [
            {
                **{name: getattr(cell, name) for name in CELL},
                "rule": rule,
                **summary(done, rule),
                "law": _law(cell) if rule == "borda" else None,
            }
            for cell, done in results.items()
            for rule in cell.rules
        ]

    study = Study("simulate", "an experiment of one's own", cells, runs, COLUMNS, rows)
    study.planned(seed, runs)  # raises for a wrong seed or number of runs
    discard = None
    with open_engine(engine, workers, scheduler) as opened:
        prepare_rules(rules)
        with display.progress_bar(_("simulating")) as progress:
            common: dict[str, Any] = {"seed": seed, "engine": opened, "progress": progress}
            if out is None:
                results = run_studies([study], **common)
            else:
                with kept_runs(progress, out.parent):
                    output = {out.stem: study}
                    if part is not None:
                        journals = run_shard(output, output_directory(out.parent), part, **common)
                    else:
                        results, discard = run_kept(output, out.parent, **common, merge_shards=merge_shards)
    if part is not None:
        show_shard(part, journals, as_json)
        return
    table = rows(results["simulate"])
    if out is not None:
        about = {"cells": [cell.key for cell in cells], "rules": list(cells[0].rules), "seed": seed, "runs": runs}
        write_rows(out, COLUMNS, table)
        write_provenance(out, {"command": "simulate", **about, "version": __version__})
        if discard is not None:
            discard()
    if as_json:
        display.show_json(table)
        return
    _show(table)
    if out is not None:
        display.say(_("Wrote {files}.").format(files=display.with_provenance([out])))


def _law(cell: "Cell") -> float | None:
    """Return the exact law in percent, for random bundles, graders and classes to which it applies.

    In small classes Borda does better than the law: bundles overlap less than independent ones would.
    """
    from peerorder.noise import NOISES
    from peerorder.noise.crowd import CROWD
    from peerorder.theory import borda_law, smallest_n

    noise = NOISES.parse(cell.noise)
    crowded = any(noise.values.get(option.name) for option in CROWD)
    if cell.scheme != "random" or noise.name not in ("perfect", "condorcet") or crowded:
        return None
    if cell.k > LAW_UP_TO or cell.n < smallest_n(cell.k):
        return None
    return round(100 * borda_law(cell.k, noise=noise.values.get("level", 0) / 100), 3)


def _show(table: list[dict[str, Any]]) -> None:
    several = [key for key in CELL if len({row[key] for row in table}) > 1]
    names = {"scheme": _("scheme"), "noise": _("noise")}
    fixed = ", ".join(f"{names.get(key, key)} {table[0][key]}" for key in CELL if key not in several)
    heads = (_("rule"), _("recovered %"), _("stderr"), _("runs"), _("large-n law %"))
    columns = (*(names.get(key, key) for key in several), *heads)
    lines = [
        (
            *(row[key] for key in several),
            row["rule"],
            f"{row['recovered']:.2f}",
            "" if row["stderr"] is None else f"{row['stderr']:.2f}",
            row["runs"],
            None if row["law"] is None else f"{row['law']:.2f}",
        )
        for row in table
    ]
    display.show_table(columns, lines, title=fixed or None)
