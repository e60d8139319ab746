"""Where uploads are kept: under random names, complete and on the disk."""

import os
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import default_storage


def random_file(_owner: object, name: str) -> str:
    """Return where a file is kept: nothing of its name but the ending, and that only from ours."""
    code = secrets.token_hex(16)
    return f"{code[:2]}/{code}.{name.rpartition('.')[2]}"


@contextmanager
def incoming() -> Iterator[Path]:
    """Give a folder to work in, on the disk where uploads are kept, so that they can be moved there in one step."""
    place = Path(settings.MEDIA_ROOT) / "incoming"
    place.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place) as folder:
        yield Path(folder)


class _Finished(File):  # type: ignore[type-arg]
    """A file that is complete: it is moved, not copied."""

    def temporary_file_path(self) -> str:
        return str(self.name)


def keep(path: Path) -> str:
    """Move a complete file to where it stays, and return its name there."""
    with path.open("rb") as stream:
        os.fsync(stream.fileno())
        content = _Finished(stream, name=str(path))
        name = default_storage.save(random_file(None, path.name), content)
    # A file whose folder is not on the disk is lost in a power cut, and so is a folder whose own folder is not.
    folder = Path(default_storage.path(name)).parent
    for each in (folder, folder.parent):
        _sync_folder(each)
    return name


def _sync_folder(folder: Path) -> None:
    """Wait until what a folder holds is on the disk."""
    number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
