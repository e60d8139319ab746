"""``peerorder audit-log``: search the audit log of the whole site."""

from pathlib import Path

import click

from peerorder.cli import display, options
from peerorder.cli.web_extra import web
from peerorder.core.translation import gettext as _, ngettext

__all__ = ["audit_log"]


@click.command("audit-log", short_help="Search the audit log of the web app.")
@click.option("--person", help="Events by or about this person: username, e-mail address or number.")
@click.option("--course", help="Events of this course, by its name or number.")
@click.option("--verb", help="Events of this kind, such as `logged in by link`.")
@click.option("--since", metavar="TIME", help="Events since this day or time: 2026-11-17 or 2026-11-17T14:30.")
@click.option("--until", metavar="TIME", help="Events until this time, or the end of this day.")
@click.option(
    "-n", "--count", type=click.IntRange(1, 10_000), default=50, show_default=True, help="How many events to show."
)
@click.option("--out", type=options.FILE, help="Write all events to this file instead: .csv or .jsonl.")
@click.option("--force", is_flag=True, help="Replace the file if it exists.")
@options.as_json
def audit_log(
    person: str | None,
    course: str | None,
    verb: str | None,
    since: str | None,
    until: str | None,
    count: int,
    out: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """Show the newest events of the whole site, or write all that match to a file.

    Example: peerorder audit-log --person ida@example.edu --since 2026-11-01
    """
    log = web("operations.audit_log")
    with log.log_database():
        search = log.search_log(person=person, course=course, verb=verb, since=since, until=until)
        if out is not None:
            written = log.export(search, out, force=force)
            text = ngettext("{file}: {count:,} event", "{file}: {count:,} events", written)
            click.echo(text.format(file=out, count=written))
            return
        events = log.newest_events(search, count)
    if as_json:
        display.show_json(events)
    elif events:
        columns = ("at", "who", "what", "course", "assignment")
        rows = [["" if event[name] is None else event[name] for name in columns] for event in events]
        display.show_table((_("at"), _("who"), _("what"), _("course"), _("assignment")), rows)
    else:
        click.echo(_("no events match"))
