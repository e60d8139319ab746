"""What was measured, for people as tables and for machines as JSON."""

import json
import os
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from itertools import groupby
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from benchmarks.peers import standings
from benchmarks.peers.standings import Standing
from benchmarks.timing import Line, Measured, amount
from peerorder import __version__

__all__ = ["markdown", "show", "write_json"]

COLUMNS = ("what", "ours", "the other", "ratio", "target", "met")
PACKAGES = ("numpy", "scipy", "numba", "prefsampling")
STYLES = {"yes": "green", "MISSED": "bold red", "not measured": "bold yellow"}
Groups = Mapping[str, Sequence[Line | Standing]]


def show(groups: Groups) -> None:
    """Print who stands where, one table of ratios, and after it every target that was missed or not measured."""
    terminal = Console(highlight=False)
    if not terminal.is_terminal:
        terminal = Console(highlight=False, width=140)
    everybody = [standing for rows in groups.values() for standing in rows if isinstance(standing, Standing)]
    if everybody:
        terminal.print(_standings_table(everybody))
    table = Table(
        title="peerorder beside the others: best times, and their ratio",
        caption=_machine_line(groups),
        title_justify="left",
        caption_justify="left",
    )
    for column in COLUMNS[:3]:
        table.add_column(column, overflow="fold")
    for column in COLUMNS[3:]:
        table.add_column(column, justify="right", no_wrap=True)
    for lines in map(_lines, groups.values()):
        for line in lines:
            *cells, met = _cells(line)
            table.add_row(*cells, Text(met, STYLES.get(met, "")))
        table.add_section()
    terminal.print(table)
    every = [line for rows in groups.values() for line in _lines(rows)]
    for line in every:
        if line.met is False:
            found = _side(line.ours) if line.ratio is None else f"{_ratio(line.ratio)} of {_side(line.other)}"
            terminal.print(Text(f"TARGET MISSED: {line.what}: {found}, wanted {_target(line)}", STYLES["MISSED"]))
        if line.left_out:
            terminal.print(Text(f"NOT MEASURED: {line.what}: {line.left_out}", STYLES["not measured"]))
    targets = [line for line in every if line.has_target]
    terminal.print(f"{sum(line.met is True for line in targets)} of {len(targets)} targets met")


def _standings_table(everybody: Sequence[Standing]) -> Table:
    table = Table(title="who recovers how much, in which time and memory", title_justify="left")
    for column in standings.COLUMNS:
        table.add_column(column, overflow="fold")
    for _, together in groupby(everybody, key=lambda standing: standing.ballots):
        for standing in together:
            table.add_row(*standing.cells)
        table.add_section()
    return table


def markdown(groups: Groups) -> str:
    """Give the same tables as Markdown."""
    rows = [row for group in groups.values() for row in group]
    everybody = [row.cells for row in rows if isinstance(row, Standing)]
    lines = [_cells(row) for row in rows if isinstance(row, Line)]
    tables = [_markdown_table(standings.COLUMNS, 2, everybody)] if everybody else []
    return "\n\n".join([*tables, _markdown_table(COLUMNS, 3, lines), _machine_line(groups)])


def _markdown_table(columns: Sequence[str], texts: int, rows: Sequence[Sequence[str]]) -> str:
    under = ["---"] * texts + ["---:"] * (len(columns) - texts)
    return "\n".join(f"| {' | '.join(row)} |" for row in (columns, under, *rows))


def _lines(rows: Sequence[Line | Standing]) -> list[Line]:
    return [row for row in rows if isinstance(row, Line)]


def write_json(groups: Groups, path: Path) -> None:
    """Write the machine, the versions and every single timing."""
    content = {
        "machine": _machine(),
        "versions": _versions(groups),
        "groups": {name: [_plain(line) for line in lines] for name, lines in groups.items()},
    }
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def _plain(line: Line | Standing) -> dict[str, Any]:
    if isinstance(line, Standing):
        return line.plain
    return {
        "what": line.what,
        **{
            side: measured and {"name": measured.name, "unit": measured.unit, "values": measured.values}
            for side, measured in (("ours", line.ours), ("other", line.other))
        },
        "ratio": line.ratio,
        "at_most": line.at_most,
        "at_least": line.at_least,
        "met": line.met,
        "left_out": line.left_out,
    }


def _cells(line: Line) -> tuple[str, ...]:
    met = "not measured" if line.left_out else {None: "", True: "yes", False: "MISSED"}[line.met]
    return line.what, _side(line.ours), _side(line.other), _ratio(line.ratio), _target(line), met


def _side(side: Measured | None) -> str:
    return "" if side is None else f"{amount(side)}, {side.name}"


def _ratio(ratio: float | None) -> str:
    """Write a ratio far below one as a fraction, which is how people say it."""
    if ratio is None:
        return ""
    return f"{ratio:.2f}" if ratio >= 0.1 else f"1/{1 / ratio:.0f}"


def _target(line: Line) -> str:
    limit = line.at_most if line.at_least is None else line.at_least
    if limit is None:
        return ""
    sign = "<=" if line.at_least is None else ">="
    if line.other is None and line.ours is not None:
        return f"{sign} {limit:g} {line.ours.unit}"
    return f"{sign} {limit:g}" if limit >= 0.1 else f"{sign} {_ratio(limit)}"


def _machine() -> dict[str, Any]:
    loads = os.getloadavg() if hasattr(os, "getloadavg") else ()
    return {"cpu": _cpu(), "cores": os.cpu_count(), "system": platform.platform(), "load": loads}


def _machine_line(groups: Groups) -> str:
    versions = ", ".join(f"{name} {number}" for name, number in _versions(groups).items())
    return f"{_cpu()}, {os.cpu_count()} cores; {versions}"


def _cpu() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _versions(groups: Groups) -> dict[str, str]:
    """Give the versions here, and those in the other environments."""
    found = {"python": platform.python_version(), "peerorder": __version__}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    apart = (row for rows in groups.values() for row in rows if isinstance(row, Standing))
    # Ours is the one here; a row of its previous version says so itself.
    return found | {row.library: row.version for row in apart if row.version and row.library not in found}
