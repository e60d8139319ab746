"""Locks that many may share, and that one may hold alone to change something: a course, an assignment, who gets in.

Locks of rows would not do: PostgreSQL lets everybody who shares a row go before a writer that waits, so a stage
could not be ended for as long as a class saves without a pause. Advisory locks are granted in turn. SQLite needs none
of this: its transactions wait in line.
"""

from django.db import connection

from peerorder.web.database.sql import fetch_all

KINDS = {"access": 0, "course": 1, "assignment": 2, "seals": 3, "attempt": 9}
"""``access`` is one lock for everybody (id 0), because access is revoked rarely and saves are frequent. So is
``seals``, for people who add one."""


def share(**ids: int) -> None:
    """Share these (as ``course=7``) with others until the transaction ends; while somebody holds one, wait."""
    _lock("pg_advisory_xact_lock_shared", ids)


def lock(**ids: int) -> None:
    """Hold these alone until the transaction ends; wait for those who share them now, and not for later ones."""
    _lock("pg_advisory_xact_lock", ids)


def _lock(function: str, ids: dict[str, int]) -> None:
    if connection.vendor == "postgresql":
        # Always in the same order. Where two ids have the same key, one waits for the other without need.
        keys = sorted((KINDS[kind], pk % 2**31) for kind, pk in ids.items())
        calls = ", ".join([f"{function}(%s, %s)"] * len(keys))
        fetch_all(f"SELECT {calls}", *(number for key in keys for number in key))
