"""``peerorder staff``: accounts of people who may create courses in the web app."""

from types import ModuleType
from typing import Any

import click

from peerorder.cli import display
from peerorder.cli.single_use_options import Group
from peerorder.cli.web_extra import web
from peerorder.core.translation import gettext as _, ngettext

__all__ = ["staff"]


@click.group(cls=Group, short_help="Manage staff accounts of the web app.")
def staff() -> None:
    """Add and list staff of the web app, set new passwords, or revoke access.

    Example: peerorder staff add "Ida Berg" --email ida@example.edu
    """


@staff.command(short_help="Add an account.")
@click.argument("name")
@click.option("--email", required=True, help="The e-mail address, which is also the username if it is free.")
@click.option("--course", help="Make them instructor of this course, by its name or number.")
def add(name: str, email: str, course: str | None) -> None:
    """Let a person create courses, and print a link for them. It works once, within 24 hours, to set a password.

    Example: peerorder staff add "Ida Berg" --email ida@example.edu
    """
    _tell(_operations().add_staff(name, email, course))


@staff.command("list", short_help="List all staff.")
def list_() -> None:
    """List all people who may create courses or are staff of one.

    Example: peerorder staff list
    """
    display.show_table((_("username"), _("name"), _("e-mail"), _("staff of")), _operations().staff())


@staff.command(short_help="Set a new password.")
@click.argument("login")
def password(login: str) -> None:
    """Set a new password for a person, and print it. Their personal links and sessions end.

    Example: peerorder staff password ida@example.edu
    """
    _tell(_operations().new_password(login))


@staff.command(short_help="Revoke a person's links, password and sessions.")
@click.argument("login")
def revoke(login: str) -> None:
    """Revoke all links and the password of a person, and end their sessions. They stay staff.

    They can get in again by an e-mail from the log-in page, or by `peerorder staff password`.

    Example: peerorder staff revoke ida@example.edu
    """
    revoked = _operations().revoke_staff(login)
    text = ngettext(
        "{login}: {count:,} link revoked, password and sessions ended",
        "{login}: {count:,} links revoked, password and sessions ended",
        revoked.links,
    )
    click.echo(text.format(login=login, count=revoked.links))


@staff.command(short_help="Close an account.")
@click.argument("login")
@click.option("--force", is_flag=True, help="Even if nobody else may create courses.")
def remove(login: str, force: bool) -> None:
    """Close the account of a person who leaves.

    Links, password and sessions end, and so does their membership of all courses. The audit log keeps what they did.

    Example: peerorder staff remove ida@example.edu
    """
    removed = _operations().remove_staff(login, force=force)
    text = ngettext(
        "{login}: the account is closed, {count:,} link revoked",
        "{login}: the account is closed, {count:,} links revoked",
        removed.links,
    )
    click.echo(text.format(login=login, count=removed.links))
    if removed.without_instructor:
        courses = ", ".join(removed.without_instructor)
        click.echo(_("courses that now have no instructor: {courses}").format(courses=courses))


def _operations() -> ModuleType:
    """Return the module for accounts, once there is a database."""
    web("operations.serving").prepare(pages=False)
    return web("operations.staff")


def _tell(keys: Any) -> None:
    rows = {_("username"): keys.login, _("password"): keys.password, _("link"): keys.link}
    width = max(12, *map(len, rows))
    for name, value in rows.items():
        if value:
            click.echo(f"{name:{width}} {value}")
