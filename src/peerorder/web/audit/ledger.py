"""The ledger: erasures and revocations outside of the database, so that a restore does not bring back what they ended.

It is a file in the folder of the app, one line of JSON for each event of the audit log whose verb is in ``REPLAYS``,
with ids only. Each line holds a checksum over itself and the line before, so that damage is noticed. Lines are written
when the transaction of the event has ended; what a crash keeps from being written, the worker adds from the audit log
(``write``). An event is known by its id and its time, because ids are given again after a restore.
"""

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO

from django.conf import settings
from django.db.models import Max
from django.utils import timezone

from peerorder.core.errors import InputError
from peerorder.core.translation import gettext as _
from peerorder.web.audit.models import Event
from peerorder.web.audit.registry import REPLAYS

NAME = "ledger.jsonl"
RESTORED = "restored"
"""The verb of a line that says that the database was replaced; its event is the last one of the new database."""
OVERLAP = 1000
"""Transactions may end in another order than they began: this many events before the last are looked at again."""
TAIL = 2**20
"""The last lines, in bytes: more than those of the overlap."""


@dataclass(frozen=True)
class Entry:
    """A line of the ledger."""

    number: int
    at: str
    verb: str
    event: int
    by: int | None = None
    about: int | None = None
    course: int | None = None
    details: dict[str, Any] = field(default_factory=dict)
    checksum: str = ""

    def with_checksum(self, before: str) -> "Entry":
        """Return the same with its checksum, which depends on that of the line before."""
        content = asdict(self) | {"checksum": before}
        digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
        return Entry(**(content | {"checksum": digest}))

    @property
    def key(self) -> tuple[int, str]:
        """What the event is known by."""
        return self.event, self.at


def _unusable(problem: str) -> InputError:
    text = _(
        "{problem}: people who were erased and access that was revoked since the backup would come back. Put the "
        "ledger of this site there, or restore with --without-ledger"
    )
    return InputError(text.format(problem=problem))


def ledger_path() -> Path:
    """Return where the ledger is."""
    home: Path = settings.ENVIRONMENT.home
    return home / NAME


# Write.


def write(*, everything: bool = False) -> int:
    """Add the events that the ledger does not have yet; return how many they were.

    With ``everything`` the whole audit log is looked through, not only its end: the first time, and at every start.
    """
    with _open_locked(ledger_path()) as stream:
        lines = _complete_lines(stream, everything)
        entries = [entry for entry in map(_parse, lines) if entry is not None]
        events = Event.objects.filter(verb__in=list(REPLAYS)).order_by("pk")
        if entries and not everything:
            events = events.filter(pk__gt=entries[-1].event - OVERLAP)
        known = {entry.key for entry in entries}
        new = [event for event in events if (event.pk, event.at.isoformat()) not in known]
        for event in new:
            entry = Entry(
                number=_last_number(entries) + 1,
                at=event.at.isoformat(),
                verb=event.verb,
                event=event.pk,
                by=event.person_id,
                about=event.about_id,
                course=event.course_id,
                details=event.details,
            )
            entries.append(_append(stream, entry, entries))
        _keep(stream, bool(new))
    return len(new)


def write_restored() -> None:
    """Add that the database was replaced: the ids of its events go on from here."""
    with _open_locked(ledger_path()) as stream:
        entries = [entry for entry in map(_parse, _complete_lines(stream, False)) if entry is not None]
        last = Event.objects.aggregate(last=Max("pk"))["last"] or 0
        entry = Entry(_last_number(entries) + 1, timezone.now().isoformat(), RESTORED, last)
        _append(stream, entry, entries)
        _keep(stream, True)


def _last_number(entries: list[Entry]) -> int:
    return entries[-1].number if entries else 0


def _append(stream: BinaryIO, entry: Entry, entries: list[Entry]) -> Entry:
    entry = entry.with_checksum(entries[-1].checksum if entries else "")
    stream.write(json.dumps(asdict(entry), sort_keys=True).encode() + b"\n")
    return entry


