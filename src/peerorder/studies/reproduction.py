"""Reproduction of Caragiannis et al. (2015): run its studies, and write tables, figures and provenance."""

from collections.abc import Callable, Sequence
from pathlib import Path

from peerorder._version import __version__
from peerorder.engines import Engine
from peerorder.files import output_directory, write_provenance, write_rows
from peerorder.studies.catalogue import study
from peerorder.studies.journal import code_digest
from peerorder.studies.kept import Shard, run_kept, run_shard
from peerorder.studies.runner import Row, Study
from peerorder.theory import borda_law

__all__ = ["exact_law", "exact_noisy_law", "reproduce", "reproduce_shard"]


def reproduce(
    names: Sequence[str],
    out: Path,
    *,
    seed: int = 0,
    runs: int | None = None,
    engine: Engine | None = None,
    merge_shards: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,  # noqa: ARG005
    drawing: Callable[[], None] = lambda: None,
) -> dict[str, list[Row]]:
    """Run the named studies and write their CSVs and figures into ``out``; return the rows of each table by its name.

    Finished runs are kept in ``out`` as they come: after an interrupt the same call goes on from there.
    ``progress(done, total)`` is called after every run, ``drawing()`` before the tables and figures are made.
    With ``merge_shards`` the runs are those of all shards, which must be in ``out``.
    """
    studies = _studies(names, seed, runs)
    results, discard = run_kept(
        studies, out, seed=seed, runs=runs, engine=engine, merge_shards=merge_shards, progress=progress
    )
    drawing()
    tables = {}
    for each in studies.values():
        provenance = {
            "study": each.name,
            "runs": each.runs if runs is None else runs,
            "seed": seed,
            "version": __version__,
            "code": code_digest(),
        }
        for table in each.tables:
            rows = tables[table.name] = table.rows(results[each.name])
            path = out / f"{table.name}.csv"
            write_rows(path, table.columns, rows)
            write_provenance(path, provenance)
            _draw(table.name, rows, out)
    discard()
    return tables


def reproduce_shard(
    names: Sequence[str],
    out: Path,
    shard: Shard,
    *,
    seed: int = 0,
    runs: int | None = None,
    engine: Engine | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,  # noqa: ARG005
) -> list[Path]:
    """Run one shard of the named studies, and write its journals alone into ``out``; return their paths."""
    studies = _studies(names, seed, runs)
    output_directory(out)
    return run_shard(studies, out, shard, seed=seed, runs=runs, engine=engine, progress=progress)


def _studies(names: Sequence[str], seed: int, runs: int | None) -> dict[str, Study]:
    studies = {name: study(name) for name in names}
    for each in studies.values():
        each.planned(seed, runs)  # raises for a wrong seed or number of runs before anything is written
    return studies


def exact_law(rows: Sequence[Row]) -> dict[int, float]:
    """Return the exact law of Borda, in percent, for every k of Figure 2."""
    return {k: 100 * borda_law(k) for k in sorted({row["k"] for row in rows})}


def exact_noisy_law(rows: Sequence[Row]) -> dict[tuple[int, float], float]:
    """Return the exact law of Borda, in percent, for every k and noise level of Table 2."""
    cells = sorted({(row["k"], row["noise"]) for row in rows})
    return {(k, noise): 100 * borda_law(k, noise=noise / 100) for k, noise in cells}


def _draw(name: str, rows: list[Row], out: Path) -> None:
    from peerorder.studies import figures  # loads matplotlib
    from peerorder.studies.calibration_figures import figure_calibration, figure_reliability
    from peerorder.studies.collusion_figure import figure_collusion
    from peerorder.studies.heatmap import figure_robustness

    drawn = {
        "figure2": lambda: figures.figure2(rows, exact_law(rows)),
        "figure3": lambda: figures.figure3(rows),
        "table2": lambda: figures.figure_table2(rows),
        "robustness": lambda: figure_robustness(rows),
        "collusion": lambda: figure_collusion(rows),
        "calibration": lambda: figure_calibration(rows),
        "reliability": lambda: figure_reliability(rows),
    }
    if name in drawn:
        figures.save(drawn[name](), out / name)
