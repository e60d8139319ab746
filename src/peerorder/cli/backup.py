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
@click.option("--force", is_flag=True, help="Replace what is there, which is kept aside.")
@click.option(
    "--without-ledger",
    is_flag=True,
    help="Go on where the ledger is missing or damaged: people erased since the backup may come back.",
)
def restore(file: Path, force: bool, without_ledger: bool) -> None:
    """Bring back what `peerorder backup` wrote, or change nothing; the app must not run.

    Everything in the file is checked first. What is there is replaced only with --force, and kept
    in a folder before-TIME. If anything fails, or the restore is killed, it is put back. What was
    erased or revoked since the backup is so again, by the ledger in the folder of the app.

    Example: peerorder restore peers.tar.gz
    """
    restoring = web("operations.restore", makes_site=True)
    made = restoring.restore(file, force=force, without_ledger=without_ledger)
    click.echo(f"{file}: the database and {made.uploads} uploaded files are back; `peerorder serve` goes on with them")
    for folder in made.aside:
        click.echo(f"What was there before is in {folder}; delete it once you do not need it any more")
    for note in made.notes:
        click.echo(f"note: {note}", err=True)
