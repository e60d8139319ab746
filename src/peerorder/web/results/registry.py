"""What apps above do when marks are released: they know the stages of an assignment."""

from collections.abc import Callable
from datetime import datetime

from peerorder.web.assignments.models import Assignment
from peerorder.web.hooks import Hook
from peerorder.web.people.models import Person

published: Hook[Callable[[Assignment, datetime], None]] = Hook()
"""Called in the transaction that publishes a release, with the assignment locked."""

withdrawn: Hook[Callable[[Assignment, Person | None, datetime], None]] = Hook()
"""Called in the transaction that withdraws a release that was published, with the assignment locked."""
