"""What was measured, for people as one table and for machines as JSON."""

import json
import os
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from benchmarks.timing import Line, Measured

__all__ = ["markdown", "show", "write_json"]

COLUMNS = ("what", "ours", "the other", "ratio", "target", "met")
PACKAGES = ("peerorder", "numpy", "scipy", "numba", "prefsampling")
STYLES = {"yes": "green", "MISSED": "bold red", "not measured": "bold yellow"}
Groups = Mapping[str, Sequence[Line]]


def show(groups: Groups) -> None:
    """Print one table, and after it every target that was missed or not measured."""
    terminal = Console(highlight=False)
    if not terminal.is_terminal:
        terminal = Console(highlight=False, width=140)
    table = Table(
        title="peerorder beside the others: best processor times, and their ratio",
        caption=_machine_line(),
        title_justify="left",
        caption_justify="left",
    )
    for column in COLUMNS[:3]:
        table.add_column(column, overflow="fold")
    for column in COLUMNS[3:]:
        table.add_column(column, justify="right", no_wrap=True)
    for lines in groups.values():
        for line in lines:
            *cells, met = _cells(line)
            table.add_row(*cells, Text(met, STYLES.get(met, "")))
        table.add_section()
    terminal.print(table)
    every = [line for lines in groups.values() for line in lines]
    for line in every:
        if line.met is False:
            found = _side(line.ours) if line.ratio is None else f"{_ratio(line.ratio)} of {_side(line.other)}"
            terminal.print(Text(f"TARGET MISSED: {line.what}: {found}, wanted {_target(line)}", STYLES["MISSED"]))
        if line.left_out:
            terminal.print(Text(f"NOT MEASURED: {line.what}: {line.left_out}", STYLES["not measured"]))
    targets = [line for line in every if line.at_most is not None]
    terminal.print(f"{sum(line.met is True for line in targets)} of {len(targets)} targets met")


def markdown(groups: Groups) -> str:
    """Give the same table as Markdown."""
    rows = [COLUMNS, ("---",) * 3 + ("---:",) * 3, *(_cells(line) for lines in groups.values() for line in lines)]
    return "\n".join([*(f"| {' | '.join(row)} |" for row in rows), "", _machine_line()])


def write_json(groups: Groups, path: Path) -> None:
    """Write the machine, the versions and every single timing."""
    content = {
        "machine": _machine(),
        "versions": _versions(),
        "groups": {name: [_plain(line) for line in lines] for name, lines in groups.items()},
    }
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def _plain(line: Line) -> dict[str, Any]:
    return {
        "what": line.what,
        **{
            side: measured and {"name": measured.name, "unit": measured.unit, "values": measured.values}
            for side, measured in (("ours", line.ours), ("other", line.other))
        },
        "ratio": line.ratio,
        "at_most": line.at_most,
        "met": line.met,
        "left_out": line.left_out,
    }


def _cells(line: Line) -> tuple[str, ...]:
    met = "not measured" if line.left_out else {None: "", True: "yes", False: "MISSED"}[line.met]
    return line.what, _side(line.ours), _side(line.other), _ratio(line.ratio), _target(line), met


def _side(side: Measured | None) -> str:
    return "" if side is None else f"{_amount(side)}, {side.name}"


def _amount(side: Measured) -> str:
    if side.unit != "s":
        return f"{side.value:.0f} {side.unit}"
    for unit, scale in (("s", 1.0), ("ms", 1e3)):
        if side.value * scale >= 1:
            return f"{side.value * scale:.3g} {unit}"
    return f"{side.value * 1e6:.3g} us"


def _ratio(ratio: float | None) -> str:
    """Write a ratio far below one as a fraction, which is how people say it."""
    if ratio is None:
        return ""
    return f"{ratio:.2f}" if ratio >= 0.1 else f"1/{1 / ratio:.0f}"


def _target(line: Line) -> str:
    if line.at_most is None:
        return ""
    if line.other is None and line.ours is not None:
        return f"<= {line.at_most:g} {line.ours.unit}"
    return f"<= {line.at_most:g}" if line.at_most >= 0.1 else f"<= {_ratio(line.at_most)}"


def _machine() -> dict[str, Any]:
    loads = os.getloadavg() if hasattr(os, "getloadavg") else ()
    return {"cpu": _cpu(), "cores": os.cpu_count(), "system": platform.platform(), "load": loads}


def _machine_line() -> str:
    versions = ", ".join(f"{name} {number}" for name, number in _versions().items())
    return f"{_cpu()}, {os.cpu_count()} cores; {versions}"


def _cpu() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found
