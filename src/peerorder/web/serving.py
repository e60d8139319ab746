"""Everything that runs: the folder, the database, the web server and the worker, in one command or apart."""

import ctypes
import fcntl
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import django
from django.core.exceptions import ImproperlyConfigured

from peerorder.core.cores import cores
from peerorder.core.errors import InputError

__all__ = ["Part", "Parts", "address", "free", "holding", "prepare", "run_both", "run_web", "run_worker", "start"]

WEB, WORKER = "web", "worker"
# How long somebody who was told to stop may take.
PATIENCE = 40.0
# A part that dies again and again is started again ever more slowly, up to so many seconds apart.
LONGEST_WAIT = 30.0
GUNICORN = ("-m", "gunicorn", "-c", "python:peerorder.web.gunicorn_settings")
# A number for PostgreSQL's advisory lock: any will do that nobody else uses.
PREPARING = 0x7065657220
START = 30.0
LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None
PARENT_DEATH_SIGNAL = 1


# Before anything runs.


def start(host: str = "127.0.0.1", port: int = 8000) -> None:
    """Load Django with the settings of the environment; what is wrong with them is said in one line."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "peerorder.web.settings")
    if os.environ.get("PEERORDER_PRODUCTION") != "yes":
        seen = "127.0.0.1" if host in ("0.0.0.0", "::") else host
        os.environ.setdefault("PEERORDER_URL", f"http://{f'[{seen}]' if ':' in seen else seen}:{port}")
    try:
        django.setup()
    except ImproperlyConfigured as error:
        raise InputError(str(error)) from None


def prepare(*, pages: bool = True) -> None:
    """Make the folder, bring the database up to date and put the static files in place; one at a time."""
    from django.conf import settings
    from django.core.management import call_command
    from django.db import Error, connection

    home = settings.ENVIRONMENT.home
    try:
        home.mkdir(parents=True, exist_ok=True)
        settings.MEDIA_ROOT.mkdir(mode=0o700, exist_ok=True)
        with holding(home / "prepare.lock"), _lock_in_the_database():
            call_command("migrate", verbosity=0, interactive=False)
            if pages:
                call_command("collectstatic", verbosity=0, interactive=False)
    except OSError as error:
        raise InputError(f"PEERORDER_HOME is {str(home)!r}; it cannot be written to ({error.strerror})") from None
    except Error as error:
        where = connection.settings_dict["HOST"] or connection.settings_dict["NAME"]
        what = str(error).strip().splitlines()[0]
        raise InputError(f"the database ({where}) does not work: {what}; check PEERORDER_DATABASE") from None
    finally:
        connection.close()


@contextmanager
def holding(path: Path, *, shared: bool = False, wait: bool = True) -> Iterator[int]:
    """Hold a lock on a file, as does whoever inherits it; BlockingIOError where it is taken and one must not wait."""
    with path.open("a") as stream:
        how = (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB)
        fcntl.flock(stream, how)
        yield stream.fileno()


@contextmanager
def _lock_in_the_database() -> Iterator[None]:
    """Several machines may share a PostgreSQL, and only one of them is to migrate it."""
    from django.db import connection

    if connection.vendor != "postgresql":
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [PREPARING])
        try:
            yield
        finally:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [PREPARING])


def free(host: str, port: int) -> None:
    """Complain where somebody else listens."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            taken.bind((host, port))
        except OSError as error:
            raise InputError(
                f"cannot listen on {host} port {port} ({(error.strerror or str(error)).lower()}); choose another --port"
            ) from None


def address() -> str:
    """Where people go."""
    from django.conf import settings

    return f"{settings.PUBLIC_URL}/"


# The parts.


def _web_command(host: str, port: int, processes: int | None) -> list[str]:
    from django.db import connection

    # SQLite has one writer at a time; more processes would only wait for each other.
    many = processes or (1 if connection.vendor == "sqlite" else cores())
    bind = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    return [sys.executable, *GUNICORN, "--workers", str(many), "--bind", bind, "peerorder.web.wsgi"]


def run_web(host: str, port: int, processes: int | None = None) -> None:
    """Become the web server."""
    from django.conf import settings

    free(host, port)
    with holding(settings.ENVIRONMENT.home / "running.lock", shared=True) as lock:
        os.set_inheritable(lock, True)
        command = _web_command(host, port, processes)
        os.execv(command[0], command)


