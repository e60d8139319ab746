"""Sealed rows and their seals as bytes: one form for good, whatever the database or the model looks like later."""

import hashlib
import hmac
import json
from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import Any

from peerorder.web.audit.models import Seal
from peerorder.web.audit.registry import SealedTable
from peerorder.web.database.paging import by_id


def _text(value: Any) -> str:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="microseconds")
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} has no form for seals")


# A list on a line: texts in ASCII with escapes, keys sorted, times in UTC.
_encode = json.JSONEncoder(ensure_ascii=True, sort_keys=True, separators=(",", ":"), default=_text).encode


def read(table: SealedTable, version: int, first: int) -> Iterator[tuple[Any, ...]]:
    """Yield the columns of a version, of all rows from this id on."""
    return by_id(table.model._base_manager.values_list(*table.versions[version]), first)


class RowsDigest:
    """SHA-256 of rows, and how many there were."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self.count = 0

    def add(self, row: tuple[Any, ...]) -> None:
        """Take in a row."""
        self._hash.update(f"{_encode(row)}\n".encode("ascii"))
        self.count += 1

    def hexdigest(self) -> str:
        """Return the digest of all rows so far."""
        return self._hash.hexdigest()


def sign(seal: Seal, previous: str, key: bytes) -> str:
    """Return the HMAC of a seal, chained to the digest of the one before it."""
    said = [seal.pk, seal.at, seal.table, seal.version, seal.first_id, seal.last_id, seal.count, seal.rows, seal.key]
    return hmac.new(key, _encode([*said, previous]).encode("ascii"), "sha256").hexdigest()
