"""The command that runs Python with nothing around it but what Python itself needs, by bubblewrap (``bwrap``)."""

import os
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

SCRATCH = "/sandbox"
"""The only place inside that can be written to. It is in memory, and has a size."""
NOBODY = 65534
# Shared libraries, how the loader finds them, and fonts for PDFs that do not bring their own.
SYSTEM = (
    *("/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64", "/etc/ld.so.cache", "/etc/alternatives"),
    *("/usr/share/fonts", "/usr/local/share/fonts"),
)
DEVICES = ("/dev/null", "/dev/urandom")


def program() -> str | None:
    """Return where ``bwrap`` is, or None."""
    return shutil.which("bwrap")


def library_folders() -> list[Path]:
    """Return where installed packages are. The working directory, which ``python -m`` adds, is none of these."""
    return [Path(entry) for entry in sys.path if Path(entry).name in ("site-packages", "dist-packages")]


def sandbox_command(command: list[str], packages: Iterable[Path], hidden: Iterable[Path], size: int) -> list[str]:
    """Return the command that runs another one inside.

    Parameters
    ----------
    command
        The command; it begins with Python.
    packages
        Folders of packages that are not among the installed ones.
    hidden
        Folders that must not be seen, wherever they are.
    size
        How many bytes can be written.
    """
    library = Path(os.__file__).parents[1]
    wanted = {*map(Path, SYSTEM), Path(command[0]), library, *library_folders(), *packages}
    bound = sorted(path for path in wanted if path.exists() and not wanted.intersection(path.parents))
    # Made before by us, and not on the way by bwrap, which closes what the account's own folders close.
    parents = sorted({parent for path in (*bound, *map(Path, DEVICES)) for parent in path.parents} - {Path("/")})
    covered = [path for path in map(Path, hidden) if any(there in (path, *path.parents) for there in bound)]
    # Who is root becomes a user who owns nothing, in the process itself; others are nobody from the beginning.
    apart = ("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try")
    user: tuple[str, ...] = ("--unshare-user", "--disable-userns", "--uid", str(NOBODY), "--gid", str(NOBODY))
    if is_root():
        user = ("--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID")
    return [
        *(program() or "bwrap", *apart, "--new-session", "--die-with-parent", "--cap-drop", "ALL", *user),
        *(word for parent in parents for word in ("--perms", "0755", "--dir", str(parent))),
        *(word for path in bound for word in ("--ro-bind", str(path), str(path))),
        *(word for path in covered for word in ("--tmpfs", str(path), "--remount-ro", str(path))),
        *(word for device in DEVICES for word in ("--dev-bind", device, device)),
        *("--perms", "1777", "--size", str(size), "--tmpfs", SCRATCH, "--remount-ro", "/", "--chdir", SCRATCH, "--"),
        *command,
    ]


def is_root() -> bool:
    """Return whether this is the account that no limit on processes holds for."""
    return os.geteuid() == 0
