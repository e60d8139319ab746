"""``peerorder serve``: the web app."""

import os
import shutil
import sys
from pathlib import Path

import click

from peerorder.cli.web_extra import web

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
            click.echo(f"Setting up peerorder in {folder} ...")
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
        click.echo("Stopped.")


def greeting(address: str, sample: bool, command: str) -> str:
    """Return the address and how to log in, in a box; with secrets only at the first start, never in production."""
    staff = web("operations.staff", makes_site=True)
    keys = staff.first_staff()
    course = web("sample.course", makes_site=True)
    if sample:
        course.fill()
    lines = [f"peerorder is at {address}", ""]
    if staff.needs_first():
        lines += ["There is no account yet. Make the first one:"]
        lines += [f'    {command} staff add "Your Name" --email YOUR_ADDRESS']
    elif keys is not None:
        lines += ["Your account, shown only now:"]
        lines += [f"    username     {keys.login}", f"    password     {keys.password}"]
        lines += [f"    or this link {keys.link}"]
    else:
        login = staff.only_login()
        lines += [f"Log in as {login}." if login else f"Usernames: {command} staff list"]
    if not staff.needs_first():
        lines += [f"Forgot the password? {command} staff password {staff.only_login() or 'LOGIN_NAME'}"]
    if sample and (student := course.some_student()):
        lines += ["", f"{student.course}, as its student {student.name} (use a private window):", f"    {student.link}"]
    # Last, so that people who read this line have read everything.
    lines += ["", "Press Ctrl-C to stop."]
    rule = "-" * max(map(len, lines))
    return "\n".join([rule, *lines, rule])


def program(context: click.Context) -> str:
    """Return the command that started this program, which need not be in the path."""
    name = context.find_root().info_name or "peerorder"
    if " " in name or shutil.which(name):
        return name
    called = os.path.relpath(sys.argv[0])
    return called if Path(called).name == name else name
