"""Everything back from a backup, or nothing: what was there is kept aside, and put back if anything fails.

A journal in the folder says how far a restore has come. A restore that was killed is undone, or finished, by the next
command that needs the folder (``resolve_interrupted_restore``):

- *unpacking*: the archive is unpacked and checked beside what is there, which nothing has touched;
- *replacing*: the database and the uploads are replaced, the database is upgraded, apps do what they have to; undone;
- *done*: the new state counts, only scratch files are left.
"""

import errno
import json
import os
import sqlite3
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import Error, connection
from django.utils import timezone

from peerorder.core.errors import InputError
from peerorder.core.text import join_with_and
from peerorder.core.translation import gettext as _, ngettext
from peerorder.web.audit import ledger
from peerorder.web.audit.models import Event
from peerorder.web.database.registry import after_restore
from peerorder.web.operations.archive import (
    DATABASE,
    SESSIONS,
    UPLOADS,
    belongs_to_uploads,
    delete_sessions,
    has_digests,
    read_archive,
)
from peerorder.web.operations.folder import file_lock, make_home, sync_folder
from peerorder.web.operations.postgresql_client import dump_postgresql
from peerorder.web.operations.swap import FolderSwap, PostgresqlSwap, Swap, remove
from peerorder.web.operations.upgrade import database_lock, upgrade_database

UNPACKING, REPLACING, DONE = "unpacking", "replacing", "done"
JOURNAL, SCRATCH = "restore.json", ".restore.json"


@dataclass(frozen=True)
class RestoreSummary:
    """What was restored: how many uploads, where the previous state is, and what else there is to say."""

    uploads: int
    aside: list[Path]
    notes: list[str]


def restore(file: Path, *, force: bool = False, without_ledger: bool = False) -> RestoreSummary:
    """Bring everything back from an archive, into an empty place unless told otherwise.

    What was erased or revoked since the backup is so again, by the ledger. Where that is missing or damaged nothing is
    restored, unless ``without_ledger`` is given.

    Raises
    ------
    InputError
        If it cannot be done. Everything is then as it was before, or the message says what is not.
    """
    resolve_interrupted_restore()
    with _exclusive_access():
        journal = Journal(file.name, UNPACKING, timezone.now().strftime("%Y%m%d-%H%M%S-%f"))
        try:
            journal.start()
            manifest, count = read_archive(file, journal.staged, journal.staged_uploads)
            if connection.vendor == "sqlite":
                _check_sqlite(journal.staged / DATABASE)
            if not force:
                _check_empty()
            _complete_ledger()
            entries = ledger.load_since(manifest, lenient=without_ledger)
            journal = journal.keep_aside()
            for swap in journal.swaps():
                swap.do()
            done_again = _bring_up_to_date(manifest, entries)
            journal = journal.enter(DONE)
        except BaseException as error:
            _undo(journal, error)
            raise
        notes = []
        if not has_digests(manifest):
            text = _(
                "this backup is of a version that wrote no digests, so files in it could not be compared with them"
            )
            notes.append(text)
        if done_again:
            text = ngettext(
                "{count} erasure or revocation since the backup was done again, by the ledger",
                "{count} erasures and revocations since the backup were done again, by the ledger",
                done_again,
            )
            notes.append(text.format(count=done_again))
        try:
            journal.clean_up()
        except (OSError, Error) as error:
            text = _("temporary files could not be removed ({reason}); the next start tries again")
            notes.append(text.format(reason=_reason(error)))
    asides = journal.asides if journal.is_apart else journal.asides[:1]
    return RestoreSummary(count, [folder for folder in asides if folder.exists()], notes)


def resolve_interrupted_restore() -> None:
    """Undo or finish a restore that was interrupted, and say so on standard error.

    Raises
    ------
    InputError
        If a restore runs right now, or what is left of one cannot be undone yet.
    """
    home = settings.ENVIRONMENT.home
    if not any((home / name).exists() for name in (JOURNAL, SCRATCH)):
        return
    with _exclusive_access():
        journal = Journal.load()
        if journal is None:
            # It ended before its first step was written down.
            (home / SCRATCH).unlink(missing_ok=True)
            return
        if journal.phase == DONE:
            text = _("the restore of {file} was complete when it was interrupted; its temporary files are removed now")
            _finish(journal)
        else:
            text = _("the restore of {file} was interrupted and is undone now: everything is as it was before")
            _undo(journal, None)
    print("peerorder: " + text.format(file=journal.archive), file=sys.stderr, flush=True)


@contextmanager
def _exclusive_access() -> Iterator[None]:
    """Keep the app, and another restore, from running."""
    try:
        with file_lock(make_home() / "running.lock", wait=False):
            yield
    except BlockingIOError:
        raise InputError(_("the app or another restore is running; stop it first, or wait for it")) from None
    except OSError as error:
        text = _("PEERORDER_HOME is {folder!r}; it is not writable ({reason})")
        raise InputError(text.format(folder=str(settings.ENVIRONMENT.home), reason=error.strerror)) from None
    finally:
        connection.close()


