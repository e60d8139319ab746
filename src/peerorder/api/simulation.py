"""``simulate``: experiments of one's own, with rules, noises and schemes by name or as objects."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from itertools import product
from typing import TYPE_CHECKING, Any, TypeVar

from peerorder.api.ids import shown
from peerorder.core.errors import InputError
from peerorder.core.registry import Entry, Registry
from peerorder.core.translation import gettext as _
from peerorder.noise import NOISES, Noise
from peerorder.rules import RULES, Rule
from peerorder.schemes import SCHEMES, Scheme
from peerorder.studies.experiment import Cell
from peerorder.studies.runner import Study, run_studies

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Progress", "progress_on", "simulate", "whole_numbers"]

Progress = bool | Callable[[int, int], None]
E = TypeVar("E", bound=Entry)


def simulate(
    n: int | Iterable[int] = 100,
    k: int | Iterable[int] = 6,
    noise: str | Noise | Iterable[str | Noise] = "condorcet:level=30",
    rules: str | Rule | Iterable[str | Rule] = ("posterior", "borda"),
    runs: int = 10,
    seed: int = 0,
    *,
    scheme: str | Scheme | Iterable[str | Scheme] = "random",
    workers: int = 1,
    progress: Progress = False,
) -> pa.Table:
    """Simulate rounds of peer grading, and measure how well each rule recovers the true order.

    Every combination of ``scheme``, ``n``, ``k`` and ``noise`` is run, and all rules see the same ballots.

    Parameters
    ----------
    n
        How many papers and students; one number or several.
    k
        How many papers each student ranks.
    noise
        How graders err.
    rules
        How to merge.
    runs
        Repetitions of each setting.
    seed
        A whole number from 0 up. The result depends on it and on the setting, not on ``workers``.
    scheme
        Who ranks what.
    workers
        Processes that share the work. With rules, noises and schemes that exist in this session alone, everything runs
        in this process. A script that asks for more than one needs the usual ``if __name__ == "__main__"``.
    progress
        True for a bar, or a function that is called with the number of runs done and their total.

    Returns
    -------
    pyarrow.Table
        One row for each run and rule: ``scheme, n, k, noise, rule, run, pairwise_accuracy``.
    """
    import pyarrow as pa

    seen: dict[tuple[str, str], Entry] = {}
    local: dict[tuple[str, str], Entry] = {}

    def specs(registry: Registry[E], given: Any) -> list[str]:
        result = []
        for each in _listed(given):
            entry = registry.parse(each)
            key = (registry.kind, entry.spec)
            if seen.setdefault(key, entry) != entry:
                raise InputError(
                    _("two different {kind}s are called {spec!r}; rename one").format(
                        kind=registry.kind, spec=entry.spec
                    )
                )
            if not registry.is_installed(entry):
                local[key] = entry
            result.append(entry.spec)
        return result

    chosen = tuple(specs(RULES, rules))
    settings = product(specs(SCHEMES, scheme), whole_numbers(n, "n"), whole_numbers(k, "k"), specs(NOISES, noise))
    cells = tuple(dict.fromkeys(Cell(*setting, chosen, local) for setting in settings))
    if not cells:
        raise InputError(_("there is nothing to simulate; give at least one n, k, noise and scheme"))
    times = whole_numbers([runs], "runs")[0]
    study = Study("simulate", "an experiment of one's own", cells, times, (), lambda results: [])  # noqa: ARG005
    with progress_on(progress) as report:
        results = run_studies([study], seed=seed, workers=workers, progress=report)["simulate"]
    rows = [
        (cell.scheme, cell.n, cell.k, cell.noise, rule, number, run[rule] / 100)
        for cell, done in results.items()
        for number, run in enumerate(done)
        for rule in cell.rules
    ]
    columns = ("scheme", "n", "k", "noise", "rule", "run", "pairwise_accuracy")
    return pa.table(dict(zip(columns, map(list, zip(*rows, strict=True)), strict=True)))


class progress_on:  # noqa: N801 -- a context manager, used like a function
    """What to call with the progress of long work: the function given, a bar, or nothing."""

    def __init__(self, progress: Progress) -> None:
        self._given = progress
        self._bar: Any = None

    def __enter__(self) -> Callable[[int, int], None]:
        if callable(self._given):
            return self._given
        if not self._given:
            return lambda done, total: None  # noqa: ARG005
        from rich.progress import Progress as Bar

        self._bar = Bar(transient=True)
        task = self._bar.add_task("simulating", total=None)
        self._bar.start()
        return lambda done, total: self._bar.update(task, completed=done, total=total)

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()


def _listed(given: Any) -> list[Any]:
    return [given] if isinstance(given, (str, Entry)) or not isinstance(given, Iterable) else list(given)


def whole_numbers(given: Any, name: str) -> list[int]:
    """Return one whole number or several as a list."""
    try:
        return [operator.index(each) for each in _listed(given)]
    except TypeError:
        raise InputError(
            _("`{name}` is {given}; give a whole number, or a list of whole numbers").format(
                name=name, given=shown(given)
            )
        ) from None
