"""Everything in one file: the database and the uploads.

The database comes first and the uploads after it. A file is written before the row that names it, so every row of the
copy finds its file, however busy the app is meanwhile. Two things are left out: the key that cookies are signed with,
and the sessions. Of passwords and personal links the database has digests only. A stolen backup logs nobody in.
"""

import hashlib
import io
import json
import os
import sqlite3
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

from django.conf import settings
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from peerorder._version import __version__
from peerorder.core.errors import InputError
from peerorder.core.translation import gettext as _
from peerorder.web.database.registry import manifest_entries
from peerorder.web.operations.archive import (
    DATABASE,
    DIGESTS,
    FORMAT,
    MANIFEST,
    SESSIONS,
    UPLOADS,
    belongs_to_uploads,
    delete_sessions,
)
from peerorder.web.operations.postgresql_client import dump_postgresql
from peerorder.web.operations.restore import resolve_interrupted_restore


@dataclass(frozen=True)
class BackupSummary:
    """A backup: how many uploads are in it, and its size in bytes."""

    uploads: int
    size: int


def backup(file: Path, *, force: bool = False) -> BackupSummary:
    """Write everything into an archive, which appears whole or not at all."""
    if file.exists() and not force:
        raise InputError(_("{file} already exists; give another name, or --force to replace it").format(file=file))
    if not file.parent.is_dir():
        raise InputError(_("{folder} is not a folder; create it first").format(folder=file.parent))
    resolve_interrupted_restore()
    if "django_migrations" not in connection.introspection.table_names():
        text = _("there is nothing in {folder} yet; check PEERORDER_HOME")
        raise InputError(text.format(folder=settings.ENVIRONMENT.home))
    with tempfile.TemporaryDirectory(dir=file.parent, prefix=".peerorder-") as folder:
        copy, whole = Path(folder) / DATABASE, Path(folder) / "archive"
        manifest = _make_manifest()
        _dump_database(copy)
        whole.touch(mode=0o600)
        with tarfile.open(whole, "w:gz", compresslevel=4) as archive:
            digests = {MANIFEST: _add_json(archive, MANIFEST, manifest)}
            digests |= _add_files(archive, copy)
            _add_json(archive, DIGESTS, digests)
        with whole.open("rb") as stream:
            os.fsync(stream.fileno())
        size = whole.stat().st_size
        whole.replace(file)
    return BackupSummary(len(digests) - 2, size)


def _make_manifest() -> dict[str, Any]:
    """Return what a backup says about itself."""
    applied = sorted(f"{app}.{name}" for app, name in MigrationRecorder(connection).applied_migrations())
    manifest = {
        "format": FORMAT,
        "version": __version__,
        "made_at": timezone.now().isoformat(),
        "database": connection.vendor,
        "migrations": applied,
    }
    for entries in manifest_entries:
        manifest |= entries()
    return manifest


def _dump_database(copy: Path) -> None:
    """Copy the database as it is at one moment, however much is written meanwhile, without its sessions."""
    if connection.vendor == "postgresql":
        dump_postgresql(copy, without=SESSIONS)
        return
    with (
        closing(sqlite3.connect(settings.DATABASES["default"]["NAME"], timeout=30)) as live,
        closing(sqlite3.connect(copy, isolation_level=None)) as dumped,
    ):
        live.backup(dumped)
        dumped.execute("PRAGMA journal_mode=DELETE")
        delete_sessions(dumped)
        # What was deleted, here or before, may still stand in free pages; this leaves them behind.
        dumped.execute("VACUUM")


def _add_files(archive: tarfile.TarFile, copy: Path) -> Iterator[tuple[str, str]]:
    """Add the database and all uploads; yield each name with the digest of what was added."""
    yield DATABASE, _add_file(archive, DATABASE, copy)
    root = Path(settings.MEDIA_ROOT)
    for path in sorted(root.rglob("*")):
        inside = path.relative_to(root)
        if _is_kept(inside.parts[0]) and path.is_file() and not path.is_symlink():
            name = f"{UPLOADS}/{inside.as_posix()}"
            # A file may go while we look: somebody was erased.
            with suppress(FileNotFoundError):
                yield name, _add_file(archive, name, path)


def _is_kept(name: str) -> bool:
    # What is being checked right now is no upload yet.
    return belongs_to_uploads(name) and name != "incoming"


class _Hashed:
    """A stream that knows the digest of what was read from it."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self.digest = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        block = self._stream.read(size)
        self.digest.update(block)
        return block


def _add_file(archive: tarfile.TarFile, name: str, path: Path) -> str:
    """Add a file, without the names of this machine's accounts; return the digest of what was added."""
    with path.open("rb") as stream:
        member = tarfile.TarInfo(name)
        member.size, member.mode, member.mtime = os.fstat(stream.fileno()).st_size, 0o600, int(path.stat().st_mtime)
        hashed = _Hashed(stream)
        archive.addfile(member, cast(IO[bytes], hashed))
    return hashed.digest.hexdigest()


def _add_json(archive: tarfile.TarFile, name: str, value: Mapping[str, Any]) -> str:
    content = json.dumps(value, indent=2).encode()
    member = tarfile.TarInfo(name)
    member.size, member.mode = len(content), 0o600
    archive.addfile(member, io.BytesIO(content))
    return hashlib.sha256(content).hexdigest()