@contextmanager
def _open_locked(path: Path) -> Iterator[BinaryIO]:
    """Open the ledger for one writer at a time, readable by its own account alone."""
    existed = path.exists()
    with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield stream
    if not existed:
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _complete_lines(stream: BinaryIO, everything: bool) -> list[bytes]:
    """Return the lines, or the last ones, and stand behind the last.

    One without an end was cut off by a crash; it goes, and is written again.
    """
    begin = 0 if everything else max(0, stream.seek(0, os.SEEK_END) - TAIL)
    stream.seek(begin)
    *lines, rest = stream.read().split(b"\n")
    if rest:
        stream.seek(-len(rest), os.SEEK_END)
        stream.truncate()
    return lines[1:] if begin else lines


def _keep(stream: BinaryIO, written: bool) -> None:
    if written:
        stream.flush()
        os.fsync(stream.fileno())


def _parse(line: bytes) -> Entry | None:
    try:
        given: dict[str, Any] = json.loads(line)
        entry = Entry(**given)
    except (ValueError, TypeError):
        return None
    types = {"number": int, "event": int, "verb": str, "at": str, "details": dict, "checksum": str}
    return entry if all(isinstance(given.get(name), kind) for name, kind in types.items()) else None


def repair() -> None:
    """Begin a new ledger with what can be read of a damaged one, which is kept under another name."""
    path = ledger_path()
    if not path.exists() or _is_whole():
        return
    entries = load(lenient=True)
    path.rename(path.with_name(f"{NAME}.damaged-{timezone.now():%Y%m%d-%H%M%S-%f}"))
    with _open_locked(path) as stream:
        written: list[Entry] = []
        for number, entry in enumerate(entries, 1):
            written.append(_append(stream, replace(entry, number=number), written))
        _keep(stream, True)


def _is_whole() -> bool:
    try:
        load()
    except InputError:
        return False
    return True


# Read.


def head() -> dict[str, Any]:
    """Return the number and the checksum of the last line, for the manifest of a backup."""
    entries = load(lenient=True)
    return {"number": _last_number(entries), "checksum": entries[-1].checksum if entries else ""}


def load(*, lenient: bool = False) -> list[Entry]:
    """Return all lines; where it is ``lenient``, those that can be read, and none where there is no ledger.

    Raises
    ------
    InputError
        If the ledger is missing or damaged.
    """
    path = ledger_path()
    try:
        lines = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        if lenient:
            return []
        raise _unusable(_("there is no ledger ({file})").format(file=path)) from None
    if lines[-1] == b"":
        lines.pop()
    entries: list[Entry] = []
    for number, line in enumerate(lines, 1):
        entry = _parse(line)
        before = entries[-1].checksum if entries else ""
        whole = entry is not None and entry.number == number and entry.with_checksum(before) == entry
        if not whole and not lenient:
            raise _unusable(_("the ledger ({file}) is damaged in line {line}").format(file=path, line=number))
        if entry is not None:
            entries.append(entry)
    return entries


def load_since(manifest: Mapping[str, Any], *, lenient: bool = False) -> list[Entry]:
    """Return the lines that were written since a backup with this manifest.

    Raises
    ------
    InputError
        If the ledger is missing or damaged, or is not that of the site that made the backup, unless it is ``lenient``.
    """
    entries = load(lenient=lenient)
    noted: dict[str, Any] | None = manifest.get("ledger")
    if noted is None:
        return [entry for entry in entries if entry.at > str(manifest.get("made_at", ""))]
    number = int(noted["number"])
    same = number == 0 or any(entry.number == number and entry.checksum == noted["checksum"] for entry in entries)
    if not same and not lenient:
        text = _(
            "the ledger ({file}) has no line {line} as the backup names it; it belongs to another site, or lines are "
            "missing"
        )
        raise _unusable(text.format(file=ledger_path(), line=number))
    return [entry for entry in entries if entry.number > number]


# Apply.


def replay(entries: list[Entry]) -> int:
    """Do again what the lines say was done, in their order; return how many still had something to do."""
    return sum(bool(REPLAYS[entry.verb](entry)) for entry in entries if entry.verb in REPLAYS)
