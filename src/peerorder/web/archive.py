"""Everything in one file, and back: the database and the uploads.

The database comes first and the uploads after it. A file is written before the row that names it, so every row of the
copy finds its file, however busy the app is meanwhile. The key that cookies are signed with is left out: whoever
restores a backup elsewhere has people log in again, and a stolen backup logs nobody in.
"""

import io
import json
import os
import shutil
import sqlite3
import subprocess
import tarfile
import tempfile
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from peerorder._version import __version__
from peerorder.core.errors import InputError
from peerorder.web.serving import holding

__all__ = ["Made", "backup", "restore"]

ABOUT, DATABASE, UPLOADS = "peerorder.json", "database", "uploads"
FORMAT = 1
POSTGRESQL = "it comes with PostgreSQL's client: apt-get install postgresql-client"


@dataclass(frozen=True)
class Made:
    """What was written or read."""

    uploads: int
    size: int


# Out.


def backup(file: Path, *, force: bool = False) -> Made:
    """Write everything into an archive, which appears whole or not at all."""
    if file.exists() and not force:
        raise InputError(f"{file} is there already; give another name, or --force to replace it")
    if not file.parent.is_dir():
        raise InputError(f"{file.parent} is no folder; make it first")
    if "django_migrations" not in connection.introspection.table_names():
        raise InputError(f"there is nothing in {settings.ENVIRONMENT.home} yet; is PEERORDER_HOME right?")
    with tempfile.TemporaryDirectory(dir=file.parent, prefix=".peerorder-") as folder:
        copy, whole = Path(folder) / DATABASE, Path(folder) / "archive"
        _dump_sqlite(copy) if connection.vendor == "sqlite" else _dump_postgresql(copy)
        whole.touch(mode=0o600)
        with tarfile.open(whole, "w:gz", compresslevel=4) as archive:
            _add_bytes(archive, ABOUT, json.dumps(_about(), indent=2).encode())
            archive.add(copy, DATABASE, filter=_nobodys)
            uploads = _add_uploads(archive)
        with whole.open("rb") as stream:
            os.fsync(stream.fileno())
        size = whole.stat().st_size
        whole.replace(file)
    return Made(uploads, size)


def _about() -> dict[str, Any]:
    applied = sorted(f"{app}.{name}" for app, name in MigrationRecorder(connection).applied_migrations())
    return {
        "format": FORMAT,
        "version": __version__,
        "made_at": timezone.now().isoformat(),
        "database": connection.vendor,
        "migrations": applied,
    }


def _dump_sqlite(copy: Path) -> None:
    """A copy at one moment, however much is written meanwhile."""
    with (
        closing(sqlite3.connect(settings.DATABASES["default"]["NAME"], timeout=30)) as live,
        closing(sqlite3.connect(copy)) as dumped,
    ):
        live.backup(dumped)
        dumped.execute("PRAGMA journal_mode=DELETE")


def _dump_postgresql(copy: Path) -> None:
    _postgresql("pg_dump", "--format=custom", "--no-owner", "--no-privileges", f"--file={copy}")


def _postgresql(program: str, *arguments: str) -> None:
    """Run one of PostgreSQL's programs on our database; the password goes by the environment, for nobody to see."""
    found = shutil.which(program)
    if found is None:
        raise InputError(f"{program} is not on the path; {POSTGRESQL}")
    database = settings.DATABASES["default"]
    names = {"PGHOST": "HOST", "PGPORT": "PORT", "PGUSER": "USER", "PGPASSWORD": "PASSWORD", "PGDATABASE": "NAME"}
    given = {name: str(database[key]) for name, key in names.items() if database.get(key)}
    options: Mapping[str, Any] = database.get("OPTIONS", {})
    given |= {f"PG{key.upper()}": str(value) for key, value in options.items() if key in ("sslmode", "sslrootcert")}
    if "host" in options:
        given["PGHOST"] = str(options["host"])
    if program == "pg_restore":
        arguments = (f"--dbname={database['NAME']}", *arguments)
    seen = subprocess.run([found, *arguments], env=os.environ | given, capture_output=True, text=True, check=False)
    if seen.returncode:
        what = (seen.stderr.strip().splitlines() or ["no reason given"])[0]
        raise InputError(f"{program} did not work: {what}")


