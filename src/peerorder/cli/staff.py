"""``peerorder staff``: who may make courses in the web app."""

from typing import Any

import click

from peerorder.cli import display
from peerorder.cli.once import Group
from peerorder.cli.web_extra import web

__all__ = ["staff"]


@click.group(cls=Group, short_help="Accounts of staff in the web app.")
def staff() -> None:
    """Add staff to the web app, list them, or give somebody a new password.

    Example: peerorder staff add "Ida Berg" --email ida@example.edu
    """


@staff.command(short_help="A new account.")
@click.argument("name")
@click.option("--email", required=True, help="The e-mail address, which is the log-in name too.")
@click.option("--course", help="Make them instructor of this course, by its name or number.")
def add(name: str, email: str, course: str | None) -> None:
    """Let somebody make courses, and print how they log in.

    Example: peerorder staff add "Ida Berg" --email ida@example.edu
    """
    _ready()
    _tell(web("operations.staff").add_staff(name, email, course))


@staff.command("list", short_help="Everybody.")
def list_() -> None:
    """List everybody who may make courses or is staff of one.

    Example: peerorder staff list
    """
    _ready()
    display.show_table(("log-in name", "name", "e-mail", "staff of"), web("operations.staff").staff())


@staff.command(short_help="A new password for somebody.")
@click.argument("login")
def password(login: str) -> None:
    """Give somebody a new password and a new personal link, and print them.

    Example: peerorder staff password ida@example.edu
    """
    _ready()
    _tell(web("operations.staff").new_password(login))


def _ready() -> None:
    web("operations.serving").prepare(pages=False)


def _tell(keys: Any) -> None:
    click.echo(f"log-in name  {keys.login}\npassword     {keys.password}\nor this link {keys.link}")
