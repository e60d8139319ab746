"""How an app calls what is above it without importing it: functions that apps above register."""

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


class Hook(list[F]):
    """Functions to call, in the order in which they were registered; works as a decorator.

    An app declares its hooks in ``registry``. Apps above register with them in ``registrations``, which is loaded when
    Django has loaded all apps.
    """

    def __call__(self, function: F) -> F:
        """Register a function."""
        self.append(function)
        return function

    @property
    def only(self) -> F:
        """The function, of a hook that has one."""
        (function,) = self
        return function