def _add_bytes(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size, member.mode = len(content), 0o600
    archive.addfile(member, io.BytesIO(content))


def _add_uploads(archive: tarfile.TarFile) -> int:
    root = Path(settings.MEDIA_ROOT)
    many = 0
    for path in sorted(root.rglob("*")):
        # A file may go while we look: somebody was erased.
        with suppress(FileNotFoundError):
            if path.is_file() and not path.is_symlink():
                archive.add(path, f"{UPLOADS}/{path.relative_to(root).as_posix()}", filter=_nobodys)
                many += 1
    return many


def _nobodys(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Without the names of this machine's accounts."""
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    member.mode = 0o600
    return member


# Back.


def restore(file: Path, *, force: bool = False) -> Made:
    """Bring everything back from an archive, into an empty place unless told otherwise."""
    home = settings.ENVIRONMENT.home
    home.mkdir(parents=True, exist_ok=True)
    try:
        with (
            holding(home / "running.lock", wait=False),
            tempfile.TemporaryDirectory(dir=home, prefix=".restore-") as at,
        ):
            folder = Path(at)
            many = _unpack(file, folder)
            _check(file, folder)
            if not force:
                _nothing_there()
            _load_sqlite(folder) if connection.vendor == "sqlite" else _load_postgresql(folder)
            _put_uploads(folder)
    except BlockingIOError:
        raise InputError("the app runs; stop it first") from None
    finally:
        connection.close()
    return Made(many, file.stat().st_size)


def _unpack(file: Path, folder: Path) -> int:
    """Plain files alone, and nowhere but in the folder."""
    many = 0
    try:
        with tarfile.open(file, "r:gz") as archive:
            for member in archive:
                path = PurePosixPath(member.name)
                plain = member.isfile() and not path.is_absolute() and ".." not in path.parts
                if not plain or path.parts[0] not in (ABOUT, DATABASE, UPLOADS):
                    raise InputError(f"{file}: {member.name!r} does not belong into a backup; nothing was changed")
                content = archive.extractfile(member)
                target = folder / path
                target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                target.touch(mode=0o600)
                with target.open("wb") as stream:
                    if content is not None:
                        shutil.copyfileobj(content, stream)
                many += path.parts[0] == UPLOADS
    except FileNotFoundError:
        raise InputError(f"{file}: there is no such file") from None
    except (tarfile.TarError, EOFError, OSError) as error:
        raise InputError(f"{file} is no whole backup ({error}); nothing was changed") from None
    return many


def _check(file: Path, folder: Path) -> None:
    """Whether this version can go on with it, here."""
    try:
        about = json.loads((folder / ABOUT).read_text())
        vendor, migrations, version = about["database"], about["migrations"], about["version"]
        (folder / DATABASE).stat()
    except (OSError, ValueError, KeyError, TypeError):
        raise InputError(f"{file} is no backup of peerorder; nothing was changed") from None
    if vendor != connection.vendor:
        cure = "set PEERORDER_DATABASE" if vendor == "postgresql" else "leave PEERORDER_DATABASE away"
        raise InputError(f"{file} is of a {vendor} database, and the settings say {connection.vendor}; {cure}")
    ours = MigrationLoader(None).disk_migrations
    replaced = (each for migration in ours.values() for each in migration.replaces)
    known = {f"{app}.{name}" for app, name in (*ours, *replaced)}
    if newer := [name for name in migrations if name not in known]:
        raise InputError(
            f"{file} is of peerorder {version}, newer than this one ({__version__}; it has {newer[0]}); upgrade first"
        )


def _nothing_there() -> None:
    what = []
    if connection.vendor == "sqlite":
        if Path(settings.DATABASES["default"]["NAME"]).exists():
            what.append("a database")
    elif connection.introspection.table_names():
        what.append("a database with tables")
    if any(path.is_file() for path in Path(settings.MEDIA_ROOT).rglob("*")):
        what.append("uploads")
    if what:
        raise InputError(
            f"there is {' and '.join(what)} already ({settings.ENVIRONMENT.home}); restore into an empty place, or "
            f"with --force, which loses what is there"
        )


def _load_sqlite(folder: Path) -> None:
    with closing(sqlite3.connect(folder / DATABASE)) as copy:
        found = _sound(lambda: copy.execute("PRAGMA integrity_check").fetchone()[0])
    if found != "ok":
        raise InputError(f"the database in the backup is damaged ({found}); nothing was changed")
    path = Path(settings.DATABASES["default"]["NAME"])
    # What is left of the old one must not be taken for a part of the new one.
    for ending in ("-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
    (folder / DATABASE).replace(path)


def _sound(check: Callable[[], str]) -> str:
    try:
        return check()
    except sqlite3.DatabaseError as error:
        return str(error)


def _load_postgresql(folder: Path) -> None:
    connection.close()
    again = ("--clean", "--if-exists")
    _postgresql("pg_restore", *again, "--no-owner", "--no-privileges", "--single-transaction", str(folder / DATABASE))


def _put_uploads(folder: Path) -> None:
    root = Path(settings.MEDIA_ROOT)
    if root.exists():
        root.rename(folder / "uploads before")
    (folder / UPLOADS).mkdir(exist_ok=True, mode=0o700)
    (folder / UPLOADS).rename(root)
