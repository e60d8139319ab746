"""The engine ``dask``: a Dask cluster that runs already, or one on this machine started for the occasion.

Nothing is scattered to workers or pinned to one, keys are random, and a result is taken off the cluster as soon as it
is there. So any worker may run any task, and a task whose worker is lost runs again elsewhere.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from typing import Any, TypeVar

from peerorder.core.errors import InputError, PartlyDone
from peerorder.core.translation import gettext as _
from peerorder.engines import interrupts
from peerorder.engines.engine import Engine, WorkerLost
from peerorder.engines.local import check_workers

try:
    from dask import config
    from distributed import CancelledError, Client, LocalCluster, Security, get_worker
    from distributed.comm import connect
    from distributed.scheduler import KilledWorker
    from distributed.versions import get_package_info
except ModuleNotFoundError as missing:
    if (missing.name or "").partition(".")[0] not in ("dask", "distributed"):
        raise
    raise InputError(_("the engine dask is not installed; `pip install 'peerorder[cluster]'` installs it")) from None

__all__ = ["DaskEngine", "open_dask"]

R = TypeVar("R")

# Other versions of these may give other numbers.
PACKAGES = ("peerorder", "numpy", "numba")
# Seconds: for a scheduler to answer, for the first worker to join it, and for a new one when all are lost.
ANSWER, FIRST_WORKER, NEW_WORKER = 10.0, 10.0, 60.0
# Seconds between counts of the workers.
COUNT = 1.0


def open_dask(
    workers: int | None, scheduler: str | None, answer: float = ANSWER, first_worker: float = FIRST_WORKER
) -> "DaskEngine":
    """Connect to a scheduler, or start a cluster on this machine.

    Parameters
    ----------
    answer, first_worker
        How long to wait for the scheduler, and then for its first worker, in seconds.
    """
    if scheduler is None:
        return _open_cluster(check_workers(workers))
    if workers is not None:
        raise InputError(_("a cluster with a `scheduler` has its own workers; leave out `workers`"))
    for handler in logging.getLogger("distributed").handlers:
        handler.setLevel(logging.CRITICAL)
    try:
        # In a thread: the caller may be a notebook, which has an event loop of its own.
        with ThreadPoolExecutor(1) as thread:
            thread.submit(asyncio.run, _greet(scheduler, answer)).result()
        client = Client(scheduler, timeout=answer, set_as_default=False)
    except (OSError, RuntimeError, TimeoutError, TypeError, ValueError) as error:
        problem = str(error).partition("\n")[0] or _("it does not answer")
        raise InputError(
            _(
                "the Dask scheduler at {address} cannot be reached: {problem}; check the address of `scheduler`, as in "
                "tcp://host:8786, and that it runs"
            ).format(address=scheduler, problem=problem)
        ) from None
    return _checked(DaskEngine(client, None), first_worker)


async def _greet(address: str, timeout: float) -> None:
    """Connect as clients do, which would wait forever for a peer that accepts connections and says nothing."""
    options = Security().get_connection_args("client")
    comm = await asyncio.wait_for(connect(address, timeout=timeout, **options), timeout)
    comm.abort()


def _open_cluster(workers: int) -> "DaskEngine":
    # Threads started in here leave interrupts to the main thread, and so do the workers that they start. Nobody looks
    # at Dask's profiler, which looks at every thread a hundred times a second.
    with interrupts.held_back(), config.set({"distributed.worker.profile.enabled": False}):
        # A worker that dies costs each of its tasks one try: blame is for `map_tasks` to find out.
        cluster = LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            host="127.0.0.1",
            silence_logs=logging.CRITICAL,
            # No dashboard; what is left of its server takes any free port.
            scheduler_kwargs={"allowed_failures": 0, "dashboard": False, "dashboard_address": "127.0.0.1:0"},
        )
        client = Client(cluster, set_as_default=False)
    return _checked(DaskEngine(client, cluster), FIRST_WORKER)


def _checked(engine: "DaskEngine", patience: float) -> "DaskEngine":
    try:
        engine.check(patience)
    except BaseException:
        engine.close()
        raise
    return engine


class DaskEngine(Engine):
    """The workers of a Dask cluster."""

    name = "dask"
    # A task of a study takes milliseconds, and so does the scheduler for each.
    batch = 8

    def __init__(self, client: Client, cluster: LocalCluster | None) -> None:
        self._client, self._cluster = client, cluster
        self._address = client.scheduler.address
        self._expected = installed()
        # The future that the caller has, and the one on the cluster, which exists no longer than it stands in here.
        self._pending: dict[Future[Any], Any] = {}
        # What the scheduler says with each lost task; until then, Dask's own default.
        self.tries = 1 if cluster is not None else 4
        self.workers = 1
        self.memory_limit = None

    def check(self, patience: float) -> None:
        """Raise InputError if there are no workers, or if one has other versions than this process."""
        try:
            self._client.wait_for_workers(1, timeout=patience)
        except TimeoutError:
            raise InputError(
                _("the Dask scheduler at {address} has no workers; start some with `dask worker {address}`").format(
                    address=self._address
                )
            ) from None
        told = self._client.get_versions(packages=list(PACKAGES))["workers"]
        workers = self._client.scheduler_info(n_workers=-1)["workers"]
        for address, worker in workers.items():
            # A worker that joined just now is checked by its first task.
            if address in told:
                _compare(address, _short(told[address]["packages"]), worker["nthreads"], self._expected)
        self.workers = max(len(workers), 1)
        limits = [worker["memory_limit"] for worker in workers.values()]
        self.memory_limit = min(limits) if limits and all(limits) else None
        self._client.loop.add_callback(self._count_workers)

    def submit(self, function: Callable[..., R], *arguments: Any) -> "Future[R]":
        """Run a task on any worker."""
        future: Future[R] = Future()
        if self._client.status != "running":
            future.set_exception(self._lost_scheduler())
            return future
        self._pending[future] = self._client.submit(run_checked, self._expected, function, *arguments, pure=False)
        future.add_done_callback(self._drop)
        self._client.loop.add_callback(self._pass_on, future)
        return future

    def close(self) -> None:
        """Leave the cluster; end it if it was started here."""
        self._client.close()
        if self._cluster is not None:
            self._cluster.close()

    def _drop(self, future: "Future[Any]") -> None:
        """Let go of a task on the cluster; if the caller cancelled it, it need not run."""
        on_cluster = self._pending.pop(future, None)
        if on_cluster is not None and future.cancelled():
            self._client.loop.add_callback(self._client._cancel, [on_cluster])

    async def _pass_on(self, future: "Future[Any]") -> None:
        """Wait for a task on the cluster; give its result or its error to the caller."""
        on_cluster = self._pending.get(future)
        if on_cluster is None:
            return  # cancelled meanwhile
        result: Any = None
        error: Exception | None = None
        try:
            result = await on_cluster._result()
        except KilledWorker as killed:
            self.tries = killed.allowed_failures + 1
            error = WorkerLost()
        except (CancelledError, asyncio.CancelledError):
            error = self._lost_scheduler()
        except Exception as problem:
            error = problem
        self._finish(future, result, error)

    def _finish(self, future: "Future[Any]", result: Any, error: Exception | None) -> None:
        if future.done() or not future.set_running_or_notify_cancel():
            return
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)

    async def _count_workers(self) -> None:
        """Count workers, for those that join later; if all are lost for long, give up on what waits for one."""
        without = 0.0
        while self._client.status in ("running", "connecting"):
            try:
                workers = await self._client.scheduler.ncores()
            except (OSError, AttributeError):
                # The connection is lost, and so are the tasks: they say so.
                return
            self.workers = max(len(workers), 1)
            without = 0.0 if workers else without + COUNT
            if without >= NEW_WORKER:
                text = _("the Dask scheduler at {address} has lost all its workers; start some, and run this again")
                for future in list(self._pending):
                    self._finish(future, None, PartlyDone(text.format(address=self._address)))
            await asyncio.sleep(COUNT)

    def _lost_scheduler(self) -> PartlyDone:
        text = _(
            "the connection to the Dask scheduler at {address} was lost; once it is back, run the same command again"
        )
        return PartlyDone(text.format(address=self._address))


# On workers.


def run_checked(expected: Mapping[str, str | None], function: Callable[..., R], *arguments: Any) -> R:
    """Run a task if this worker has the right versions: it may have joined after they were checked."""
    worker = get_worker()
    _compare(worker.address, installed(), worker.state.nthreads, expected)
    return function(*arguments)


@cache
def installed() -> dict[str, str | None]:
    """Return the versions of everything on which results may depend, as this process finds them."""
    return _short(get_package_info(PACKAGES))


def _short(versions: Mapping[str, str | None]) -> dict[str, str | None]:
    python = ".".join((versions["python"] or "").split(".")[:2])
    return {"python": python, **{package: versions[package] for package in PACKAGES}}


def _compare(address: str, found: Mapping[str, str | None], threads: int, expected: Mapping[str, str | None]) -> None:
    """Raise InputError if a worker has other versions, or runs several tasks at the same time.

    Kernels let go of the interpreter's lock, so several threads would be safe. But memory is counted for each
    worker, on the understanding that it runs one task.
    """
    for package, version in expected.items():
        if found[package] != version:
            text = _("the Dask worker {worker} has {package} {found}, but here it is {version}; install {wanted} there")
            if found[package] is None:
                text = _("the Dask worker {worker} has no {package}; install {wanted} there")
            wanted = f"{package} {version}" if package == "python" else f"{package}=={version}"
            raise InputError(
                text.format(worker=address, package=package, found=found[package], version=version, wanted=wanted)
            )
    if threads != 1:
        text = _("the Dask worker {worker} has {threads} threads; start workers with `--nthreads 1`")
        raise InputError(text.format(worker=address, threads=threads))
