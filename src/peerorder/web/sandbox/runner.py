"""Run a task on a file from outside, in a process that sees nothing else and is stopped when it takes too much."""

import json
import logging
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any

from django.conf import settings

from peerorder.core.translation import gettext as _
from peerorder.web.sandbox import bubblewrap, child
from peerorder.web.sandbox.problems import Problem

BUBBLEWRAP, LIMITED = "bubblewrap", "limited"
# The clock on the wall may run ahead of the processor's where the machine is busy.
PATIENCE = 4
# How many tasks run at a time in a process, and how many seconds a task waits for its turn.
AT_ONCE = 2
TURN = 20.0
# How often a caller is asked whether it still wants the result.
ASK = 1.0
LONGEST_ANSWER = 32 * 2**20
PYTHON = Path(sys.executable).resolve()
# None of our environment variables is passed on: the secret key is among these.
ENVIRONMENT = {
    "LANG": "C.UTF-8",
    # Libraries that would start threads, which they cannot.
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}
NAME = re.compile(r"[a-z0-9]{1,20}\.[a-z]{1,5}")
CODE = re.compile(r"[a-z-]{1,40}")
logger = logging.getLogger("peerorder.sandbox")
_turns = threading.BoundedSemaphore(AT_ONCE)
_mode: str | None = None


@dataclass(frozen=True)
class Limits:
    """What a task may take."""

    seconds: int
    """Of CPU."""
    memory: int = 2**30
    """Bytes of memory."""
    output: int = 64 * 2**20
    """Bytes in what it writes, all files together."""

    @property
    def patience(self) -> float:
        """Seconds on the wall."""
        return PATIENCE * self.seconds + 5


def run_sandboxed(
    task: str,
    source: Path,
    folder: Path,
    limits: Limits,
    *,
    options: Mapping[str, Any] | None = None,
    is_wanted: Callable[[], bool] | None = None,
) -> Any:
    """Run a task on a file; return its result, which is what the process says and no more to be trusted than the file.

    Parameters
    ----------
    task
        ``package.module:function``. It is called with the path of the file, whose ending is kept, and of a folder,
        where it may write files with names like ``1.webp``. What it returns must fit into JSON.
    source
        The file.
    folder
        Where the files that the task wrote are put.
    limits
        What it may take.
    options
        What else the task is called with, by name; it must fit into JSON.
    is_wanted
        Asked every second; when it says no, the process is stopped.

    Raises
    ------
    Problem
        If something is wrong with the file, or it takes too much.
    """
    if not _turns.acquire(timeout=TURN):
        raise Problem("busy")
    try:
        return _run(sandbox_mode(), task, source, folder, limits, is_wanted, options=options or {})
    finally:
        _turns.release()


# The mode.


def sandbox_mode() -> str:
    """Return how tasks run: as the settings say, or as well as it goes here, which is tried once."""
    if _mode is None:
        fix_mode(settings.ENVIRONMENT.sandbox or (LIMITED if why_no_bubblewrap() else BUBBLEWRAP))
    return str(_mode)


def fix_mode(mode: str) -> None:
    """Run all tasks of this process in this mode."""
    global _mode
    _mode = mode


def why_no_bubblewrap() -> str:
    """Try bubblewrap; return why it does not work here, or nothing."""
    if bubblewrap.program() is None:
        return _("bwrap is not installed")
    with tempfile.TemporaryDirectory(prefix="peerorder-sandbox-") as name:
        folder = Path(name)
        source, errors = folder / "trial.txt", folder / "errors"
        source.write_text("trial")
        try:
            with errors.open("wb") as stream:
                output = _run(
                    BUBBLEWRAP, "peerorder.web.sandbox.trial:try_out", source, folder, Limits(20), None, stream
                )
        except Problem as problem:
            reason = errors.read_text(errors="replace").strip().partition("\n")[0][:200]
            return reason or _("the trial ended in {code}").format(code=problem.code)
    return "" if output == "trial" else _("the trial gave a wrong answer")


# The process.


