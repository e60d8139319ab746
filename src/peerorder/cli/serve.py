"""``peerorder serve``: the web app."""

import os
import shutil
import sys
from pathlib import Path

import click

from peerorder.cli.web_extra import web
from peerorder.core.translation import gettext as _

__all__ = ["serve"]


@click.command(short_help="Run the web app: its pages and its worker.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", type=click.IntRange(1, 65535), default=8000, show_default=True, help="The port to listen on.")
@click.option("--only", type=click.Choice(["web", "worker"]), help="Run one part alone, as in production.")
@click.option(
    "--processes",
    type=click.IntRange(1, 64),
    help="Processes of the web server.  [default: 1 on SQLite, else all cores]",
)
@click.option("--sample", is_flag=True, help="Fill a sample course of 60 students, half through ranking.")
@click.option("--verbose", is_flag=True, help="Print a line for every request and every job.")
@click.pass_context
def serve(
    context: click.Context,
    host: str,
    port: int,
    only: str | None,
    processes: int | None,
    sample: bool,
    verbose: bool,
) -> None:
    """Run the web app until Ctrl-C: the pages, and the worker for background jobs.

    The first start creates the folder, the database and, unless in production, an account for you. Once the pages are
    ready, it prints their address and how to log in. If you lose the password, `peerorder staff password LOGIN_NAME`
    sets a new one. Settings are environment variables; the documentation on running the web app lists them.

    Example: peerorder serve --sample
    """
    if verbose:
        os.environ["PEERORDER_LOG"] = "text"
    serving = web("operations.serving", host=host, port=port, makes_site=True)
    serving.check_exposure(host)
    if only != "worker":
        serving.check_port(host, port)
        if folder := serving.new_folder():
            click.echo(_("Setting up peerorder in {folder} ...").format(folder=folder))
    serving.prepare(pages=only != "worker")
    if warning := serving.choose_sandbox():
        click.echo(warning, err=True)
    if only == "worker":
        serving.run_worker()
        return
    message = greeting(serving.address(), sample, program(context))
    if only == "web":
        click.echo(message)
        serving.run_web(host, port, processes)
    else:
        serving.run_both(host, port, processes, lambda: click.echo(message))
        click.echo(_("Stopped."))


def greeting(address: str, sample: bool, command: str) -> str:
    """Return the address and how to log in, in a box; with secrets only at the first start, never in production."""
    staff = web("operations.staff", makes_site=True)
    keys = staff.first_staff()
    course = web("sample.course", makes_site=True)
    if sample:
        course.fill()
    lines = [_("peerorder is at {address}").format(address=address), ""]
    if staff.needs_first_staff():
        lines += [_("There is no account yet. Make the first one:")]
        lines += [_('    {command} staff add "Your Name" --email YOUR_ADDRESS').format(command=command)]
    elif keys is not None:
        lines += [_("Your account, shown only now:")]
        rows = {_("username"): keys.login, _("password"): keys.password, _("or this link"): keys.link}
        width = max(map(len, rows))
        lines += [f"    {name:{width}} {value}" for name, value in rows.items()]
    else:
        login = staff.only_login()
        text = _("Log in as {login}.") if login else _("Usernames: {command} staff list")
        lines += [text.format(login=login, command=command)]
    if not staff.needs_first_staff():
        text = _("Forgot the password? {command} staff password {login}")
        lines += [text.format(command=command, login=staff.only_login() or "LOGIN_NAME")]
    if sample and (student := course.student_access()):
        text = _("{course}, as its student {name} (use a private window):")
        lines += ["", text.format(course=student.course, name=student.name), f"    {student.link}"]
    # Last, so that people who read this line have read everything.
    lines += ["", _("Press Ctrl-C to stop.")]
    rule = "-" * max(map(len, lines))
    return "\n".join([rule, *lines, rule])


def program(context: click.Context) -> str:
    """Return the command that started this program, which need not be in the path."""
    name = context.find_root().info_name or "peerorder"
    if " " in name or shutil.which(name):
        return name
    called = os.path.relpath(sys.argv[0])
    return called if Path(called).name == name else name
