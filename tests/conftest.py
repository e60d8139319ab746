"""What all tests share: the same examples on every run, and a generator that depends on the test's name alone.

Tests for which the machine lacks something are left out, and pytest says why at its end. Where
PEERORDER_NOTHING_LEFT_OUT=1 is set, they fail instead. Statistics at full size run where they are asked for by
`pytest -m full`; everywhere else the same tests run small.
"""

import gc
import os

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


# What a test asks for says what it is; of the web app, a class in which everything has happened takes seconds to make.
MARKED_BY_FIXTURE = {
    "browser": pytest.mark.browser,
    "app": pytest.mark.processes,
    "dask_cluster": pytest.mark.processes,
    "postgresql": pytest.mark.processes,
    "one_world": pytest.mark.slow,
}


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    return child(0, request.node.name)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if os.environ.get("PEERORDER_NOTHING_LEFT_OUT") == "1" and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"left out, though nothing may be: {call.excinfo.value}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """What is there once all tests are known stays until the end: the garbage collector need not look at it again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    for item in items:
        for name, mark in MARKED_BY_FIXTURE.items():
            if name in getattr(item, "fixturenames", ()):
                item.add_marker(mark)
    if "full" not in config.option.markexpr:
        full = [item for item in items if item.get_closest_marker("full")]
        if full:
            config.hook.pytest_deselected(items=full)
            items[:] = [item for item in items if not item.get_closest_marker("full")]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    from tests.scheduling import ByFile

    return ByFile(config, log)


@pytest.fixture(scope="session")
def pseudo_catalogues(tmp_path_factory):
    """The folder with the compiled catalogues of the pseudo-locale."""
    from tests.pseudo_locale import compile_catalogues

    folder = tmp_path_factory.mktemp("locale")
    compile_catalogues(folder)
    return folder


@pytest.fixture(scope="session")
def dask_scheduler(tmp_path_factory):
    """One Dask scheduler for all tests of this process."""
    from tests.clusters import DaskCluster

    running = DaskCluster(tmp_path_factory.mktemp("dask"))
    yield running
    running.stop()


@pytest.fixture
def dask_cluster(dask_scheduler):
    """A Dask cluster with two workers, in processes of their own on the loopback address."""
    dask_scheduler.keep(2)
    yield dask_scheduler
    dask_scheduler.keep(2, start=False)


@pytest.fixture(scope="session")
def chromium():
    """One browser for all tests of this process."""
    from tests.chromium import Chromium

    running = Chromium()
    yield running
    running.stop()


@pytest.fixture
def browser(chromium):
    """The browser, without what another test opened in it."""
    with chromium.in_use() as opened:
        yield opened
