"""Packages that load their modules when a name is first used, so that small tasks start quickly."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

__all__ = ["lazy_attributes"]


def lazy_attributes(
    package: str,
    homes: Mapping[str, tuple[str, ...]],
    below: tuple[str, ...] = (),
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the functions ``__getattr__`` and ``__dir__`` of a package.

    Parameters
    ----------
    package
        Its name.
    homes
        The names that it offers, by the module or package below it that defines them.
    below
        Packages below it that are attributes of it too.
    """
    home_of = {name: home for home, names in homes.items() for name in names}

    def get(name: str) -> Any:
        if name in below:
            return import_module(f"{package}.{name}")
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{home_of[name]}"), name)

    def names() -> list[str]:
        return sorted(home_of)

    return get, names
