"""``peerorder staff``: who may make courses in the web app."""

from types import ModuleType
from typing import Any

import click

from peerorder.cli import display
from peerorder.cli.single_use_options import Group
from peerorder.cli.web_extra import web

__all__ = ["staff"]


@click.group(cls=Group, short_help="Accounts of staff in the web app.")
def staff() -> None:
    """Add staff to the web app, list them, give somebody a new password, or lock somebody out.

    Example: peerorder staff add "Ida Berg" --email ida@example.edu
    """


@staff.command(short_help="A new account.")
@click.argument("name")
@click.option("--email", required=True, help="The e-mail address, which is the log-in name too where it is free.")
@click.option("--course", help="Make them instructor of this course, by its name or number.")
def add(name: str, email: str, course: str | None) -> None:
    """Let somebody make courses, and print a link for them. It works once, within 24 hours; they set a password then.

    Example: peerorder staff add "Ida Berg" --email ida@example.edu
    """
    _tell(_operations().add_staff(name, email, course))


@staff.command("list", short_help="Everybody.")
def list_() -> None:
    """List everybody who may make courses or is staff of one.

    Example: peerorder staff list
    """
    display.show_table(("log-in name", "name", "e-mail", "staff of"), _operations().staff())


@staff.command(short_help="A new password for somebody.")
@click.argument("login")
def password(login: str) -> None:
    """Give somebody a new password, and print it. Their personal links and sessions end.

    Example: peerorder staff password ida@example.edu
    """
    _tell(_operations().new_password(login))


@staff.command(short_help="End somebody's links, password and sessions.")
@click.argument("login")
def revoke(login: str) -> None:
    """Revoke all links of somebody and their password, and end their sessions. They stay staff.

    They get in again by a message from the log-in page, or by `peerorder staff password`.

    Example: peerorder staff revoke ida@example.edu
    """
    revoked = _operations().revoke_staff(login)
    click.echo(f"{login}: {revoked.links} links revoked, password and sessions ended")


@staff.command(short_help="Close somebody's account.")
@click.argument("login")
@click.option("--force", is_flag=True, help="Also if nobody else may make courses.")
def remove(login: str, force: bool) -> None:
    """Close the account of somebody who leaves.

    Links, password and sessions end, and so does their part in all courses. What they did stays in the audit log.

    Example: peerorder staff remove ida@example.edu
    """
    removed = _operations().remove_staff(login, force=force)
    click.echo(f"{login}: the account is closed, {removed.links} links revoked")
    if removed.without_instructor:
        click.echo(f"courses without an instructor now: {', '.join(removed.without_instructor)}")


def _operations() -> ModuleType:
    """What can be done to accounts, once there is a database."""
    web("operations.serving").prepare(pages=False)
    return web("operations.staff")


def _tell(keys: Any) -> None:
    click.echo(f"log-in name  {keys.login}")
    if keys.password:
        click.echo(f"password     {keys.password}")
    if keys.link:
        click.echo(f"link         {keys.link}")
