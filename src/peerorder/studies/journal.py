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

__all__ = ["Journal", "about_this_code", "code_digest", "read_journal"]

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


def about_this_code() -> dict[str, Any]:
    """Return what every journal says about the code that computed its results."""
    return {"version": __version__, "code": code_digest()}


def read_journal(path: Path) -> tuple[dict[str, Any], dict[str, dict[str, float]]]:
    """Return the header line of a journal, empty where there is none, and the results that follow it by their keys."""
    head: dict[str, Any] = {}
    done: dict[str, dict[str, float]] = {}
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines() if path.exists() else []
        if lines and isinstance(first := json.loads(lines[0]), dict):
            head = first
            for line in lines[1:]:
                key, result = json.loads(line)
                done[key] = result
    except (ValueError, TypeError):
        # What an interrupt cut off.
        pass
    return head, done


class Journal:
    """Finished runs in a directory, one JSON line each, under a header line that says what they belong to.

    Another head (another seed or other code) has a journal of its own, or under a given name is refused. A last line
    that an interrupt cut off is dropped.
    """

    def __init__(self, directory: Path, about: Mapping[str, Any], name: str | None = None) -> None:
        self._head = {**about_this_code(), **about}
        digest = hashlib.blake2b(json.dumps(self._head).encode(), digest_size=6).hexdigest()
        self.path = directory / (name or f"{PREFIX}{digest}.jsonl")
        try:
            head, done = read_journal(self.path)
            if name is not None and head not in ({}, self._head):
                text = _("{path} is of other settings or another version; choose another `out`, or delete it first")
                raise InputError(text.format(path=self.path))
            self._done = done if head == self._head else {}
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
