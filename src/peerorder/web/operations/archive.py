"""The format of a backup: one compressed archive of plain files, with a manifest that says what is in it."""

import errno
import hashlib
import json
import os
import shutil
import sqlite3
import tarfile
import zlib
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import IO, Any

from django.db import connection

from peerorder._version import __version__
from peerorder.core.errors import InputError
from peerorder.core.translation import gettext as _
from peerorder.web.operations.upgrade import unknown_migrations

# The manifest comes first, for those who only want to know what a backup is, and the digests of everything come last.
MANIFEST, DATABASE, UPLOADS, DIGESTS = "peerorder.json", "database", "uploads", "digests.json"
# Format 1 had no digests.
FORMAT = 2
# The tables that neither backups nor restores keep: that of older versions, and ours, which older versions lack.
SESSIONS = ("django_session", "people_session")
# How much must stay free on a disk, in bytes.
RESERVE = 64 * 2**20


def belongs_to_uploads(name: str) -> bool:
    """Return whether an entry of the folder of uploads is an upload, and not ours or the file system's own."""
    return not name.startswith(".") and name != "lost+found"


def read_archive(file: Path, folder: Path, uploads: Path) -> tuple[dict[str, Any], int]:
    """Extract an archive: the uploads into one folder, the rest into the other; check it against its manifest.

    Returns
    -------
    manifest, count
        What the manifest says, and how many uploads there are.

    Raises
    ------
    InputError
        If something in the archive is damaged, missing, foreign or too large for the disk.
    """
    digests = _extract(file, folder, uploads)
    manifest = _read_manifest(file, folder)
    if has_digests(manifest):
        _compare_digests(file, folder, digests)
    return manifest, sum(name.startswith(f"{UPLOADS}/") for name in digests)


def has_digests(manifest: Mapping[str, Any]) -> bool:
    """Return whether a backup of this format has digests."""
    return bool(manifest["format"] > 1)


def _extract(file: Path, folder: Path, uploads: Path) -> dict[str, str]:
    """Extract plain files alone, and nowhere but into the folders; return their digests by name."""
    digests: dict[str, str] = {}
    try:
        with tarfile.open(file, "r:gz") as archive:
            for member in archive:
                path = PurePosixPath(member.name)
                name = path.as_posix()
                if not member.isfile() or not _is_expected(path) or name in digests:
                    text = _("{file}: {member!r} does not belong in a backup; nothing was changed")
                    raise InputError(text.format(file=file, member=member.name))
                root, inside = (uploads, path.parts[1:]) if path.parts[0] == UPLOADS else (folder, path.parts)
                if member.size + RESERVE > shutil.disk_usage(root).free:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                content = archive.extractfile(member)
                assert content is not None
                digests[name] = _write(content, root.joinpath(*inside))
    except FileNotFoundError:
        raise InputError(_("{file}: there is no such file").format(file=file)) from None
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            text = _("{file} needs more disk space than is free in {folder} or {uploads}; nothing was changed")
            raise InputError(text.format(file=file, folder=folder.parent, uploads=uploads.parent)) from None
        raise _incomplete(file, error) from None
    except (tarfile.TarError, EOFError, ValueError, zlib.error) as error:
        if isinstance(error, InputError):
            raise
        raise _incomplete(file, error) from None
    return digests


def _incomplete(file: Path, error: Exception) -> InputError:
    text = _("{file} is not a complete backup ({reason}); nothing was changed")
    return InputError(text.format(file=file, reason=error))


def _is_expected(path: PurePosixPath) -> bool:
    if path.is_absolute() or ".." in path.parts or not path.parts:
        return False
    if path.parts[0] == UPLOADS:
        return len(path.parts) > 1 and belongs_to_uploads(path.parts[1])
    return path.as_posix() in (MANIFEST, DATABASE, DIGESTS)


def _write(content: IO[bytes], target: Path) -> str:
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    digest = hashlib.sha256()
    with target.open("xb") as stream:
        while block := content.read(2**20):
            digest.update(block)
            stream.write(block)
    target.chmod(0o600)
    return digest.hexdigest()


def _read_manifest(file: Path, folder: Path) -> dict[str, Any]:
    try:
        manifest: dict[str, Any] = json.loads((folder / MANIFEST).read_text("utf-8"))
        version, number, vendor = manifest["version"], int(manifest["format"]), manifest["database"]
        migrations = [tuple(name.split(".", 1)) for name in manifest["migrations"]]
        known = unknown_migrations((app, name) for app, name in migrations)
        (folder / DATABASE).stat()
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise InputError(_("{file} is not a backup of peerorder; nothing was changed").format(file=file)) from None
    if vendor != connection.vendor:
        text = _("{file} is a backup of a {vendor} database, but the settings say {ours}; {cure}")
        cure = _("set PEERORDER_DATABASE") if vendor == "postgresql" else _("leave PEERORDER_DATABASE unset")
        raise InputError(text.format(file=file, vendor=vendor, ours=connection.vendor, cure=cure))
    if known or number > FORMAT:
        what = _("it has {migration}") if known else _("its format is {format}")
        text = _("{file} is from peerorder {version}, newer than this one ({ours}; {what}); upgrade peerorder first")
        what = what.format(migration=known[0] if known else "", format=number)
        raise InputError(text.format(file=file, version=version, ours=__version__, what=what))
    return manifest


def _compare_digests(file: Path, folder: Path, actual: Mapping[str, str]) -> None:
    """Raise InputError for the first member that is missing, not listed or changed."""
    try:
        expected = dict(json.loads((folder / DIGESTS).read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        text = _("{file} is damaged: it has no list of digests; nothing was changed")
        raise InputError(text.format(file=file)) from None
    for name in sorted((actual.keys() | expected.keys()) - {DIGESTS}):
        if actual.get(name) != expected.get(name):
            if name not in actual:
                text = _("{file} is damaged: {name} is missing according to its digests; nothing was changed")
            elif name in expected:
                text = _("{file} is damaged: {name} has changed according to its digests; nothing was changed")
            else:
                text = _("{file} is damaged: {name} is not listed according to its digests; nothing was changed")
            raise InputError(text.format(file=file, name=name))


def delete_sessions(database: sqlite3.Connection) -> None:
    """Delete the sessions in a copy of a database."""
    tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    old, ours = SESSIONS
    for table in (old, *({ours} & tables)):
        database.execute(f"DELETE FROM {table}")
