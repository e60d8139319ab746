"""The app in processes of its own, with a folder and a database of its own, as it runs in earnest."""

import json
import os
import signal
import subprocess
import sys
import time
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
