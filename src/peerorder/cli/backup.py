"""``peerorder backup`` and ``restore``: everything of the web app in one file."""

from pathlib import Path

import click

from peerorder.cli import options
from peerorder.cli.web_extra import web

__all__ = ["backup", "restore"]


@click.command(short_help="Everything of the web app into one file.")
@click.argument("file", type=options.FILE)
@click.option("--force", is_flag=True, help="Replace the file if it is there.")
def backup(file: Path, force: bool) -> None:
    """Write the database and all uploads into one archive, while the app runs.

    Example: peerorder backup peers.tar.gz
    """
    made = web("operations.backup").backup(file, force=force)
    click.echo(f"{file}: the database and {made.uploads} uploaded files, {made.size / 2**20:.1f} MB")


@click.command(short_help="Everything of the web app back from a file.")
@click.argument("file", type=options.FILE)
@click.option("--force", is_flag=True, help="Replace what is there, which is lost.")
def restore(file: Path, force: bool) -> None:
    """Bring back what `peerorder backup` wrote, into an empty place; the app must not run.

    Example: peerorder restore peers.tar.gz
    """
    made = web("operations.backup").restore(file, force=force)
    click.echo(f"{file}: the database and {made.uploads} uploaded files are back; `peerorder serve` goes on with them")