def _check_sqlite(file: Path) -> None:
    """Raise InputError if a database is damaged; empty its sessions, which backups of older versions hold."""
    try:
        with closing(sqlite3.connect(file, isolation_level=None)) as copy:
            state = copy.execute("PRAGMA integrity_check").fetchone()[0]
            delete_sessions(copy)
    except sqlite3.DatabaseError as error:
        state = str(error)
    if state != "ok":
        text = _("the database in the backup is damaged ({reason}); nothing was changed")
        raise InputError(text.format(reason=state))
    file.rename(file.with_name(_sqlite_names()[0]))


def _check_empty() -> None:
    """Raise InputError if a restore would replace something."""
    what = []
    if connection.vendor == "sqlite":
        if Path(settings.DATABASES["default"]["NAME"]).exists():
            what.append(_("a database"))
    elif connection.introspection.table_names():
        what.append(_("a database with tables"))
    root = Path(settings.MEDIA_ROOT)
    if any(path.is_file() for name in _upload_names(root) for path in (root / name, *(root / name).rglob("*"))):
        what.append(_("uploads"))
    if what:
        text = _(
            "there is {things} already ({folder}); restore into an empty folder, or give --force, which moves the "
            "present data aside"
        )
        raise InputError(text.format(things=join_with_and(what), folder=settings.ENVIRONMENT.home))


def _complete_ledger() -> None:
    """Write to the ledger what the database that is to be replaced has and the ledger has not."""
    if connection.vendor == "sqlite" and not Path(settings.DATABASES["default"]["NAME"]).exists():
        return
    # An empty database, or one of an older version, cannot be asked; that version had no ledger.
    with suppress(Error):
        Event.objects.first()
        ledger.write(everything=True)
    connection.close()


def _bring_up_to_date(manifest: Mapping[str, Any], entries: list[ledger.Entry]) -> int:
    """Upgrade what is there now, and do what has to be done before anybody can log in.

    Return how many erasures and revocations since the backup were done again.
    """
    with database_lock():
        upgrade_database()
        ledger.repair()
        ledger.write_restored()
        done_again = ledger.replay(entries)
        for call in after_restore:
            call(manifest)
    # SQLite writes the rest of its log into the database.
    connection.close()
    return done_again


def _finish(journal: "Journal") -> None:
    try:
        journal.clean_up()
    except (OSError, Error) as error:
        text = _(
            "temporary files of the restore of {file} cannot be removed ({reason}); the restore itself is complete. "
            "Solve the problem and try again"
        )
        raise InputError(text.format(file=journal.archive, reason=_reason(error))) from error


def _undo(journal: "Journal", error: BaseException | None) -> None:
    """Put back what was there; if that fails too, say where it is."""
    try:
        connection.close()
        if journal.phase == REPLACING:
            # It may say already that the restore is done.
            if Journal.load() != journal:
                journal.enter(REPLACING)
            for swap in reversed(journal.swaps()):
                swap.undo()
        journal.clean_up()
    except (OSError, Error, InputError) as second:
        if error is None:
            text = _("an interrupted restore cannot be undone yet ({reason})")
            problem = text.format(reason=_reason(second))
        else:
            text = _("the restore failed ({failure}) and cannot be undone yet ({reason})")
            problem = text.format(failure=_reason(error), reason=_reason(second))
        text = _(
            "{problem}. What was there before is in {folders}; solve the problem, then run `peerorder restore` or "
            "`peerorder serve`, which undoes the rest"
        )
        raise InputError(text.format(problem=problem, folders=join_with_and(journal.asides))) from error
    # What is wrong with the archive, and found before anything was changed, says so itself.
    if isinstance(error, (OSError, Error)) or (isinstance(error, InputError) and journal.phase == REPLACING):
        text = _("the restore failed ({reason}); everything is as it was before")
        raise InputError(text.format(reason=_reason(error))) from error


