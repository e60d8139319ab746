"""What apps add to a backup, and do after a restore. ``operations`` calls it, which no app may import."""

from collections.abc import Callable, Mapping
from typing import Any

from peerorder.web.hooks import Hook

manifest_entries: Hook[Callable[[], Mapping[str, Any]]] = Hook()
"""Facts for the manifest of a backup, by name, as JSON holds them.

They are collected before the database is copied, so the copy has everything that they speak of.
"""

after_restore: Hook[Callable[[Mapping[str, Any]], None]] = Hook()
"""Called with the manifest once the database and the uploads are back and upgraded, while nobody can log in.

If one raises an exception, the restore is undone.
"""
