"""``peerorder backup`` and ``restore``: the whole web app in one file."""

from pathlib import Path

import click

from peerorder.cli import options
from peerorder.cli.web_extra import web
from peerorder.core.translation import gettext as _, ngettext

__all__ = ["backup", "restore"]


@click.command(short_help="Back up the web app into one file.")
@click.argument("file", type=options.FILE)
@click.option("--force", is_flag=True, help="Replace the file if it exists.")
def backup(file: Path, force: bool) -> None:
    """Write the database and all uploads into one archive, while the app runs.

    Example: peerorder backup peers.tar.gz
    """
    made = web("operations.backup").backup(file, force=force)
    text = ngettext(
        "{file}: the database and {count:,} uploaded file, {size:.1f} MB",
        "{file}: the database and {count:,} uploaded files, {size:.1f} MB",
        made.uploads,
    )
    click.echo(text.format(file=file, count=made.uploads, size=made.size / 2**20))


@click.command(short_help="Restore the web app from a backup.")
@click.argument("file", type=options.FILE)
@click.option("--force", is_flag=True, help="Replace existing data, which is kept aside.")
@click.option(
    "--without-ledger",
    is_flag=True,
    help="Continue if the ledger is missing or damaged: people erased since the backup may come back.",
)
def restore(file: Path, force: bool, without_ledger: bool) -> None:
    """Restore what `peerorder backup` wrote, or change nothing; the app must not be running.

    Everything in the file is checked first. Existing data are replaced only with --force, and kept in a
    folder before-TIME. If anything fails, or the restore is killed, they are put back. What was erased or
    revoked since the backup is erased or revoked again, by the ledger in the folder of the app.

    Example: peerorder restore peers.tar.gz
    """
    restoring = web("operations.restore", makes_site=True)
    made = restoring.restore(file, force=force, without_ledger=without_ledger)
    text = ngettext(
        "{file}: the database and {count:,} uploaded file were restored; start `peerorder serve` again",
        "{file}: the database and {count:,} uploaded files were restored; start `peerorder serve` again",
        made.uploads,
    )
    click.echo(text.format(file=file, count=made.uploads))
    for folder in made.aside:
        text = _("The previous data is in {folder}; delete it when you no longer need it")
        click.echo(text.format(folder=folder))
    for note in made.notes:
        click.echo(_("note: {note}").format(note=note), err=True)
