"""Environments for what cannot live with ours, our previous version too, made when they are first needed and kept.

They stand in ``benchmarks/.environments``, which git ignores; remove it to have them made anew.
"""

import subprocess
import sys
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from benchmarks.peers.libraries import PREVIOUS, Peer

__all__ = ["NEEDS", "CannotRun", "python_for"]

ROOT = Path(__file__).parents[2]
PLACE = ROOT / "benchmarks" / ".environments"
# The last commit whose _version.py says 0.8.0.
PREVIOUS_COMMIT = "a3f1095c67021272a3f6b0c7918a488eceb0200f"
NEEDS = {
    # arena-rank holds NumPy to one version; crowd-kit brings language models' tools along.
    "arena-rank": ["arena-rank>=0.1.1"],
    "crowd-kit": ["crowd-kit>=1.4"],
    # On the same compiler and the same arrays as ours, so that nothing but our own code differs.
    PREVIOUS.environment: [
        f"git+{ROOT.as_uri()}@{PREVIOUS_COMMIT}",
        *(f"{package}=={version(package)}" for package in ("numba", "numpy", "scipy")),
    ],
}


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
    place, needs = PLACE / name, NEEDS[name]
    python = place / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    # Written last: an environment that was left half made is made again.
    stamp = place / "complete"
    if not stamp.exists() or stamp.read_text("utf-8") != "\n".join(needs):
        if name == PREVIOUS.environment:
            _check_history()
        _run(name, [sys.executable, "-m", "venv", "--clear", str(place)])
        _run(name, [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *needs])
        stamp.write_text("\n".join(needs), "utf-8")
    return str(python)


def _check_history() -> None:
    """Raise CannotRun if git does not have the previous version, as in a shallow clone or without git."""
    command = ["git", "-C", str(ROOT), "cat-file", "-e", f"{PREVIOUS_COMMIT}^{{commit}}"]
    try:
        missing = subprocess.run(command, capture_output=True, check=False).returncode != 0
    except OSError:
        missing = True
    if missing:
        cure = f"git fetch origin {PREVIOUS_COMMIT}"
        raise CannotRun(f"the history here does not reach back to {PREVIOUS.distribution} 0.8.0: {cure}")


def _run(name: str, command: list[str]) -> None:
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        last = (done.stdout.strip().splitlines() or ["it said nothing"])[-1]
        raise CannotRun(f"an environment for {name} could not be made: {last}")
