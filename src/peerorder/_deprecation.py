"""Old names of public functions, classes and attributes: they work for one more version, with a warning."""

import sys
import warnings
from collections.abc import Callable
from typing import Any

__all__ = ["renamed_attribute", "renamed_names", "warn_renamed"]


def warn_renamed(old: str, new: str, stacklevel: int = 3) -> None:
    """Warn that a public name was replaced by another.

    Parameters
    ----------
    old, new
        Both names.
    stacklevel
        How many calls up the deprecated name was used: 3 for the caller of the function that calls this one.
    """
    warnings.warn(
        f"{old} is deprecated and will be removed in the next version; use {new}", DeprecationWarning, stacklevel
    )


def renamed_names(package: str, **new_names: str) -> Callable[..., Any]:
    """Return a ``__getattr__`` for a package that knows the old names, given as ``old="new"``."""

    def get(name: str, stacklevel: int = 3) -> Any:
        if name not in new_names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        warn_renamed(f"{package}.{name}", f"{package}.{new_names[name]}", stacklevel)
        return getattr(sys.modules[package], new_names[name])

    return get


class renamed_attribute:  # noqa: N801 - it stands in a class as `property` does
    """A descriptor for the old name of an attribute or a method: a warning, and then the new one.

    >>> class Outcome:
    ...     result = 1
    ...     findings = renamed_attribute("result")
    """

    def __init__(self, new: str) -> None:
        self.new = new
        self.__doc__ = f"Deprecated: use ``{new}``."

    def __set_name__(self, owner: type, name: str) -> None:
        self.old = name

    def __get__(self, instance: Any, owner: type) -> Any:
        warn_renamed(f"{owner.__name__}.{self.old}", f"{owner.__name__}.{self.new}")
        return getattr(owner if instance is None else instance, self.new)
