"""What all tests share: the same examples on every run, and a generator that depends on the test's name alone."""

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from peerorder.core.randomness import child

# Without a deadline and the check for slow examples: both measure the machine, not the code.
settings.register_profile(
    "peerorder",
    derandomize=True,
    deadline=None,
    max_examples=60,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("peerorder")


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    return child(0, request.node.name)
