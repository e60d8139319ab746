"""Writing by rename: a reader sees the old file or the new one, never half of one."""

import contextlib
import errno
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from peerorder.core.errors import InputError
from peerorder.core.translation import gettext as _

__all__ = [
    "PROVENANCE",
    "output_directory",
    "provenance_bytes",
    "provenance_of",
    "provenance_path",
    "replaced",
    "write_bytes",
    "write_provenance",
    "write_text",
]

PROVENANCE = ".provenance.json"
"""The suffix of the file that records how another file was made."""
# What the system says where there is no room: on the disk, in somebody's share of it, or in one file.
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


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


@contextlib.contextmanager
def replaced(path: Path) -> Iterator[Path]:
    """Give the name of a new file next to another, which takes its place at the end, in one step.

    On any error the new file is removed, and the old one stays; errors of the system, such as a full disk, become
    InputError. A link keeps pointing to its file; only ordinary files are replaced.
    """
    path = path.resolve()
    if path.exists() and not path.is_file():
        raise InputError(
            _("{file} is not an ordinary file, so it is not overwritten; choose another name").format(file=path)
        )
    new: Path | None = None
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        new = Path(name)
        os.close(handle)
        yield new
        # mkstemp makes private files; what people asked for gets the permissions of any new file.
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(new, 0o666 & ~umask)  # noqa: PTH101 -- one step each, which the tests watch
        os.replace(new, path)  # noqa: PTH105
    except BaseException as error:
        if new is not None:
            with contextlib.suppress(OSError):
                new.unlink()
        if isinstance(error, OSError):
            raise InputError(_not_written(path, error)) from error
        raise


def _not_written(path: Path, error: OSError) -> str:
    cause = os.strerror(error.errno) if error.errno else str(error)
    text = _("{file} cannot be written ({error}); choose another name")
    if error.errno in FULL:
        text = _("{file} cannot be written ({error}); free some space on this disk, or choose another one")
    return text.format(file=path, error=cause)


def write_bytes(path: Path, data: bytes) -> None:
    """Write the data in one step."""
    with replaced(path) as new:
        new.write_bytes(data)


def write_text(path: Path, text: str) -> None:
    """Write the text in one step, as UTF-8."""
    write_bytes(path, text.encode())


def write_provenance(path: Path, provenance: Mapping[str, Any]) -> None:
    """Write ``FILE.provenance.json`` next to a file: how it was made."""
    write_bytes(provenance_path(path), provenance_bytes(provenance))


def provenance_bytes(provenance: Mapping[str, Any]) -> bytes:
    """Return what ``write_provenance`` writes, for callers that write several files together."""
    return (json.dumps(provenance, indent=2, ensure_ascii=False) + "\n").encode()


def provenance_of(path: Path) -> dict[str, Any]:
    """Return the content of a file's provenance; an empty dictionary where there is none."""
    try:
        about = json.loads(provenance_path(path).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return about if isinstance(about, dict) else {}
