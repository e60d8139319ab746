"""The app in processes of its own, with a folder and a database of its own, as it runs in earnest."""

import atexit
import fcntl
import hashlib
import json
import os
import re
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from http.client import HTTPException
from pathlib import Path

import psycopg

ROOT = Path(__file__).parents[2]
LONG = 120.0
SQLITE = "peerorder.sqlite3"


class Templates:
    """Databases with all tables and no rows, made once for a run of the tests and copied for every app."""

    folder: Path | None = None
    """Shared by all processes of the run; without it every database is migrated."""


def until(what: Callable[[], object], seconds: float = LONG) -> object:
    """Wait for something to be true; what it gives then."""
    end = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < end, f"did not come true in {seconds} s: {what}"
        time.sleep(0.1)
    return found


def free_port() -> int:
    with socket.socket() as there:
        there.bind(("127.0.0.1", 0))
        return there.getsockname()[1]


def health(port: int) -> dict | None:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health/", timeout=5) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        return json.load(error)
    except (OSError, HTTPException):
        return None


def healthy(port: int) -> dict | None:
    found = health(port)
    return found if found and found["database"] and found["worker"] else None


def children(number: int) -> list[int]:
    """The ids of the children of a process; none of one that has just ended."""
    with suppress(FileNotFoundError, ProcessLookupError):
        return [int(child) for child in Path(f"/proc/{number}/task/{number}/children").read_text().split()]
    return []


def family(number: int) -> list[int]:
    """The ids of a process and of all below it."""
    return [number, *(each for child in children(number) for each in family(child))]


def command_of(number: int) -> str:
    """The command of a process; nothing of one that has just ended, and that of its parent until it has begun."""
    with suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{number}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    return ""


def alive(number: int) -> bool:
    with suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def kill_all(process: subprocess.Popen) -> None:
    """Without a word, a process of ours and all below it at once."""
    numbers = family(process.pid)
    # Nobody may look after a dead child in between.
    for how in (signal.SIGSTOP, signal.SIGKILL):
        for number in numbers:
            # What runs in the background may have come to its end.
            with suppress(ProcessLookupError):
                os.kill(number, how)
    process.wait()
    until(lambda: not any(map(alive, numbers)))


class Nursery:
    """A process that is forked for every helper and every command; see ``tests/web/answering.py``."""

    def __init__(self) -> None:
        self._requests, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        # Without settings, so that nothing can depend on them before the fork.
        kept = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.web.answering", str(theirs.fileno())],
                env=kept | {"PYTHONUNBUFFERED": "1"},
                cwd=ROOT,
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )
        atexit.register(self.stop)
        self._asking = threading.Lock()

    def fork(self, environment: dict[str, str], streams: list[int], arguments: tuple[str, ...] = ()) -> int:
        """Return the id of a new process with this environment and these standard streams."""
        with self._asking:
            socket.send_fds(self._requests, [json.dumps([environment, arguments]).encode()], streams)
            return int(self._requests.recv(100))

    def run(self, environment: dict[str, str], streams: list[int], arguments: tuple[str, ...]) -> int:
        """Run a command to its end; return its exit code, negative where a signal ended it."""
        told, ended = os.pipe()
        waiter = self.fork(environment, [*streams, ended], arguments)
        os.close(ended)
        with os.fdopen(told) as end, selectors.DefaultSelector() as selector:
            selector.register(end, selectors.EVENT_READ)
            if not selector.select(LONG):
                for number in family(waiter):
                    os.kill(number, signal.SIGKILL)
                raise AssertionError(f"did not end in {LONG} s: {arguments}")
            return int(end.read())

    def stop(self) -> None:
        self._requests.close()
        self._process.wait(60)


nursery = cache(Nursery)


class Helper:
    """A process inside the app that answers questions until it is stopped; see ``tests/web/answering.py``."""

    def __init__(self, environment: dict[str, str]) -> None:
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115
        theirs, ours = os.pipe()
        self._questions = os.fdopen(ours, "wb")
        self._answers, its_answers = os.pipe()
        self._number = nursery().fork(environment, [theirs, its_answers, self._errors.fileno()])
        os.close(theirs)
        os.close(its_answers)

    def is_alive(self) -> bool:
        return alive(self._number)

    def ask(self, code: str):
        self._questions.write(json.dumps(code).encode() + b"\n")
        self._questions.flush()
        found = json.loads(self._line() or '{"failed": ""}')
        assert "failed" not in found, found["failed"] + self.errors()
        return found["told"]

    def _line(self) -> bytes:
        """The next line, or what is there of it when the process ends."""
        end, line = time.monotonic() + LONG, b""
        with selectors.DefaultSelector() as selector:
            selector.register(self._answers, selectors.EVENT_READ)
            while not line.endswith(b"\n"):
                assert selector.select(end - time.monotonic()), f"no answer in {LONG} s: {self.errors()}"
                some = os.read(self._answers, 1 << 16)
                if not some:
                    break
                line += some
        return line

    def errors(self) -> str:
        self._errors.seek(0)
        return self._errors.read()

    def stop(self) -> None:
        with suppress(BrokenPipeError):
            self._questions.close()
        try:
            until(lambda: not self.is_alive(), 10)
        except AssertionError:
            os.kill(self._number, signal.SIGKILL)
        os.close(self._answers)
        self._errors.close()


