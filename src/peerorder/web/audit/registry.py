"""What apps above tell the audit log: how events of their verbs read, and what the ids in the details are called."""

from collections.abc import Callable, Mapping
from typing import Any

from django.utils.functional import Promise

Text = str | Promise

MESSAGES: dict[str, tuple[Text, Text]] = {}
"""By verb: what follows the name of the person who did it, with details by name; and what many such events are called.

A verb that is not here is shown as it is, with its details.
"""

NAMES: dict[str, Callable[[set[int]], Mapping[int, Any]]] = {}
"""By what is named (``person``, ``assignment``, or a detail such as ``member``): the names of many ids at once."""

WORDS: dict[str, Callable[[Any], str]] = {}
"""By detail: how a value that is no id reads."""
