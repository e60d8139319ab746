"""Environments for the libraries that cannot live with ours, made when they are first needed and kept.

They stand in ``benchmarks/.environments``, which git ignores; remove it to have them made anew.
"""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from benchmarks.peers.libraries import Peer

__all__ = ["NEEDS", "CannotRun", "python_for"]

PLACE = Path(__file__).parents[1] / ".environments"
# arena-rank holds NumPy to one version; crowd-kit brings language models' tools along.
NEEDS = {"arena-rank": "arena-rank>=0.1.1", "crowd-kit": "crowd-kit>=1.4"}


class CannotRun(Exception):
    """A library cannot be had on this machine; the message says why."""


def python_for(peer: Peer) -> str:
    """Give the interpreter of an environment that has the library."""
    if peer.environment is not None:
        return _made(peer.environment)
    if find_spec(peer.distribution) is None:
        raise CannotRun(f'{peer.distribution} is not installed: pip install -e ".[bench]"')
    return sys.executable


def _made(name: str) -> str:
    place, need = PLACE / name, NEEDS[name]
    python = place / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    # Written last: an environment that was left half made is made again.
    stamp = place / "complete"
    if not stamp.exists() or stamp.read_text("utf-8") != need:
        _run(name, [sys.executable, "-m", "venv", "--clear", str(place)])
        _run(name, [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", need])
        stamp.write_text(need, "utf-8")
    return str(python)


def _run(name: str, command: list[str]) -> None:
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        last = (done.stdout.strip().splitlines() or ["it said nothing"])[-1]
        raise CannotRun(f"an environment for {name} could not be made: {last}")
