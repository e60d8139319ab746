"""Tasks of the sandbox in a fork of this process, for tests that are about something else.

To start a process and import a reader takes most of the time of a task. A fork has all of it, and what the task does to
the process stays in it; but nothing is limited or shut in. Whatever tries that asks for the fixture ``real_sandbox``.
"""

import os
import sys
import tempfile
import warnings
from pathlib import Path

from peerorder.web.sandbox import child, runner

__all__ = ["REAL", "run_forked"]

REAL = runner._run


def run_forked(mode, task, source, folder, limits, is_wanted, errors=None, options=None):
    """Run a task as ``runner._run`` does, with the same answer."""
    with (
        source.open("rb") as given,
        tempfile.TemporaryFile(dir=folder) as answer,
        tempfile.TemporaryDirectory(dir=folder) as scratch,
    ):
        job = {"task": task, "options": dict(options or {}), "suffix": source.suffix, "folder": scratch, "path": []}
        if not (number := os.fork()):
            _become_child(job, given.fileno(), answer.fileno())
        runner._check_end(task, os.waitstatus_to_exitcode(os.waitpid(number, 0)[1]))
        answer.seek(0)
        return runner._unpack(task, answer, Path(folder), limits)


def _become_child(job, given: int, answer: int) -> None:
    """Run the task in this process, which ends with it."""
    ended = 1
    try:
        warnings.simplefilter("ignore")
        child.drop_privileges = lambda job: None
        sys.stdin, sys.stdout = os.fdopen(given), os.fdopen(answer, "w")
        child.main(job)
        ended = 0
    finally:
        os._exit(ended)
