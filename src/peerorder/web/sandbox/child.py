"""The process: gives up what it does not need, runs one task on one file, and sends back what came of it.

It runs as a script without ``site`` (``python -I -S``), so that it starts in a few milliseconds. The file comes by the
standard input. What is sent back, by the standard output, is a line of JSON and then the files that the task wrote.
"""

import errno
import json
import os
import resource
import shutil
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

NO_ROOM = {errno.EFBIG, errno.ENOSPC, errno.ENOMEM}


def drop_privileges(job: dict[str, Any]) -> None:
    """Become a user who owns nothing, if told so, and take no more than so much from now on: the system sees to it."""
    # Where everything is busy, pages go first.
    os.nice(5)
    if job["user"] is not None:
        os.setgroups([])
        os.setgid(job["user"])
        os.setuid(job["user"])
    for what, most in (
        (resource.RLIMIT_AS, job["memory"]),
        (resource.RLIMIT_FSIZE, job["file"]),
        (resource.RLIMIT_NOFILE, 64),
        (resource.RLIMIT_CORE, 0),
        # No other process and no thread.
        (resource.RLIMIT_NPROC, 0),
    ):
        resource.setrlimit(what, (most, most))
    # The first of the two can be told from other ends by its signal.
    resource.setrlimit(resource.RLIMIT_CPU, (job["seconds"], job["seconds"] + 1))


def run(job: dict[str, Any], source: Path, folder: Path) -> dict[str, Any]:
    """Run the task; return its result, or what is wrong with the file."""
    from peerorder.web.sandbox.problems import Problem

    module, _, name = job["task"].partition(":")
    try:
        return {"result": getattr(import_module(module), name)(source, folder, **job["options"])}
    except Problem as problem:
        return {"problem": problem.code}
    except MemoryError:
        return {"problem": "too-much"}
    except Exception as error:
        if isinstance(error, OSError) and error.errno in NO_ROOM:
            return {"problem": "too-much"}
        # What it says may hold somebody's name; what kind it is does not.
        return {"failed": type(error).__name__}


def main(job: dict[str, Any]) -> None:
    """Take in the file, run the task, and send back what came of it."""
    sys.path += job["path"]
    folder = Path(job["folder"])
    source, output = folder / f"input{job['suffix']}", folder / "output"
    with source.open("wb") as copy:
        shutil.copyfileobj(sys.stdin.buffer, copy)
    source.chmod(0o644)
    output.mkdir(mode=0o777)
    output.chmod(0o777)
    drop_privileges(job)
    answer = run(job, source, output)
    files = sorted(output.iterdir())
    answer["files"] = [[path.name, path.stat().st_size] for path in files]
    out = sys.stdout.buffer
    out.write(json.dumps(answer).encode() + b"\n")
    for path in files:
        with path.open("rb") as stream:
            shutil.copyfileobj(stream, out)
    out.flush()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