def _reason(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")


def _sqlite_names() -> list[str]:
    """Return the names of the files that a database of SQLite has, the main one first."""
    name = Path(settings.DATABASES["default"]["NAME"]).name
    return [name, f"{name}-wal", f"{name}-shm"]


def _upload_names(folder: Path) -> tuple[str, ...]:
    """Return the entries of a folder of uploads, without those that are ours or the file system's."""
    return tuple(sorted(path.name for path in folder.iterdir() if belongs_to_uploads(path.name)))


# The journal.


@dataclass(frozen=True)
class Journal:
    """How far a restore has come, and what it needs to be undone."""

    archive: str
    phase: str
    name: str
    """Part of all names of the restore: when it began."""
    database_names: tuple[str, ...] = ()
    """The files of the SQLite database that was there."""
    upload_names: tuple[str, ...] = ()
    """The entries of the folder of uploads that were there."""
    new_upload_names: tuple[str, ...] = ()
    is_apart: bool = False
    """Whether the uploads are on a file system of their own."""

    @classmethod
    def load(cls) -> "Journal | None":
        """Return the journal of a restore that did not end."""
        path = settings.ENVIRONMENT.home / JOURNAL
        try:
            given: dict[str, Any] = json.loads(path.read_text("utf-8"))
            given |= {name: tuple(value) for name, value in given.items() if isinstance(value, list)}
            return cls(**given)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError, AttributeError):
            text = _(
                "{file} cannot be read; it says how to undo a restore that was interrupted. Move back what is in the "
                "folders before-* yourself, then remove it"
            )
            raise InputError(text.format(file=path)) from None

    def enter(self, phase: str) -> "Journal":
        """Write down, for good, that a phase begins; what was done before it is on the disk then."""
        os.sync()
        journal = replace(self, phase=phase)
        path = settings.ENVIRONMENT.home / JOURNAL
        scratch = path.with_name(SCRATCH)
        with scratch.open("w", encoding="utf-8") as stream:
            json.dump(asdict(journal), stream)
            stream.flush()
            os.fsync(stream.fileno())
        scratch.replace(path)
        sync_folder(path.parent)
        return journal

    def start(self) -> None:
        """Make room for the archive."""
        self.enter(UNPACKING)
        Path(settings.MEDIA_ROOT).mkdir(mode=0o700, exist_ok=True)
        self.staged.mkdir(mode=0o700)
        self.staged_uploads.mkdir(mode=0o700)

    def keep_aside(self) -> "Journal":
        """Make room for what is there, and begin to replace it."""
        home, uploads = settings.ENVIRONMENT.home, Path(settings.MEDIA_ROOT)
        self.asides[0].mkdir(mode=0o700)
        names = [name for name in _sqlite_names() if connection.vendor == "sqlite" and (home / name).exists()]
        if connection.vendor == "postgresql" and connection.introspection.table_names():
            dump_postgresql(self.asides[0] / DATABASE, without=SESSIONS)
        connection.close()
        journal = replace(
            self,
            database_names=tuple(names),
            upload_names=_upload_names(uploads),
            new_upload_names=_upload_names(self.staged_uploads),
            is_apart=not _can_move(self.staged_uploads / ".before", self.asides[1]),
        )
        return journal.enter(REPLACING)

    def swaps(self) -> list[Swap]:
        """Return everything that is replaced."""
        database: Swap
        if connection.vendor == "sqlite":
            names = _sqlite_names()
            database = FolderSwap(
                settings.ENVIRONMENT.home, self.staged, self.asides[0], list(self.database_names), names
            )
        else:
            database = PostgresqlSwap(self.staged / DATABASE, f"before_{self.name.replace('-', '_')}")
        uploads = FolderSwap(
            Path(settings.MEDIA_ROOT),
            self.staged_uploads,
            self.asides[1],
            list(self.upload_names),
            list(self.new_upload_names),
        )
        return [database, uploads]

    def clean_up(self) -> None:
        """Remove what only the restore needed, the journal last."""
        before, uploads_before = self.asides
        if self.phase == DONE:
            for swap in self.swaps():
                swap.finish()
        else:
            # What it is a copy of is in its place.
            (before / DATABASE).unlink(missing_ok=True)
        connection.close()
        for folder in (self.staged, self.staged_uploads):
            remove(folder)
        for folder in (uploads_before, before):
            if folder.exists() and not any(folder.iterdir()):
                folder.rmdir()
        for name in (SCRATCH, JOURNAL):
            (settings.ENVIRONMENT.home / name).unlink(missing_ok=True)
        sync_folder(settings.ENVIRONMENT.home)

    @property
    def staged(self) -> Path:
        """Where the archive is unpacked."""
        path: Path = settings.ENVIRONMENT.home / f".restore-{self.name}"
        return path

    @property
    def staged_uploads(self) -> Path:
        """Where its uploads are unpacked: on the file system where they stay."""
        return Path(settings.MEDIA_ROOT) / f".restore-{self.name}"

    @property
    def asides(self) -> tuple[Path, Path]:
        """Where the database and the uploads that were there are kept, each on its own file system."""
        before: Path = settings.ENVIRONMENT.home / f"before-{self.name}"
        apart = Path(settings.MEDIA_ROOT) / f".before-{self.name}"
        return before, (apart if self.is_apart else before / UPLOADS)


def _can_move(source: Path, target: Path) -> bool:
    """Return whether folders can be moved from one place to another: both are on the same mount."""
    source.mkdir(mode=0o700)
    try:
        source.rename(target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        return False
    return True
