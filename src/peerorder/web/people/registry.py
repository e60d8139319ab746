"""What apps above tell this one about people."""

from collections.abc import Callable
from typing import Any

from peerorder.web.hooks import Hook
from peerorder.web.people.models import Person

staff_checks: Hook[Callable[[Person], bool]] = Hook()
"""Whether somebody is staff of something."""

course_of_account: Hook[Callable[[Person], Any]] = Hook()
"""The course that an account is for, as a student has one for every course; None for accounts of staff."""
