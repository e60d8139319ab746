"""Have something done to a file from outside, in a process that can do no harm."""

import json
import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from peerorder.web.papers.sandbox.problems import Problem

MEGABYTES = 1024
# The clock on the wall may run ahead of the processor's where the machine is busy.
PATIENCE = 4
logger = logging.getLogger("peerorder.papers")


def run_sandboxed(command: str, source: Path, folder: Path, *, seconds: int) -> dict[str, Any]:
    """Run a command of the sandbox on a file, for at most this many seconds of CPU; raise Problem if it fails."""
    # No variable of ours goes along: the secret key is one of them.
    environment = {"PATH": os.defpath, "LANG": "C.UTF-8", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    # And nothing is loaded from the folder, where files from outside lie.
    call = [sys.executable, "-B", "-P", "-m", "peerorder.web.papers.sandbox", command, str(source), str(folder)]
    said = folder / "said.json"
    with said.open("wb") as out, (folder / "wrong.txt").open("wb") as wrong:
        try:
            # What it says goes into files, whose size is limited as all it writes.
            ended = subprocess.run(
                [*call, str(seconds), str(MEGABYTES)],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=wrong,
                env=environment,
                cwd=folder,
                timeout=PATIENCE * seconds + 5,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise Problem("too-much") from None
    if ended.returncode < 0:
        # Stopped by the system: too much time or memory, or a reader that fell over.
        raise Problem("too-much")
    if ended.returncode:
        last = (folder / "wrong.txt").read_text(errors="replace").strip()[-300:]
        logger.warning("a file could not be worked on (%s): %s", command, last)
        raise Problem("too-much" if "MemoryError" in last or "Cannot allocate" in last else "unknown")
    answer: dict[str, Any] = json.loads(said.read_text())
    if "problem" in answer:
        raise Problem(answer["problem"])
    return answer
