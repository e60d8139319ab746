"""Options that several commands share, spelt and explained the same everywhere."""

import math
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from peerorder.core.translation import gettext as _

if TYPE_CHECKING:
    from peerorder.rounds.round import Round
    from peerorder.rounds.settings import GradeSettings

__all__ = [
    "ABOVE_ZERO",
    "FILE",
    "NUMBER",
    "ROUND_FILES",
    "RULE",
    "absolute_paths",
    "anchors_points",
    "as_json",
    "by_course",
    "engine",
    "grade_settings",
    "mail_merge",
    "out_directory",
    "passed_over",
    "rankings",
    "read_ballots",
    "read_round",
    "round_files",
    "seed",
    "shards",
    "staff_weight",
    "top_up",
]

Command = TypeVar("Command", bound=Callable[..., Any])

RULE = "posterior"
"""The default rule: the first of the registry, which must not be loaded for --help."""

FILE = click.Path(path_type=Path)
"""The name of a file; its reader reports whether it exists."""

PASSED_OVER = "peerorder.passed_over"


class _Number(click.types.FloatParamType):
    """A finite number; ``nan`` and ``inf`` would go into every mark."""

    def __init__(self, above: float = -math.inf) -> None:
        self.above = above

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number: float = super().convert(value, param, ctx)
        if not self.above < number < math.inf:
            name = param.opts[0] if param is not None else self.name
            text = _("{option} is {value}; write a number")
            if self.above > -math.inf:
                text = _("{option} is {value}; write a number above {limit:g}")
            raise click.UsageError(text.format(option=name, value=value, limit=self.above), ctx)
        return number


NUMBER = _Number()
"""The type of an option that takes any number."""

ABOVE_ZERO = _Number(above=0)
"""Likewise, where 0 and less make no sense."""

seed = click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same numbers.")
as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
by_course = click.option(
    "--by-course",
    is_flag=True,
    is_eager=True,
    help="Grade many courses: files with a column course, or a folder with a folder per course, in which tables named "
    "roster, handout, codes, anchors and overrides are these, and all others are rankings. --out is then a folder, and "
    "--graders, --students and --mail-merge name files in the folder of each course.",
)
out_directory = click.option(
    "--out", type=click.Path(path_type=Path), default=Path("out"), show_default=True, help="Directory for the results."
)


def engine(command: Command) -> Command:
    """Add options for where the work is done; ``open_engine(engine, workers, scheduler)`` takes their values."""
    for option in (
        click.option(
            "--scheduler", metavar="ADDRESS", help="With --engine dask: the scheduler, as in tcp://host:8786."
        ),
        click.option("--engine", default="local", show_default=True, help="What runs the work: local or dask."),
        click.option("--workers", type=int, default=None, help="Processes to use.  [default: all cores]"),
    ):
        command = option(command)
    return command


def absolute_paths(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return options with whole paths of what is read, where workers of a cluster must find it from other folders."""

    def whole(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(whole, value))
        return value.absolute() if isinstance(value, Path) else value

    changed = ROUND_FILES if given["engine"] != "local" else ()
    return {name: whole(value) if name in changed else value for name, value in given.items()}


def shards(command: Command) -> Command:
    """Add options for running a share of the work, and for merging all shares."""
    for option in (
        click.option("--merge-shards", is_flag=True, help="Write the results of all shards, which were run before."),
        click.option("--shard", metavar="I/N", help="Run the I-th of N shares alone, and keep its runs for a merge."),
    ):
        command = option(command)
    return command


def _files_in(context: click.Context, _parameter: click.Parameter, paths: tuple[Path, ...]) -> tuple[Path, ...]:
    """Replace every folder by the tables in it; ``passed_over`` has notes about the rest."""
    # A folder per course stays one.
    if context.params.get("by_course") or not any(path.is_dir() or path.name.startswith("~$") for path in paths):
        return paths
    from peerorder.files.tables import folders

    files = folders.files_in(paths)
    context.meta[PASSED_OVER] = folders.passed_over(paths)
    return files


def passed_over() -> tuple[str, ...]:
    """Return notes about files in the given folders that are not read."""
    notes: tuple[str, ...] = click.get_current_context().meta.get(PASSED_OVER, ())
    return notes


def rankings(required: bool = True) -> Callable[[Command], Command]:
    """Return the argument for files of rankings, or their folders."""
    return click.argument("rankings", type=FILE, nargs=-1, required=required, metavar="RANKINGS...", callback=_files_in)


def mail_merge(help_text: str) -> Callable[[Command], Command]:
    """Return the option ``--mail-merge``, which is also spelt ``--letters``."""
    return click.option("--mail-merge", "--letters", "letters", type=FILE, help=help_text)


top_up = click.option(
    "--top-up",
    type=FILE,
    multiple=True,
    callback=_files_in,
    help="Rankings so far, or their folder: choose whom to ask for more, with --handout; may be repeated.",
)


def round_files(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add options for the files of a round, and for rows with problems."""
    for option in (
        click.option("--overrides", type=FILE, help="Staff decisions: marks to set, penalties, ballots to exclude."),
        click.option(
            "--upside-down", is_flag=True, help="Read all ranks upside down: graders gave rank 1 to the worst paper."
        ),
        click.option("--lenient", is_flag=True, help="Skip rows with problems, and report them."),
        click.option("--codes", type=FILE, help="The codes that graders saw instead of the papers' ids."),
        click.option(
            "--handout", type=FILE, multiple=True, help="The hand-out: who was asked to rank what; may be repeated."
        ),
        click.option("--roster", type=FILE, help="The roster: who takes part and who wrote what."),
    ):
        command = option(command)
    return command


anchors_points = click.option(
    "--anchors-points", type=ABOVE_ZERO, default=100.0, show_default=True, help="Full marks in the files of --anchors."
)

STAFF_WEIGHT = 3

staff_weight = click.option(
    "--staff-weight",
    type=int,
    default=STAFF_WEIGHT,
    show_default=True,
    help="How many times a staff member's ballot counts.",
)

ROUND_FILES = ("rankings", "roster", "handout", "codes", "anchors", "overrides")
"""The files of a round, by the names of the parameters that have their paths."""


def read_round(given: Mapping[str, Any]) -> "Round":
    """Read the round that the options of a command name."""
    from peerorder.files import rounds

    wanted = {name: given[name] for name in (*ROUND_FILES, "lenient", "anchors_points", "marks") if name in given}
    return rounds.read_round(**wanted, marking="marks" in given, passed_over=passed_over())


def read_ballots(given: Mapping[str, Any]) -> "Round":
    """Read a round to merge its ballots alone: upside down if asked, and without those that staff excluded."""
    from peerorder.rounds.overrides import EXCLUDE, exclude_ballots, notes_on

    read = read_round(given)
    exclusions = notes_on([each for each in read.overrides if each.decision == EXCLUDE])
    read = replace(read, reading_notes=(*read.reading_notes, *exclusions))
    return exclude_ballots(read.reversed() if given["upside_down"] else read)


def grade_settings(given: Mapping[str, Any]) -> "GradeSettings":
    """Return the settings of ``grade`` from the options of a command."""
    from peerorder.rounds.settings import GradeSettings

    return GradeSettings(**{each.name: given[each.name] for each in fields(GradeSettings) if each.name in given})
