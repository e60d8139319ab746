"""Files for what goes from one task to the next: written by rename, because a task may run twice or be killed."""

import errno
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from peerorder.core.errors import InputError
from peerorder.core.translation import gettext as _

__all__ = ["load_arrays", "replace_file", "save_arrays"]


def replace_file(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Write a file by rename; raise InputError if the disk is full or cannot be written to."""
    # Two workers may write the same file; what they write is the same.
    part = path.with_name(f"{path.name}.{uuid4().hex}")
    try:
        with part.open("wb") as stream:
            write(stream)
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        text = _("{folder} cannot be written to ({error}); choose another folder for `out`, which all workers reach")
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            text = _("{folder} is full ({error}); free some space there, or choose another folder for `out`")
        raise InputError(text.format(folder=path.parent.parent, error=error.strerror or error)) from None


def save_arrays(path: Path, arrays: tuple[NDArray[Any], ...]) -> None:
    """Write arrays to a file."""

    def write(stream: BinaryIO) -> None:
        for array in arrays:
            np.save(stream, array)

    replace_file(path, write)


def load_arrays(path: Path) -> tuple[NDArray[Any], ...]:
    """Read what ``save_arrays`` wrote."""
    arrays = []
    with path.open("rb") as stream:
        end = path.stat().st_size
        while stream.tell() < end:
            arrays.append(np.load(stream))
    return tuple(arrays)
