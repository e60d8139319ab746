"""Arrays that somebody might hand us by mistake."""

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from hypothesis.strategies import SearchStrategy

EXTREMES = [-(2**63), -(2**31) - 1, -2, -1, 2**27, 2**31 - 1, 2**31, 2**63 - 1]


def _integers(dtype: np.dtype) -> SearchStrategy[int]:
    limits = np.iinfo(dtype)
    fits = [x for x in [*EXTREMES, 2**64 - 1] if limits.min <= x <= limits.max]
    return st.integers(0, 6) | st.sampled_from([*fits, 0])


def _arrays() -> SearchStrategy[np.ndarray]:
    shapes = hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)
    numbers = (hnp.integer_dtypes() | hnp.unsigned_integer_dtypes()).flatmap(
        lambda dtype: hnp.arrays(dtype, st.integers(0, 8) | shapes, elements=_integers(dtype))
    )
    anything = hnp.arrays(hnp.scalar_dtypes() | hnp.array_dtypes(max_size=2), shapes)
    objects = hnp.arrays(object, shapes, elements=st.none() | st.integers(0, 3) | st.text(max_size=2))
    return numbers | anything | objects


@pytest.fixture(scope="session")
def junk() -> SearchStrategy[object]:
    """Anything at all, from almost right to absurd; numbers that would only cost memory are left out."""
    small = st.integers(0, 6)
    atoms = small | st.sampled_from([*EXTREMES, 2**70]) | st.none() | st.booleans() | st.floats() | st.text(max_size=3)
    nested = st.recursive(atoms, lambda inner: st.lists(inner, max_size=4), max_leaves=8)
    return st.lists(small, max_size=8) | st.lists(small, max_size=8, unique=True) | _arrays() | nested


@pytest.fixture(scope="session")
def offsets() -> SearchStrategy[list[int]]:
    """Rising from 0, so that junk often gets past the check of the offsets."""
    return st.lists(st.integers(0, 3), max_size=5).map(lambda steps: np.cumsum([0, *steps]).tolist())


@pytest.fixture(scope="session")
def counts() -> SearchStrategy[object]:
    """Numbers of papers: right ones, and everything that is none."""
    return st.integers(0, 8) | st.sampled_from([-1, 2**31, 2**70, 2.0, None, "3", np.int16(4), [3], float("nan")])
