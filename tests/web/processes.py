"""The app in processes of its own, with a folder and a database of its own, as it runs in earnest."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
LONG = 120.0
BEGIN = "import json, django; django.setup(); tell = lambda value: print('TOLD', json.dumps(value, default=str))\n"


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
    except OSError:
        return None


def healthy(port: int) -> dict | None:
    found = health(port)
    return found if found and found["database"] and found["worker"] else None


def children(number: int) -> list[int]:
    """The ids of the children of a process."""
    return [int(child) for child in Path(f"/proc/{number}/task/{number}/children").read_text().split()]


def family(number: int) -> list[int]:
    """The ids of a process and of all below it."""
    return [number, *(each for child in children(number) for each in family(child))]


def command_of(number: int) -> str:
    return Path(f"/proc/{number}/cmdline").read_bytes().replace(b"\0", b" ").decode()


def alive(number: int) -> bool:
    stat = Path(f"/proc/{number}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"


def kill_all(process: subprocess.Popen) -> None:
    """Without a word, a process of ours and all below it at once."""
    numbers = family(process.pid)
    # Nobody may look after a dead child in between.
    for number in numbers:
        os.kill(number, signal.SIGSTOP)
    for number in numbers:
        os.kill(number, signal.SIGKILL)
    process.wait()
    until(lambda: not any(map(alive, numbers)))


@dataclass
class App:
    """An installation. Settings of the tests add a few kinds of work, see ``tests/web/jobs/labour``."""

    home: Path
    database: str = ""
    more: dict[str, str] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PEERORDER_")}
        given = {"PEERORDER_HOME": str(self.home), "DJANGO_SETTINGS_MODULE": "tests.web.process_settings"}
        if self.database:
            given["PEERORDER_DATABASE"] = self.database
        return kept | given | {"PYTHONUNBUFFERED": "1"} | self.more

    def command(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess:
        return subprocess.run(
            [sys.executable, *arguments],
            env=self.environment,
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=check,
            timeout=LONG,
        )

    def migrate(self) -> "App":
        self.command("-m", "peerorder.web", "migrate", "--verbosity", "0")
        return self

    def ask(self, code: str):
        """Run a few lines inside the app; gives what they ``tell``."""
        seen = self.command("-c", BEGIN + code, check=False)
        assert seen.returncode == 0, seen.stdout + seen.stderr
        told = [line.removeprefix("TOLD ") for line in seen.stdout.splitlines() if line.startswith("TOLD ")]
        return json.loads(told[-1]) if told else None

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
        """The log-in name and the password that the first start prints."""
        found = until(lambda: re.search(r"log-in name +(\S+)\n +password +(\S+)\n", self.out.read_text()))
        return found[1], found[2]
