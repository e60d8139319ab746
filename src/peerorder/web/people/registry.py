"""What apps above tell this one about people."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from peerorder.web.hooks import Hook
from peerorder.web.people.models import Person


@dataclass(frozen=True)
class Enrolment:
    """A course that somebody is in."""

    course_id: int
    course: str
    is_staff: bool
    ends_at: datetime
    """The end of its last day; until then students get in."""


enrolments: Hook[Callable[[Person], Sequence[Enrolment]]] = Hook()
"""The courses that somebody is in now, ended ones too."""

course_of_account: Hook[Callable[[Person], Any]] = Hook()
"""The course that an account is for, as a student has one for every course; None for accounts of staff."""
