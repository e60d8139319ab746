"""Finished runs that are kept: those of work that stopped before its end, and those of shards."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from peerorder.cli import display
from peerorder.core.translation import gettext as _

if TYPE_CHECKING:
    from peerorder.studies import Shard

__all__ = ["check_shards", "kept_runs", "show_shard"]


@contextmanager
def kept_runs(bar: display.Reporter, folder: Path) -> Iterator[None]:
    """Raise PartlyDone with the number of finished runs if the work is interrupted, or loses its workers."""
    from peerorder.core.errors import PartlyDone

    try:
        yield
    except KeyboardInterrupt:
        text = _(
            "stopped after {done} of {total} runs, which are kept in {folder}; the same command writes the tables "
            "and figures"
        )
        if bar.done < bar.total:
            text = _(
                "stopped after {done} of {total} runs, which are kept in {folder}; the same command continues "
                "from there"
            )
        raise PartlyDone(text.format(done=bar.done, total=bar.total, folder=folder)) from None
    except PartlyDone as problem:
        text = _("{problem}; {done} of {total} runs are kept in {folder}")
        raise PartlyDone(text.format(problem=problem, done=bar.done, total=bar.total, folder=folder)) from None


def check_shards(shard: str | None, merge_shards: bool, out: Path | None) -> None:
    """Raise UsageError if the options for shards do not go together."""
    if shard is not None and merge_shards:
        raise click.UsageError(_("--shard runs a share and --merge-shards merges all; give one of these"))
    if (shard is not None or merge_shards) and out is None:
        raise click.UsageError(_("shards need --out, beside which their runs are kept"))


def show_shard(shard: "Shard", journals: Sequence[Path], as_json: bool) -> None:
    """Show where the runs of a shard are, and what to do when all are there."""
    if as_json:
        display.show_json({"shard": str(shard), "journals": [str(path) for path in journals]})
        return
    files = display.join_with_and([f"`{path}`" for path in journals])
    display.say(_("Wrote shard {shard} to {files}.").format(shard=shard, files=files))
    display.say(_("When all shards are done, run the same command with --merge-shards instead of --shard."))