def _run(
    mode: str,
    task: str,
    source: Path,
    folder: Path,
    limits: Limits,
    is_wanted: Callable[[], bool] | None,
    errors: IO[bytes] | int = subprocess.DEVNULL,
    options: Mapping[str, Any] = MappingProxyType({}),
) -> Any:
    packages = {"peerorder": _package("peerorder"), task.partition(".")[0]: _package(task.partition(".")[0])}
    job = {
        "task": task,
        "options": dict(options),
        "suffix": source.suffix,
        "path": [*map(str, bubblewrap.library_folders()), *(str(path.parent) for path in packages.values())],
        "seconds": limits.seconds,
        "memory": limits.memory,
        # The largest of its files is the one that it sends back.
        "file": limits.output + LONGEST_ANSWER,
        "user": None,
    }
    with (
        source.open("rb") as given,
        tempfile.TemporaryFile(dir=folder) as answer,
        tempfile.TemporaryDirectory(dir=folder) as scratch,
    ):
        start = [str(PYTHON), "-I", "-S", "-B", "-X", "utf8", child.__file__]
        if mode == BUBBLEWRAP:
            job |= {"folder": bubblewrap.SCRATCH, "user": bubblewrap.NOBODY if bubblewrap.is_root() else None}
            size = limits.output + source.stat().st_size + 2**20
            command = bubblewrap.sandbox_command([*start, json.dumps(job)], packages.values(), hidden_folders(), size)
        else:
            command = [*start, json.dumps(job | {"folder": scratch})]
        # What it says to its errors may hold names, and goes nowhere.
        process = subprocess.Popen(
            command, stdin=given, stdout=answer, stderr=errors, env=ENVIRONMENT, cwd="/", start_new_session=True
        )
        try:
            ended = _wait(process, limits, is_wanted)
        finally:
            _kill(process)
        _check_end(task, ended)
        answer.seek(0)
        return _unpack(task, answer, folder, limits)


def hidden_folders() -> tuple[Path, ...]:
    """Return the folders of the site, which a task must not see even where they lie among libraries."""
    return Path(settings.ENVIRONMENT.home), Path(settings.MEDIA_ROOT)


def _package(name: str) -> Path:
    """Return the folder of a package, as this process would import it."""
    spec = find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise ValueError(f"there is no package {name}")
    return Path(next(iter(spec.submodule_search_locations))).absolute()


def _wait(process: subprocess.Popen[bytes], limits: Limits, is_wanted: Callable[[], bool] | None) -> int:
    end = time.monotonic() + limits.patience
    while (left := end - time.monotonic()) > 0:
        with suppress(subprocess.TimeoutExpired):
            return process.wait(min(left, ASK) if is_wanted else left)
        if is_wanted and not is_wanted():
            raise Problem("unwanted")
    raise Problem("too-much")


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill it if it still runs, with all that it started."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _check_end(task: str, ended: int) -> None:
    """Raise the problem that the end of the process tells of."""
    # bwrap tells of the signal that ended the process inside as a shell does.
    number = -ended if ended < 0 else ended - 128
    if number == signal.SIGPROF:
        raise Problem("slow-step")
    if number > 0:
        # Stopped by the system: too much time or memory, or a reader that fell over.
        raise Problem("too-much")
    if ended:
        logger.warning("a task of the sandbox failed: %s, exit status %d", task, ended)
        raise Problem("unknown")


def _unpack(task: str, answer: IO[bytes], folder: Path, limits: Limits) -> Any:
    """Put the files where they belong, and return the result, if what came is in order."""
    line = answer.readline(LONGEST_ANSWER)
    try:
        said = json.loads(line)
        files = [(str(name), int(size)) for name, size in said["files"]]
        if any(not NAME.fullmatch(name) or size < 0 for name, size in files):
            raise ValueError
        if len(dict(files)) != len(files) or sum(size for _name, size in files) > limits.output:
            raise ValueError
        code, failed = said.get("problem"), said.get("failed")
        if code is not None and CODE.fullmatch(code):
            raise Problem(code)
        if failed is not None:
            logger.warning("a task of the sandbox failed: %s, %s", task, re.sub(r"\W", "", str(failed))[:60])
            raise Problem("unknown")
        result = said["result"]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        logger.warning("a task of the sandbox gave an answer that cannot be read: %s", task)
        raise Problem("unknown") from None
    for name, size in files:
        with (folder / name).open("xb") as out:
            while size > 0 and (some := answer.read(min(size, 2**20))):
                out.write(some)
                size -= len(some)
    return result
