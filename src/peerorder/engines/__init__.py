"""Running many tasks: on the cores of this machine, or on a Dask cluster."""

from collections.abc import Iterator
from contextlib import contextmanager

from peerorder.core.registry import Registry
from peerorder.core.translation import message
from peerorder.engines.engine import Engine, EngineEntry, TasksGivenUp, WorkerLost, map_tasks
from peerorder.engines.local import LOCAL, SameProcess, check_workers

__all__ = [
    "ENGINES",
    "Engine",
    "EngineEntry",
    "SameProcess",
    "TasksGivenUp",
    "WorkerLost",
    "map_tasks",
    "open_engine",
    "using",
]


def _open_dask(workers: int | None, scheduler: str | None) -> Engine:
    from peerorder.engines.dask import open_dask  # imports Dask

    return open_dask(workers, scheduler)


DASK = EngineEntry(name="dask", summary="A Dask cluster", citation="", open=_open_dask)

ENGINES: Registry[EngineEntry] = Registry(message("engine"), "peerorder.engines", [LOCAL, DASK])


def open_engine(name: str = "local", workers: int | None = None, scheduler: str | None = None) -> Engine:
    """Open an engine by its name.

    Parameters
    ----------
    workers
        How many tasks run at the same time; by default one for each core.
    scheduler
        The address of the scheduler of a cluster that runs already.
    """
    if workers is not None:
        check_workers(workers)
    return ENGINES.parse(name).open(workers, scheduler)


@contextmanager
def using(engine: Engine | None, workers: int | None) -> Iterator[Engine]:
    """Use an engine that somebody else opened and closes; without one, processes of this machine."""
    if engine is not None:
        yield engine
        return
    with open_engine(workers=workers) as opened:
        yield opened
