"""Which test process gets which tests: whole files, the long ones first.

All tests of a file run in one process, so that what a module makes for its tests is made once. A file that takes long
and shares nothing is dealt out test by test. Tests that wait for other processes alternate with tests that compute, so
that neither the cores nor the tests wait for long.
"""

from collections import OrderedDict
from itertools import chain, zip_longest

from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController

__all__ = ["ByFile"]

DEALT_OUT = (
    "tests/docs/test_docs.py",
    "tests/rules/posterior/test_rule.py",
    "tests/web/whole/test_crashes.py",
    "tests/web/whole/test_round.py",
)
# Longest first; what is not named here follows, files with many tests first.
WAITING = (
    "tests/web/whole/test_round.py",
    "tests/web/operations/test_restore.py",
    "tests/web/whole/test_crashes.py",
    "tests/upgrades/",
    "tests/web/operations/test_serve.py",
    "tests/engines/test_dask.py",
    "tests/web/jobs/test_processes.py",
    "tests/web/audit/test_processes.py",
    "tests/web/ranking/test_migrations.py",
    "tests/web/operations/",
    "tests/web/ranking/in_the_browser/",
    "tests/web/ranking/test_races.py",
    "tests/web/courses/test_roster",
    "tests/web/courses/test_races.py",
    "tests/web/results/in_the_browser/",
    "tests/web/results/test_processes.py",
    "tests/web/results/test_races.py",
    "tests/browser/",
    "tests/web/mail/test_processes.py",
    "tests/web/sandbox/",
)
COMPUTING = (
    "tests/web/test_anonymity.py",
    "tests/rules/test_rules.py",
    "tests/rules/posterior/",
    "tests/web/test_pages.py",
    "tests/web/test_access.py",
    "tests/docs/",
    "tests/cli/test_reproduce.py",
    "tests/studies/",
    "tests/web/papers/",
    "tests/web/",
    "tests/files/",
    "tests/cli/",
    "tests/rules/",
    "tests/schemes/",
)


def place(scope: str, names: tuple[str, ...]) -> int:
    """Return the index of the first name with which the path of a file or test begins."""
    return next((index for index, name in enumerate(names) if scope.startswith(name)), len(names))


class ByFile(LoadScopeScheduling):
    """Deal out files, the long ones first."""

    _is_sorted = False

    def _split_scope(self, nodeid: str) -> str:
        path = nodeid.partition("::")[0]
        return nodeid if path in DEALT_OUT else path

    def _assign_work_unit(self, node: WorkerController) -> None:
        if not self._is_sorted:
            self._is_sorted = True
            self.workqueue = OrderedDict((scope, self.workqueue[scope]) for scope in in_order(self.workqueue))
        super()._assign_work_unit(node)


def in_order(units: dict[str, dict[str, bool]]) -> list[str]:
    """Return the names of files and tests in the order in which they should begin."""
    waiting = [scope for scope in units if place(scope, WAITING) < len(WAITING)]
    others = [scope for scope in units if scope not in set(waiting)]
    waiting.sort(key=lambda scope: place(scope, WAITING))
    others.sort(key=lambda scope: (place(scope, COMPUTING), -len(units[scope])))
    return [scope for scope in chain.from_iterable(zip_longest(waiting, others)) if scope is not None]
