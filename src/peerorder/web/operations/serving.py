"""``peerorder serve``: the folder, the database, the web server and the worker, in one command or apart."""

import os
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import Error, connection
from django.utils.translation import override

from peerorder.core.cores import cores
from peerorder.core.errors import InputError
from peerorder.core.translation import gettext as _
from peerorder.web.audit import ledger
from peerorder.web.jobs.services import forget_worker
from peerorder.web.jobs.worker import work
from peerorder.web.operations.environment import is_loopback
from peerorder.web.operations.folder import file_lock, make_home
from peerorder.web.operations.gunicorn_settings import gunicorn_command
from peerorder.web.operations.processes import Background, Child, Supervisor
from peerorder.web.operations.restore import resolve_interrupted_restore
from peerorder.web.operations.upgrade import database_lock, database_name, upgrade_database
from peerorder.web.sandbox.runner import BUBBLEWRAP, LIMITED, fix_mode, why_no_bubblewrap

# Compiles what pages and jobs need, so that nobody waits for it.
PREPARE = [sys.executable, "-m", "peerorder", "prepare"]
# How many seconds the web server may take to answer for the first time.
START = 30.0


# Before anything runs.


def new_folder() -> Path | None:
    """Return the folder of a site that is about to be made, None where it is there."""
    home: Path = settings.ENVIRONMENT.home
    return None if (home / "static").exists() else home


def prepare(*, pages: bool = True) -> None:
    """Make the folder, upgrade the database and put the static files in place; one process at a time.

    Raises
    ------
    InputError
        If one of these cannot be done: one line that says why, and what to do.
    """
    home = settings.ENVIRONMENT.home
    try:
        resolve_interrupted_restore()
        with (
            file_lock(make_home() / "running.lock", shared=True, wait=False),
            file_lock(home / "prepare.lock"),
            database_lock(),
        ):
            upgrade_database()
            ledger.write(everything=True)
            settings.MEDIA_ROOT.mkdir(mode=0o700, exist_ok=True)
            if pages:
                call_command("collectstatic", verbosity=0, interactive=False)
    except BlockingIOError:
        raise InputError(_("a restore is running; wait until it has finished")) from None
    except OSError as error:
        text = _("PEERORDER_HOME is {folder!r}; it is not writable ({reason})")
        raise InputError(text.format(folder=str(home), reason=error.strerror)) from None
    except Error as error:
        reason = str(error).strip().splitlines()[0]
        text = _("the database ({database}) cannot be used: {reason}; check PEERORDER_DATABASE")
        raise InputError(text.format(database=database_name(), reason=reason)) from None
    finally:
        connection.close()


def choose_sandbox() -> str:
    """Try how files from outside can be read here, and have all processes read them so; return a warning, or nothing.

    Raises
    ------
    InputError
        If the settings ask for bubblewrap and it does not work.
    """
    asked = settings.ENVIRONMENT.sandbox
    why = "" if asked == LIMITED else why_no_bubblewrap()
    if asked == BUBBLEWRAP and why:
        text = _(
            "PEERORDER_SANDBOX is {mode!r}, which does not work here: {reason}; install it (Debian's package "
            "`bubblewrap`), and see the docs on running the app"
        )
        raise InputError(text.format(mode=BUBBLEWRAP, reason=why))
    # No process that starts later may find that it does not work any more, and do without.
    mode = os.environ["PEERORDER_SANDBOX"] = LIMITED if asked == LIMITED or why else BUBBLEWRAP
    fix_mode(mode)
    if mode == BUBBLEWRAP:
        return ""
    reason = _("PEERORDER_SANDBOX says so")
    if why:
        reason = _(
            "bubblewrap does not work here: {reason}; install it (Debian's package `bubblewrap`), and see the docs on "
            "running the app"
        ).format(reason=why)
    return _(
        "WARNING: files from outside are read in a process that is limited but not sandboxed. A file that exploits a "
        "bug in a reader of PDFs, images or workbooks could read the database and the secret key ({reason})."
    ).format(reason=reason)


def check_exposure(host: str) -> None:
    """Raise InputError if others could reach a site that is not made for it."""
    if not settings.ENVIRONMENT.production and not is_loopback(host):
        text = _(
            "others on the network could reach {host}, and without PEERORDER_PRODUCTION=yes passwords go without "
            "TLS and held connections can stop the site; listen on 127.0.0.1, or set it and put a proxy in front"
        )
        raise InputError(text.format(host=host))


def check_port(host: str, port: int) -> None:
    """Raise InputError if another process listens there."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            taken.bind((host, port))
        except OSError as error:
            text = _("cannot listen on {host} port {port} ({reason}); choose another --port")
            reason = (error.strerror or str(error)).lower()
            raise InputError(text.format(host=host, port=port, reason=reason)) from None


def address() -> str:
    """Return where people go."""
    return f"{settings.PUBLIC_URL}/"


# What runs.


def run_web(host: str, port: int, processes: int | None = None) -> None:
    """Become the web server."""
    check_port(host, port)
    with file_lock(settings.ENVIRONMENT.home / "running.lock", shared=True) as lock:
        os.set_inheritable(lock, True)
        command = _web_command(host, port, processes)
        os.execv(command[0], command)


def run_worker() -> None:
    """Be a worker until told to stop."""
    with (
        file_lock(settings.ENVIRONMENT.home / "running.lock", shared=True),
        Background(PREPARE) as preparation,
        # What jobs write is in the language of the site, not in that of the terminal.
        override(settings.LANGUAGE_CODE),
    ):
        preparation.start()
        work()


def run_both(host: str, port: int, processes: int | None, ready: Callable[[], None]) -> None:
    """Run the web server and a worker until told to stop; call ``ready`` when pages can be had, and then prepare."""
    check_port(host, port)
    web = Child(_("the web server"), lambda _name: _web_command(host, port, processes))
    command = [sys.executable, "-m", "peerorder.web", "work", "--name"]
    worker = Child(_("the worker"), lambda name: [*command, name], _forget)
    with (
        file_lock(settings.ENVIRONMENT.home / "running.lock", shared=True) as lock,
        Background(PREPARE) as preparation,
    ):

        def answers() -> None:
            _when_it_answers(host, port, ready)
            preparation.start()

        Supervisor([web, worker], lock).run(answers)


def _web_command(host: str, port: int, processes: int | None) -> list[str]:
    # SQLite has one writer at a time; more processes would only wait for each other.
    return gunicorn_command(host, port, processes or (1 if connection.vendor == "sqlite" else cores()))


def _when_it_answers(host: str, port: int, ready: Callable[[], None]) -> None:
    """Call ``ready`` once the web server answers, and in any case after a while: it has something to tell."""
    until = time.monotonic() + START
    while time.monotonic() < until and not _answers(host, port):
        time.sleep(0.1)
    ready()


def _answers(host: str, port: int) -> bool:
    """Return whether a request is answered, in whatever way; the port is open long before."""
    asked = HTTPConnection(host, port, timeout=START)
    try:
        asked.request("GET", "/login/", headers={"Host": settings.ENVIRONMENT.url.netloc})
        asked.getresponse()
    except (OSError, HTTPException):
        return False
    finally:
        asked.close()
    return True


def _forget(worker: str) -> None:
    """Give what a dead worker was doing to the next one at once."""
    with suppress(Error):
        forget_worker(worker)
    connection.close()
