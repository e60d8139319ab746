"""What backups say of the audit log."""

from collections.abc import Mapping
from typing import Any

from django.db import connection

from peerorder.web.audit import seals
from peerorder.web.audit.models import Seal
from peerorder.web.audit.services import record
from peerorder.web.database.registry import after_restore, manifest_entries

ENTRY = "seal"


@manifest_entries
def newest_seal() -> Mapping[str, Any]:
    """Return the newest seal; None before there is one, also in a database of an older version."""
    has_table = Seal._meta.db_table in connection.introspection.table_names()
    head = seals.head() if has_table else None
    return {ENTRY: None if head is None else {"number": head.number, "digest": head.digest}}


@after_restore
def note_restore(manifest: Mapping[str, Any]) -> None:
    """Record a restore, and remember the seal of the backup in place of a newer one, which is no longer in the log."""
    seal = manifest.get(ENTRY)
    seals.remember(None if seal is None else seals.Head(int(seal["number"]), str(seal["digest"])))
    record("backup restored", None, made_at=manifest.get("made_at"))
