"""Servers that a benchmark starts on this machine, and stops by their own id."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["ROOT", "environment", "free_port", "run", "serving"]

ROOT = Path(__file__).parents[1]


def environment(**given: str) -> dict[str, str]:
    """Return the environment of this process with these settings of the app, and no others."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PEERORDER_")}
    return kept | {f"PEERORDER_{name}": value for name, value in given.items()}


def run(settings: dict[str, str], *arguments: str) -> str:
    """Run Python with these arguments; return the last line that it prints."""
    done = subprocess.run(
        [sys.executable, *arguments], env=settings, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    )
    return done.stdout.splitlines()[-1] if done.stdout else ""


@contextmanager
def serving(command: list[str], settings: dict[str, str], port: int, log: Path) -> Iterator[None]:
    """Run a server, from when it answers on its port to the end of the block."""
    # A line in the log for every request is part of the work, but not for here.
    with log.open("w") as stream:
        server = subprocess.Popen(command, env=settings, cwd=ROOT, stdout=stream, stderr=stream)
    try:
        until = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                if server.poll() is not None or time.monotonic() > until:
                    raise RuntimeError(f"{command[0]} does not serve:\n{log.read_text()[-2000:]}") from None
                time.sleep(0.1)
        yield
    finally:
        server.terminate()
        server.wait(60)


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])
