"""Seal new rows of the append-only tables, in batches, each chained to the one before.

Triggers refuse changes, but the owner of the database can drop them. What is changed then no longer fits its seal, and
they cannot make another one: the key is outside. Nor can they cut off the newest seals, because the last one is
remembered outside as well: in the folder of the site, in every backup, and once a day in the server log.
"""

import logging
import os
import tempfile
import time
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice, takewhile
from pathlib import Path

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Max, Model
from django.utils import timezone

from peerorder.web.audit.models import Seal
from peerorder.web.audit.registry import SEALED
from peerorder.web.audit.seal_keys import sealing_key
from peerorder.web.audit.sealed_rows import RowsDigest, read, sign
from peerorder.web.database import advisory_locks
from peerorder.web.database.sql import fetch_all

EVERY = timedelta(minutes=5)
"""How long rows wait for their seal, unless a batch is full before."""
BATCH = 1000
MOST_BATCHES = 20
"""In one call, which must not keep the worker from its heartbeats; the rest of a long backlog waits for the next."""
# How many seconds to wait for transactions that have written and not ended; the next call tries again.
PATIENCE = 0.5
WRITERS = """
    SELECT virtualtransaction FROM pg_locks
    WHERE relation = %s::regclass AND mode = 'RowExclusiveLock' AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""
logger = logging.getLogger("peerorder.audit")


@dataclass(frozen=True)
class Head:
    """The newest seal of a chain, which stands for all before it."""

    number: int
    digest: str


def head() -> Head | None:
    """Return the newest seal; None where nothing is sealed yet."""
    newest = Seal.objects.order_by("-pk").first()
    return None if newest is None else Head(newest.pk, newest.digest)


# Sealing.


def seal_new_rows(now: datetime | None = None, *, at_once: bool = False) -> int:
    """Seal what is new, if it has waited for long enough or is a batch; return how many seals were made.

    ``at_once`` seals everything, however new and however much.
    """
    now = now or timezone.now()
    count = 0
    for name in SEALED:
        last = Seal.objects.filter(table=name).order_by("-last_id").first()
        end = last.last_id if last is not None else 0
        if at_once or last is None or now - last.at >= EVERY or _newest(SEALED[name].model) - end >= BATCH:
            newest = _last_settled_id(SEALED[name].model)
            while end < newest and (at_once or count < MOST_BATCHES):
                if (seal := _seal_batch(name, end + 1, newest, now)) is None:
                    break
                end, count = seal.last_id, count + 1
    return count


def _newest(model: type[Model]) -> int:
    return int(model._base_manager.aggregate(newest=Max("pk"))["newest"] or 0)


def _last_settled_id(model: type[Model]) -> int:
    """Return the largest id such that no row can appear any more with this id or a lower one.

    On PostgreSQL rows are committed in another order than that of their ids. A transaction holds a lock on the table
    from before it draws an id until it ends, so it is enough to wait for all who hold one now: later ones draw larger
    ids. Nobody waits for us. SQLite has one writer at a time.
    """
    newest = _newest(model)
    if connection.vendor == "postgresql":
        until = time.monotonic() + PATIENCE
        writers = _writers(model)
        while writers:
            if time.monotonic() > until:
                return 0
            time.sleep(0.02)
            writers &= _writers(model)
    return newest


def _writers(model: type[Model]) -> set[str]:
    return {writer for (writer,) in fetch_all(WRITERS, model._meta.db_table)}


def _seal_batch(name: str, first: int, newest: int, now: datetime) -> Seal | None:
    """Add a seal on the next rows; None where somebody else was faster, or nothing is there."""
    table, digest, last = SEALED[name], RowsDigest(), 0
    # Rows never change, so this needs no transaction, and nobody who saves waits for it.
    for row in islice(takewhile(lambda row: row[0] <= newest, read(table, table.version, first)), BATCH):
        digest.add(row)
        last = row[0]
    if not digest.count:
        return None
    fingerprint, key = sealing_key()
    with transaction.atomic():
        advisory_locks.lock(seals=0)
        if Seal.objects.filter(table=name, last_id__gte=first).exists():
            return None
        before = Seal.objects.order_by("-pk").first()
        seal = Seal(
            pk=1 if before is None else before.pk + 1,
            at=now,
            table=name,
            version=table.version,
            first_id=first,
            last_id=last,
            count=digest.count,
            rows=digest.hexdigest(),
            key=fingerprint,
        )
        seal.digest = sign(seal, "" if before is None else before.digest, key)
        remembered = remembered_head()
        seal.save(force_insert=True)
    _replace_remembered(Head(seal.pk, seal.digest), remembered)
    if before is None or before.at.date() != now.date():
        # The line to look for when the log is verified with `--head`.
        logger.info("audit log: seal %d has the head %s", seal.pk, seal.digest)
    return seal


# What is remembered outside of the database.


def head_file() -> Path:
    """Return where the newest seal is remembered."""
    return Path(settings.ENVIRONMENT.home / "seal-head")


def remembered_head() -> Head | None:
    """Return the seal that the folder remembers; None where it remembers none."""
    try:
        number, digest = head_file().read_text("ascii", "replace").split()
        return Head(int(number), digest)
    except FileNotFoundError:
        return None
    except ValueError:
        # Damaging it must not be a way to get rid of it.
        return Head(0, "damaged")


def _replace_remembered(new: Head, before: Head | None) -> None:
    """Remember a new seal in place of one that is still there; leave one that is not, for `verify-log` to complain."""
    if before is None or Seal.objects.filter(pk=before.number, digest=before.digest).exists():
        remember(new)
    else:
        logger.error(
            "audit log: seal %d, which %s names, is gone; run `peerorder verify-log`", before.number, head_file()
        )


def remember(head: Head | None) -> None:
    """Note a seal as the newest one, or that there is none."""
    if head is None:
        head_file().unlink(missing_ok=True)
        return
    with tempfile.NamedTemporaryFile("w", dir=head_file().parent, prefix="seal-head.", delete=False) as stream:
        stream.write(f"{head.number} {head.digest}\n")
        stream.flush()
        os.fsync(stream.fileno())
    Path(stream.name).replace(head_file())
