"""What apps above tell this one about courses."""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from peerorder.web.courses.models import Course
from peerorder.web.hooks import Hook

members_with_work: Hook[Callable[[Course], Iterable[int]]] = Hook()
"""The ids of members of a course who have handed in or ranked something."""

assignments_of: Hook[Callable[[Course], Iterable[Any]]] = Hook()
"""The assignments of a course, the newest first."""

running_rounds: Hook[Callable[[Course], Iterable[tuple[str, str, datetime | None]]]] = Hook()
"""What still takes papers or rankings in a course: its title, its stage in words, and until when if that is set."""
