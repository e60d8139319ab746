"""What apps above tell this one about people."""

from collections.abc import Callable

from peerorder.web.hooks import Hook
from peerorder.web.people.models import Person

staff_checks: Hook[Callable[[Person], bool]] = Hook()
"""Whether somebody is staff of something."""
