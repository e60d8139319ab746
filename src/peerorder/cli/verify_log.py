"""``peerorder verify-log``: check that nobody has changed the audit log or the rankings outside the app."""

from pathlib import Path

import click

from peerorder.cli import display, options
from peerorder.cli.web_extra import web

__all__ = ["verify_log"]


@click.command("verify-log", short_help="Check the audit log and the rankings against their seals.")
@click.option("--head", metavar="HEX", help="A head from the server log, which must be in the chain of seals.")
@click.option("--manifest", type=options.FILE, help="A backup, or its manifest, whose seal must be in the chain.")
@options.as_json
def verify_log(head: str | None, manifest: Path | None, as_json: bool) -> int:
    """Recompute all seals on the audit log and on the rankings, and report what does not match.

    The exit code is 2 if anything is missing, added or changed.

    Example: peerorder verify-log --manifest peers.tar.gz
    """
    with display.progress_bar("comparing rows with their seals") as reporter:
        report = web("operations.verify_log").verify_log(head, manifest, reporter)
    if as_json:
        display.show_json(vars(report))
    for finding in report.findings:
        click.echo(f"peerorder: {finding}", err=True)
    if report.more:
        click.echo(f"peerorder: and {report.more:,} more", err=True)
    if not as_json:
        waiting = (
            f"; {display.count(report.unsealed, 'newer row is', 'newer rows are')} not sealed yet"
            if report.unsealed
            else ""
        )
        fits = "not everything matches" if report.findings else "everything matches"
        click.echo(f"{display.count(report.rows, 'row')} under {display.count(report.seals, 'seal')}: {fits}{waiting}")
        if report.head:
            click.echo(f"head {report.head}")
    return 2 if report.findings else 0
