"""``peerorder verify-log``: check that nobody has changed the audit log or the rankings outside the app."""

from pathlib import Path

import click

from peerorder.cli import display, options
from peerorder.cli.web_extra import web
from peerorder.core.translation import gettext as _, ngettext

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
    with display.progress_bar(_("comparing rows with their seals")) as reporter:
        report = web("operations.verify_log").verify_log(head, manifest, reporter)
    if as_json:
        display.show_json(vars(report))
    for finding in report.findings:
        click.echo(f"peerorder: {finding}", err=True)
    if report.more:
        click.echo("peerorder: " + _("and {count:,} more").format(count=report.more), err=True)
    if not as_json:
        rows = ngettext("{count:,} row", "{count:,} rows", report.rows).format(count=report.rows)
        seals = ngettext("{count:,} seal", "{count:,} seals", report.seals).format(count=report.seals)
        text = _("{rows} under {seals}: everything matches")
        if report.findings:
            text = _("{rows} under {seals}: not everything matches")
        click.echo(text.format(rows=rows, seals=seals))
        if report.unsealed:
            text = ngettext(
                "{count:,} newer row is not sealed yet", "{count:,} newer rows are not sealed yet", report.unsealed
            )
            click.echo(text.format(count=report.unsealed))
        if report.head:
            click.echo(_("head {digest}").format(digest=report.head))
    return 2 if report.findings else 0
