"""The folder of the app: private to its account, with locks that keep two commands apart."""

import fcntl
import os
import pwd
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from django.conf import settings

from peerorder.core.errors import InputError
from peerorder.core.translation import gettext as _

OTHERS = 0o077


def keep_files_private() -> None:
    """Let no other account on this machine read what this process, or a child of it, writes from now on."""
    os.umask(OTHERS)


def check_account(home: Path) -> None:
    """Raise InputError if root would leave files in the folder of another account, which that could not write.

    Of other accounts the file system itself keeps those out who may not write.
    """
    with suppress(FileNotFoundError):
        owner = home.stat().st_uid
        if os.geteuid() == 0 and owner != 0:
            try:
                name = pwd.getpwuid(owner).pw_name
            except KeyError:
                name = f"#{owner}"
            text = _(
                "{folder} belongs to the account {name}, which could not write to files of root there; run the "
                "command as {name}: sudo -u {name} peerorder ..."
            )
            raise InputError(text.format(folder=home, name=name))


def make_home() -> Path:
    """Make the folder of the app, and close it, and the database in it, to other accounts; return the folder."""
    home: Path = settings.ENVIRONMENT.home
    home.mkdir(mode=0o777 & ~OTHERS, parents=True, exist_ok=True)
    _close_to_others(home)
    _close_to_others(Path(settings.MEDIA_ROOT))
    database = settings.ENVIRONMENT.database
    if database["ENGINE"].endswith("sqlite3"):
        for ending in ("", "-wal", "-shm"):
            _close_to_others(Path(f"{database['NAME']}{ending}"))
    return home


def _close_to_others(path: Path) -> None:
    """Take away the access that older versions, or ``mkdir``, gave to other accounts."""
    # What belongs to somebody else is theirs to decide on; what we write there is private all the same.
    with suppress(FileNotFoundError, PermissionError):
        mode = stat.S_IMODE(path.stat().st_mode)
        # A folder with the sticky bit, as /tmp, is everybody's.
        if mode & OTHERS and not mode & stat.S_ISVTX:
            path.chmod(mode & ~OTHERS)


def sync_folder(path: Path) -> None:
    """Have what was renamed in a folder, and into it, on the disk."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def file_lock(path: Path, *, shared: bool = False, wait: bool = True) -> Iterator[int]:
    """Hold a lock on a file, as does a child that inherits it; yield its descriptor.

    Raises
    ------
    BlockingIOError
        If another process holds the lock and ``wait`` is false.
    """
    with path.open("a") as stream:
        # An account that can open the file can hold the lock, and keep the app from starting.
        _close_to_others(path)
        fcntl.flock(stream, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB))
        yield stream.fileno()
