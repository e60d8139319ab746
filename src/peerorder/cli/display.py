"""Output in a terminal: sentences, tables, progress with time left, JSON."""

import json
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

from peerorder.core.text import count, join_with_and, shortlist
from peerorder.core.translation import gettext as _, pgettext

__all__ = [
    "GAP",
    "Reporter",
    "Say",
    "announce",
    "console",
    "count",
    "finite",
    "interval",
    "join_with_and",
    "merging",
    "progress_bar",
    "records",
    "say",
    "say_names",
    "show_entry",
    "show_json",
    "show_plain",
    "show_table",
    "silent",
    "some",
    "with_provenance",
    "working",
]


Say = Callable[[str], None]
# More names than this are counted.
NAMED = 10
GAP = "..."
"""Shown in a table in place of omitted rows."""


def some(names: Sequence[str]) -> str:
    """Return the first names, and how many more there are."""
    return shortlist(names, NAMED)


def with_provenance(paths: Sequence[object]) -> str:
    """Return the names of files, each with its provenance file."""
    from peerorder.files.formats.writing import PROVENANCE

    names = [f"`{path}`" for path in paths]
    if len(names) == 1:
        return join_with_and([*names, f"`{paths[0]}{PROVENANCE}`"])
    return _("{files}, each with its `{suffix}`").format(files=join_with_and(names), suffix=PROVENANCE)


def console(stderr: bool = False) -> "Console":
    """Return the console; its output is plain text where it is not a terminal."""
    from rich.console import Console

    class Terminal(Console):
        def on_broken_pipe(self) -> None:
            # rich would exit with code 1; a reader who closes the pipe is not an error.
            raise BrokenPipeError

    # Where stderr is now: a bar stays there while what is measured by it writes elsewhere.
    return Terminal(file=sys.stderr if stderr else None, highlight=False)


def say(text: str) -> None:
    """Print a sentence, wrapped to the terminal; ``**so**`` is bold and `` `so` `` a command."""
    import re

    from rich.text import Text

    line = Text()
    body = text.lstrip()
    indent = len(text) - len(body)
    for part in re.split(r"(\*\*.+?\*\*|`.+?`)", body):
        if part.startswith("**"):
            line.append(part[2:-2], "bold")
        elif part.startswith("`"):
            line.append(part[1:-1], "cyan")
        else:
            line.append(part)
    _print_wrapped(line, indent, indent)


def _print_wrapped(line: "Text", first: int, rest: int) -> None:
    """Print text with the first line and the others indented, and no blanks at their ends."""
    from rich.text import Text

    terminal = console()
    for index, part in enumerate(line.wrap(terminal, max(terminal.width - max(first, rest), 1)) or [line]):
        part.rstrip()
        terminal.print(Text(" " * (rest if index else first)) + part)


def say_names(names: Sequence[str], text: str) -> None:
    """Print how many did something (``{count}``) and their names (``{names}``); nothing where nobody did."""
    if names:
        say(text.format(count=len(names), names=some(names)))


def announce(text: str) -> None:
    """Print on stderr that something takes a while, where no progress bar can show it."""
    if not console(stderr=True).is_terminal:
        click.echo(text, err=True)


def silent(text: str) -> None:
    """Print nothing: for JSON output."""


def show_plain(text: str) -> None:
    """Print text as it is."""
    click.echo(text)


def show_json(value: Any) -> None:
    """Print a value as JSON."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False))


def records(table: Mapping[str, Any], part: slice = slice(None)) -> list[dict[str, Any]]:
    """Return the rows of a table, or a part, for JSON; NaN becomes None."""
    columns = [values[part].tolist() if hasattr(values, "tolist") else values[part] for values in table.values()]
    return [
        {name: None if value != value else value for name, value in zip(table, row, strict=True)}
        for row in zip(*columns, strict=True)
    ]


def finite(values: Mapping[str, float]) -> dict[str, float | None]:
    """Return numbers for JSON, which has no infinity: None instead."""
    return {name: value if math.isfinite(value) else None for name, value in values.items()}


def interval(row: Mapping[str, Any]) -> str | None:
    """Format an interval of places; None where the rule has none."""
    return None if row.get("low") is None else _("{low} to {high}").format(**row)


def show_table(
    columns: Sequence[str], rows: Sequence[Sequence[object]], title: str | None = None, narrow: bool = False
) -> None:
    """Print a table without columns that are None in every row.

    Columns of numbers are aligned to the right. A narrow table has no vertical lines.
    """
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    if title:
        say(title)
    table = Table(box=SIMPLE_HEAD, padding=0, show_edge=False) if narrow else Table()
    known = [index for index in range(len(columns)) if not rows or any(row[index] not in (None, GAP) for row in rows)]
    for index in known:
        numeric = all(_is_number(row[index]) for row in rows)
        table.add_column(columns[index], justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text("" if row[index] is None else str(row[index])) for index in known))
    console().print(table)


def show_entry(name: str, summary: str, details: Sequence[tuple[str, str]]) -> None:
    """Print a name with its summary, then its details, indented, one line each."""
    from rich.text import Text

    _print_wrapped(Text.assemble((name, "bold"), f"  {summary}"), 0, 2)
    for key, value in details:
        _print_wrapped(Text.assemble((key, "cyan"), f"  {value}"), 4, 6)


def _is_number(value: object) -> bool:
    text = str(value)
    if value is None or text == GAP:
        return True  # what is left out stands like the rest
    try:
        float(text.replace("+-", "").removesuffix("=").split()[0] if text.strip() else 0)
    except ValueError:
        return False
    return True


@contextmanager
def merging(rules: Iterable[str]) -> Iterator[None]:
    """Show a spinner on stderr while rankings are merged; before that a bar, if code must be compiled."""
    from peerorder.cli.first_use import prepare_rules

    prepare_rules(rules)
    with working(_("merging")):
        yield


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show a spinner on stderr while something takes a while."""
    terminal = console(stderr=True)
    if terminal.is_terminal:
        with terminal.status(what):
            yield
    else:
        yield


class Reporter:
    """A receiver of progress: ``reporter(done, total)``, and ``reporter.stage(what)`` for what comes next."""

    def __init__(self, update: Callable[..., None], what: str = "") -> None:
        self._update = update
        self._what = what
        self.done = self.total = 0

    def __call__(self, done: int, total: int | None) -> None:
        """Report how much is done."""
        if done and not self.done:
            self.stage(self._what)
        self.done, self.total = done, total or 0
        self._update(completed=done, total=total)

    def stage(self, what: str) -> None:
        """Report what is being done now."""
        self._update(description=what)


@contextmanager
def progress_bar(what: str, waiting: str | None = None) -> Iterator[Reporter]:
    """Show a bar on stderr with the share done, the time spent and the time left.

    ``waiting`` is shown instead of ``what`` until something is done.
    """
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    terminal = console(stderr=True)
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn(_("spent,")),
        TimeRemainingColumn(),
        TextColumn(pgettext("time", "left")),
        console=terminal,
        transient=True,
        disable=not terminal.is_terminal,
    )
    with bar:
        task = bar.add_task(waiting or what, total=None)
        yield Reporter(partial(bar.update, task), what)
