"""Writing by rename: a reader sees the old file or the new one, never half of one."""

import contextlib
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from peerorder.core.errors import InputError

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
"""How the name of a file ends that says where the content of the one beside it came from."""


def provenance_path(path: Path) -> Path:
    """Return where the provenance of a file is: beside it."""
    return path.with_name(path.name + PROVENANCE)


def output_directory(path: Path) -> Path:
    """The directory, made where it is missing; a clear error where nothing can be written there."""
    try:
        if path.exists() and not path.is_dir():
            raise InputError(f"`out` {path} is a file; give a directory, or a name that is not taken yet")
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as error:
        raise InputError(f"`out` {path} cannot be written to ({error.strerror}); choose another directory") from None
    return path


def write_bytes(path: Path, data: bytes) -> None:
    """Put the data in place in one step. A link keeps pointing to its file; what is no file is left alone."""
    path = path.resolve()
    if path.exists() and not path.is_file():
        raise InputError(f"{path} is no ordinary file, so it is not written to; choose another name")
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
    """Put the text in place in one step, as UTF-8."""
    write_bytes(path, text.encode())


def write_provenance(path: Path, provenance: Mapping[str, Any]) -> None:
    """``FILE.provenance.json`` beside a file: where its content came from."""
    text = json.dumps(provenance, indent=2, ensure_ascii=False)
    write_text(provenance_path(path), text + "\n")


def provenance_of(path: Path) -> dict[str, Any]:
    """Return what stands in the provenance beside a file; nothing where there is none."""
    try:
        about = json.loads(provenance_path(path).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return about if isinstance(about, dict) else {}
