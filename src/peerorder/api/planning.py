"""``plan``: how many papers each student should rank."""

from __future__ import annotations

from collections.abc import Iterable

from peerorder.api.simulation import Progress, progress_on, whole_numbers
from peerorder.core.errors import InputError
from peerorder.core.translation import gettext as _
from peerorder.studies.plan import GRADERS, Plan, make_plan

__all__ = ["plan"]


def plan(
    n: int,
    k: int | Iterable[int] = (),
    *,
    dropout: float = 0.0,
    graders: str | float = "average",
    minutes: float = 15.0,
    simulate: bool = False,
    runs: int | None = None,
    seed: int = 0,
    workers: int = 1,
    progress: Progress = False,
) -> Plan:
    """Say what to expect where everybody ranks k papers in a class of n, and recommend a k.

    Parameters
    ----------
    n
        How many papers.
    k
        The numbers to look at; by default 3 to 15.
    dropout
        Percent of the students who will not hand in their rankings.
    graders
        ``careful``, ``average``, ``careless``, or a noise level from 0 to 50.
    minutes
        How long it takes to read one paper.
    simulate
        Simulate settings that the shipped results do not cover.
    runs, seed, workers, progress
        For these simulations, as in ``simulate``.
    """
    if isinstance(graders, str) and graders not in GRADERS:
        raise InputError(
            _("`graders` is {graders!r}; give {words} or a noise level from 0 to 50").format(
                graders=graders, words=", ".join(GRADERS)
            )
        )
    with progress_on(progress) as report:
        return make_plan(
            whole_numbers([n], "n")[0],
            whole_numbers(k, "k"),
            missing=dropout,
            noise=GRADERS[graders] if isinstance(graders, str) else graders,
            minutes=minutes,
            simulate=simulate,
            runs=runs,
            seed=seed,
            workers=workers,
            progress=report,
        )
