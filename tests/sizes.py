"""Statistics of two sizes: small in every run, and at full size by `make statistics`."""

from typing import Any

import pytest

__all__ = ["sized"]


def sized(name: str, small: Any, full: Any) -> pytest.MarkDecorator:
    """Give a test its size by an argument: ``@sized("rounds", 20_000, full=200_000)``."""
    return pytest.mark.parametrize(
        name, [pytest.param(small, id="small"), pytest.param(full, id="full", marks=pytest.mark.full)]
    )
