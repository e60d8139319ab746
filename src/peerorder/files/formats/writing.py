"""Writing by rename: a reader sees the old file or the new one, never half of one."""

import contextlib
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from peerorder.core.errors import InputError
from peerorder.core.translation import gettext as _

__all__ = [
    "PROVENANCE",
    "output_directory",
    "provenance_of",
    "provenance_path",
    "write_bytes",
    "write_provenance",
    "write_text",
]

PROVENANCE = ".provenance.json"
"""The suffix of the file that records how another file was made."""


def provenance_path(path: Path) -> Path:
    """Return the path of a file's provenance, in the same folder."""
    return path.with_name(path.name + PROVENANCE)


def output_directory(path: Path) -> Path:
    """Return the folder, created if missing; raise InputError if nothing can be written there."""
    try:
        if path.exists() and not path.is_dir():
            raise InputError(_("`out` {file} is a file; give a folder, or a new name").format(file=path))
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as error:
        raise InputError(
            _("`out` {file} cannot be written to ({error}); choose another folder").format(
                file=path, error=error.strerror
            )
        ) from None
    return path


def write_bytes(path: Path, data: bytes) -> None:
    """Write the data in one step. A link keeps pointing to its file; only ordinary files are replaced."""
    path = path.resolve()
    if path.exists() and not path.is_file():
        raise InputError(
            _("{file} is not an ordinary file, so it is not overwritten; choose another name").format(file=path)
        )
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        # mkstemp makes private files; what people asked for gets the permissions of any new file.
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(name, 0o666 & ~umask)  # noqa: PTH101 -- a plain name, not a Path, all the way
        os.replace(name, path)  # noqa: PTH105
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)  # noqa: PTH108
        raise


def write_text(path: Path, text: str) -> None:
    """Write the text in one step, as UTF-8."""
    write_bytes(path, text.encode())


def write_provenance(path: Path, provenance: Mapping[str, Any]) -> None:
    """Write ``FILE.provenance.json`` next to a file: how it was made."""
    text = json.dumps(provenance, indent=2, ensure_ascii=False)
    write_text(provenance_path(path), text + "\n")


def provenance_of(path: Path) -> dict[str, Any]:
    """Return the content of a file's provenance; an empty dictionary where there is none."""
    try:
        about = json.loads(provenance_path(path).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return about if isinstance(about, dict) else {}