def run_worker() -> None:
    """Be a worker until told to stop."""
    from django.conf import settings

    from peerorder.web.jobs.worker import work

    with holding(settings.ENVIRONMENT.home / "running.lock", shared=True):
        work()


def run_both(host: str, port: int, processes: int | None, ready: Callable[[], None]) -> None:
    """Run the web server and a worker until told to stop; calls ``ready`` when pages can be had."""
    from django.conf import settings

    free(host, port)
    worker = [sys.executable, "-m", "peerorder.web", "work", "--name"]
    with holding(settings.ENVIRONMENT.home / "running.lock", shared=True) as lock:
        web = Part(WEB, lambda _name: _web_command(host, port, processes))
        Parts([web, Part(WORKER, lambda name: [*worker, name])], lock).run(lambda: _answers(host, port, ready))


def _answers(host: str, port: int, ready: Callable[[], None]) -> None:
    """Wait until the web server listens, at most a few seconds, and say so."""
    until = time.monotonic() + START
    while time.monotonic() < until:
        with suppress(OSError), socket.create_connection((host, port), timeout=1):
            ready()
            return
        time.sleep(0.1)


@dataclass
class Part:
    """A child process that is started again when it dies, every time more slowly."""

    title: str
    command: Callable[[str], list[str]]
    name: str = ""
    process: subprocess.Popen[bytes] | None = None
    began: float = 0.0
    deaths: int = 0
    again_at: float = 0.0

    def start(self, lock: int) -> None:
        """Under a new name."""
        self.name = f"{socket.gethostname()[:20]}-{secrets.token_hex(8)}"
        self.began = time.monotonic()
        self.process = subprocess.Popen(
            self.command(self.name),
            pass_fds=[lock],
            # Ctrl-C on a terminal goes to all of its processes; ours are told by us.
            start_new_session=True,
            preexec_fn=_die_with_parent if LIBC is not None else None,
        )

    def died(self) -> bool:
        """Whether it has just died; it is started again at ``again_at``."""
        if self.process is None or (code := self.process.poll()) is None:
            return False
        now = time.monotonic()
        self.deaths = 1 if now - self.began > LONGEST_WAIT else self.deaths + 1
        self.again_at = now if self.deaths == 1 else now + min(2.0**self.deaths, LONGEST_WAIT)
        self.process = None
        print(f"peerorder: the {self.title} stopped with code {code}; it is started again", file=sys.stderr, flush=True)
        return True

    def stop(self, until: float) -> None:
        """Wait for its end, and not for ever."""
        if self.process is None:
            return
        try:
            self.process.wait(max(0.1, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Parts:
    """Child processes that run and stop together."""

    def __init__(self, parts: list[Part], lock: int) -> None:
        self._parts = parts
        self._lock = lock
        self._stopped = False

    def run(self, ready: Callable[[], None]) -> None:
        """Until a signal comes."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._told)
        try:
            for part in self._parts:
                part.start(self._lock)
            ready()
            while not self._stopped:
                self._look_after()
                time.sleep(0.2)
        finally:
            self._end()

    def _told(self, _number: int, _frame: FrameType | None) -> None:
        self._stopped = True

    def _look_after(self) -> None:
        for part in self._parts:
            if part.died() and part.title == WORKER:
                _bury(part.name)
            if part.process is None and part.again_at <= time.monotonic():
                part.start(self._lock)

    def _end(self) -> None:
        for part in self._parts:
            if part.process is not None:
                part.process.terminate()
        until = time.monotonic() + PATIENCE
        for part in self._parts:
            part.stop(until)


def _bury(worker: str) -> None:
    """What the dead worker was doing goes to the next one at once."""
    from django.db import Error, connection

    from peerorder.web.jobs.services import bury

    with suppress(Error):
        bury(worker)
    connection.close()


def _die_with_parent() -> None:
    """Where the parent is killed without a word, a child on Linux is told to stop: nobody else would do it."""
    if LIBC is not None:
        LIBC.prctl(PARENT_DEATH_SIGNAL, signal.SIGTERM)
