"""``peerorder serve``: the web app."""

import click

from peerorder.cli.web_extra import web

__all__ = ["serve"]


@click.command(short_help="Run the web app: its pages and its worker.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", type=click.IntRange(1, 65535), default=8000, show_default=True, help="The port to listen on.")
@click.option("--only", type=click.Choice(["web", "worker"]), help="One part alone, as production runs them.")
@click.option(
    "--processes", type=click.IntRange(1, 64), help="Of the web server.  [default: 1 on SQLite, else all cores]"
)
@click.option("--sample", is_flag=True, help="Fill a sample course of 60 students, half through ranking.")
def serve(host: str, port: int, only: str | None, processes: int | None, sample: bool) -> None:
    """Run the web app until Ctrl-C: the pages, and the worker for what takes longer.

    The first start makes the folder and the database and, unless in production, an account for you, and prints how
    to log in.
    Settings are variables of the environment; the documentation on running it lists them.

    Example: peerorder serve --sample
    """
    serving = web("operations.serving", host=host, port=port, makes_site=True)
    serving.check_exposure(host)
    serving.prepare(pages=only != "worker")
    if warning := serving.choose_sandbox():
        click.echo(warning, err=True)
    if only == "worker":
        serving.run_worker()
        return
    serving.check_port(host, port)
    _greet(sample)
    if only == "web":
        serving.run_web(host, port, processes)
    else:
        serving.run_both(
            host, port, processes, lambda: click.echo(f"peerorder is at {serving.address()}  (Ctrl-C stops it)")
        )
        click.echo("Stopped.")


def _greet(sample: bool) -> None:
    """The first account, and the sample, with their keys, which are told once."""
    staff = web("operations.staff", makes_site=True)
    keys = staff.first_staff()
    if sample:
        made = web("sample.course", makes_site=True).fill()
        if made is not None:
            click.echo(f"A sample course is there: {made.course}, {made.students} students, half through ranking.")
            if made.student_link:
                click.echo(f"    as its student {made.student}: {made.student_link}")
    if staff.needs_first():
        click.echo('There is no account yet; make the first one: peerorder staff add "Your Name" --email YOUR_ADDRESS')
    if keys is not None:
        click.echo("Your account, told this once:")
        click.echo(f"    log-in name  {keys.login}")
        click.echo(f"    password     {keys.password}")
        click.echo(f"    or this link {keys.link}")