@dataclass
class App:
    """An installation. Settings of the tests add a few kinds of work, see ``tests/web/jobs/labour``."""

    home: Path
    database: str = ""
    more: dict[str, str] = field(default_factory=dict)
    _helper: "Helper | None" = field(default=None, init=False, repr=False, compare=False)

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PEERORDER_")}
        given = {"PEERORDER_HOME": str(self.home), "DJANGO_SETTINGS_MODULE": "tests.web.process_settings"}
        if self.database:
            given["PEERORDER_DATABASE"] = self.database
        return kept | given | {"PYTHONUNBUFFERED": "1"} | self.more

    def command(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess:
        """Run ``-m module`` or ``-c code`` with arguments, to its end."""
        with ExitStack() as stack:
            out, errors = (stack.enter_context(tempfile.TemporaryFile("w+", encoding="utf-8")) for _ in range(2))
            nothing = stack.enter_context(open(os.devnull))  # noqa: PTH123
            code = nursery().run(self.environment, [each.fileno() for each in (nothing, out, errors)], arguments)
            said = []
            for each in (out, errors):
                each.seek(0)
                said.append(each.read())
        done = subprocess.CompletedProcess(arguments, code, *said)
        if check:
            done.check_returncode()
        return done

    def migrate(self) -> "App":
        """Make the tables: a copy of those that an app with the same settings has made before."""
        if Templates.folder is None:
            self._migrate()
        elif self.database:
            self._copy_postgresql()
        else:
            self._copy_sqlite(Templates.folder)
        return self

    def _migrate(self) -> None:
        self.command("-m", "peerorder.web", "migrate", "--verbosity", "0")

    @property
    def _template(self) -> str:
        about = repr([sorted(self.more.items()), self.environment["DJANGO_SETTINGS_MODULE"]])
        return f"template_{hashlib.sha256(about.encode()).hexdigest()[:12]}"

    def _copy_sqlite(self, folder: Path) -> None:
        kept = folder / self._template
        with (folder / f"{self._template}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not kept.exists():
                with tempfile.TemporaryDirectory(dir=folder) as scratch:
                    made = App(Path(scratch) / "home", more=self.more)
                    made._migrate()
                    # With what is in its log: there is nobody else.
                    assert not list(made.home.glob("*-wal"))
                    (made.home / SQLITE).rename(kept)
        self.home.mkdir(parents=True, exist_ok=True, mode=0o700)
        shutil.copyfile(kept, self.home / SQLITE)
        (self.home / SQLITE).chmod(0o600)

    def _copy_postgresql(self) -> None:
        # As the migration would, which is not made for every test.
        self.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        with psycopg.connect(self.database) as connection:
            name = connection.info.dbname
        server = self.database.replace(f"/{name}?", "/postgres?")
        with psycopg.connect(server, autocommit=True) as connection:
            known = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [self._template]).fetchone()
            if not known:
                # One cluster serves one process of the tests: nobody else makes it meanwhile.
                self._migrate()
                connection.execute(f'ALTER DATABASE "{name}" RENAME TO "{self._template}"')
            else:
                connection.execute(f'DROP DATABASE "{name}"')
            connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{self._template}"')

    def ask(self, code: str):
        """Run a few lines inside the app; gives what they ``tell``. One process answers all questions to this app."""
        if self._helper is None or not self._helper.is_alive():
            self._helper = Helper(self.environment)
            weakref.finalize(self, self._helper.stop)
        return self._helper.ask(code)

    @contextmanager
    def process(self, *arguments: str, **options) -> Iterator[subprocess.Popen]:
        """A child, stopped at the end by its own id."""
        child = subprocess.Popen([sys.executable, *arguments], env=self.environment, cwd=ROOT, text=True, **options)
        try:
            yield child
        finally:
            if child.poll() is None:
                child.send_signal(signal.SIGTERM)
                try:
                    child.wait(60)
                except subprocess.TimeoutExpired:
                    child.kill()
                    child.wait()

    @contextmanager
    def serve(self, port: int, *options: str) -> Iterator["Served"]:
        """`peerorder serve` on a port, once it answers."""
        self.home.parent.mkdir(parents=True, exist_ok=True)
        out = self.home.parent / f"out{time.monotonic_ns()}"
        command = ("-m", "peerorder", "serve", "--port", str(port), *options)
        with out.open("w") as stream, self.process(*command, stdout=stream) as process:
            until(lambda: health(port) or process.poll() is not None)
            assert process.poll() is None, out.read_text()
            yield Served(process, port, out)


@dataclass
class Served:
    """A running site."""

    process: subprocess.Popen
    port: int
    out: Path

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def told(self) -> tuple[str, str]:
        """The username and the password that the first start prints."""
        found = until(lambda: re.search(r"username +(\S+)\n +password +(\S+)\n", self.out.read_text()))
        return found[1], found[2]
