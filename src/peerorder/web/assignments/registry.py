"""What apps above tell this one about assignments."""

from collections.abc import Callable
from datetime import datetime

from peerorder.web.assignments.deadlines import Deadlines
from peerorder.web.assignments.models import Assignment
from peerorder.web.courses.models import Member
from peerorder.web.hooks import Hook

locks: Hook[Callable[[Assignment], dict[str, str]]] = Hook()
"""The fields that can no longer be changed, each with the reason."""

ranking_checks: Hook[Callable[[Assignment, Member, datetime], bool]] = Hook()
"""Whether a student has papers to rank, or has ranked them."""

extension_checks: Hook[Callable[[Assignment, Member, Deadlines], str]] = Hook()
"""Why the times of a student cannot be cut to these; empty where they can."""

hand_in_time_checks: Hook[Callable[[Assignment, Member], str]] = Hook()
"""Why more time to hand in would not help a student; empty where it would."""

ranking_time_checks: Hook[Callable[[Assignment, Member], str]] = Hook()
"""Why more time to rank would not help a student; empty where it would."""
