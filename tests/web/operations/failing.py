"""A restore that goes wrong at its n-th step: whatever it does to files, processes and the database is a step.

Runs inside the app (``App.ask``). Every try is in a process of its own, which may be killed.
"""

import contextlib
import os
import signal
import sys
from pathlib import Path

from django.db import OperationalError, connection
from django.db.backends.utils import CursorWrapper
from django.db.migrations.loader import MigrationLoader

from peerorder.core.errors import InputError
from peerorder.web.operations.restore import resolve_interrupted_restore, restore

FILES = {"os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.chmod", "sqlite3.connect", "subprocess.Popen"}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
# Every try looks whether migrations are missing; what it imports for that is there before it is forked.
MigrationLoader(None)
# How it goes wrong: once, at every step from there on, or by being killed.
ONCE, EVER, KILLED = "once", "ever", "killed"


class Steps:
    """Counts the steps, and lets those fail that are to."""

    def __init__(self, failing: int, how: str) -> None:
        self.failing, self.how, self.count = failing, how, 0

    def __call__(self, error: type[Exception]) -> None:
        self.count += 1
        if self.count == self.failing and self.how == KILLED:
            os.kill(os.getpid(), signal.SIGKILL)
        if self.count == self.failing or (self.how == EVER and self.count > self.failing):
            raise error(28, "this step fails")

    def watch(self) -> None:
        """Count from now on."""

        def audit(event: str, given: tuple) -> None:
            if event in FILES or (event == "open" and isinstance(given[2], int) and given[2] & WRITING):
                self(OSError)

        execute = CursorWrapper.execute

        def counted(*given, **more):
            self(OperationalError)
            return execute(*given, **more)

        CursorWrapper.execute = counted
        sys.addaudithook(audit)


def in_a_fork(call) -> int:
    """Run something in a copy of this process; return its exit code, negative where a signal ended it."""
    connection.close()
    number = os.fork()
    if not number:
        code = 9
        with contextlib.suppress(BaseException):
            code = call()
        os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])


def try_restore(file: str, failing: int, how: str) -> int:
    """Restore by force; return 0 if no step failed, 2 for an error that people read, 3 if a step failed too late."""

    def call() -> int:
        steps = Steps(failing, how)
        steps.watch()
        try:
            restore(Path(file), force=True)
        except InputError as error:
            print(failing, how, error, file=sys.stderr)
            return 2
        return 0 if steps.count < failing else 3

    return in_a_fork(call)


def settle() -> int:
    """What the next command does first; return 0, or 2 for an error that people are told."""

    def call() -> int:
        try:
            resolve_interrupted_restore()
        except InputError as error:
            print(error, file=sys.stderr)
            return 2
        return 0

    return in_a_fork(call)
