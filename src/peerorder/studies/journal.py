"""The journal of a long computation: every finished run is on disk at once, so that an interrupt loses nothing."""

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from peerorder._version import __version__
from peerorder.core.errors import InputError
from peerorder.core.translation import gettext as _
from peerorder.files import write_text

__all__ = ["Journal", "code_digest"]

PREFIX = ".unfinished-"


@cache
def code_digest() -> str:
    """Return a hash of peerorder's own source: results of other code are never taken for results of this code.

    The web app has no part in any result.
    """
    root = Path(str(files("peerorder")))
    hashed = hashlib.blake2b(digest_size=12)
    for path in sorted(path for path in root.rglob("*.py") if not path.is_relative_to(root / "web")):
        hashed.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes())
    return hashed.hexdigest()


class Journal:
    """Finished runs in a directory, one JSON line each, under a header line that says what they belong to.

    Another head (another seed or other code) has a journal of its own. A last line that an interrupt
    cut off is dropped.
    """

    def __init__(self, directory: Path, about: Mapping[str, Any]) -> None:
        self._head = {"version": __version__, "code": code_digest(), **about}
        name = hashlib.blake2b(json.dumps(self._head).encode(), digest_size=6).hexdigest()
        self.path = directory / f"{PREFIX}{name}.jsonl"
        self._done: dict[str, dict[str, float]] = {}
        try:
            self._read()
            # Written anew, in one step, which mends a last line that was cut off; then added to.
            lines = [self._head, *([key, result] for key, result in self._done.items())]
            write_text(self.path, "".join(json.dumps(line) + "\n" for line in lines))
            self._stream = self.path.open("a", encoding="utf-8")
        except OSError as error:
            raise InputError(
                _("{path} cannot be used ({problem}); choose another `out`").format(
                    path=self.path, problem=error.strerror
                )
            ) from None

    def __len__(self) -> int:
        return len(self._done)

    def get(self, key: str) -> dict[str, float] | None:
        """Return the result of a run, None where it has not been done."""
        return self._done.get(key)

    def add(self, key: str, result: dict[str, float]) -> None:
        """Write a result to disk at once."""
        self._done[key] = result
        self._stream.write(json.dumps([key, result]) + "\n")
        self._stream.flush()

    def close(self) -> None:
        """Leave the journal for the next time."""
        self._stream.close()

    def discard(self) -> None:
        """Remove the journal: everything it held is in the output."""
        self._stream.close()
        self.path.unlink(missing_ok=True)

    def _read(self) -> None:
        if not self.path.exists():
            return
        lines = self.path.read_text(encoding="utf-8", errors="replace").splitlines()
        try:
            if not lines or json.loads(lines[0]) != self._head:
                return
            for line in lines[1:]:
                key, result = json.loads(line)
                self._done[key] = result
        except (json.JSONDecodeError, ValueError, TypeError):
            return
