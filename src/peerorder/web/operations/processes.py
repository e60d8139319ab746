"""Child processes that run and stop together, and are restarted when they die."""

import ctypes
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType
from typing import Self

from peerorder.core.translation import gettext as _

# How many seconds a child that was told to stop may take.
PATIENCE = 40.0
# A child that dies again and again is restarted ever more slowly, at most this many seconds apart.
LONGEST_WAIT = 30.0
LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None
PARENT_DEATH_SIGNAL = 1


@dataclass
class Child:
    """A child process that is restarted when it dies, every time more slowly.

    Parameters
    ----------
    title
        What it is called in messages.
    command
        Returns its command, from the name under which it runs; every start has a new name.
    on_death
        Called with its name when it has died.
    """

    title: str
    command: Callable[[str], list[str]]
    on_death: Callable[[str], None] | None = None
    name: str = ""
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    deaths: int = 0
    restart_at: float = 0.0

    def start(self, lock: int) -> None:
        """Start it under a new name; it inherits the lock."""
        self.name = f"{socket.gethostname()[:20]}-{secrets.token_hex(8)}"
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            self.command(self.name),
            pass_fds=[lock],
            # Ctrl-C on a terminal goes to all of its processes; ours are told by us.
            start_new_session=True,
            preexec_fn=die_with_parent,
        )

    def look_after(self, lock: int) -> None:
        """Note that it has died, and restart it when it is time."""
        now = time.monotonic()
        if self.process is not None and (code := self.process.poll()) is not None:
            self.deaths = 1 if now - self.started > LONGEST_WAIT else self.deaths + 1
            self.restart_at = now if self.deaths == 1 else now + min(2.0**self.deaths, LONGEST_WAIT)
            self.process = None
            text = _("{program} stopped with code {code} and is being restarted")
            print("peerorder: " + text.format(program=self.title, code=code), file=sys.stderr, flush=True)
            if self.on_death is not None:
                self.on_death(self.name)
        if self.process is None and self.restart_at <= now:
            self.start(lock)

    def wait(self, until: float) -> None:
        """Wait for its end, and kill it when the time is over."""
        if self.process is None:
            return
        try:
            self.process.wait(max(0.1, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Supervisor:
    """Runs child processes until it is told to stop; they share a lock."""

    def __init__(self, children: list[Child], lock: int) -> None:
        self._children = children
        self._lock = lock
        self._stopped = False

    def run(self, ready: Callable[[], None]) -> None:
        """Start all, call ``ready``, and look after them until a signal comes."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._stop)
        try:
            for child in self._children:
                child.start(self._lock)
            ready()
            while not self._stopped:
                for child in self._children:
                    child.look_after(self._lock)
                time.sleep(0.2)
        finally:
            self._end()

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        self._stopped = True

    def _end(self) -> None:
        for child in self._children:
            if child.process is not None:
                child.process.terminate()
        until = time.monotonic() + PATIENCE
        for child in self._children:
            child.wait(until)


class Background:
    """A command that runs once at the lowest priority, says nothing, and is stopped when its block ends."""

    def __init__(self, command: list[str]) -> None:
        self._command = command
        self.process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def start(self) -> None:
        """Start it."""
        quiet = subprocess.DEVNULL
        self.process = subprocess.Popen(
            self._command, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True, preexec_fn=_lower_priority
        )

    def __exit__(self, *_error: object) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait()


def _lower_priority() -> None:
    die_with_parent()
    os.nice(19)


def die_with_parent() -> None:
    """Have the kernel stop this child when its parent is killed without a word: nobody else would do it."""
    if LIBC is not None:
        LIBC.prctl(PARENT_DEATH_SIGNAL, signal.SIGTERM)
