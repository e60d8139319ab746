"""A real Dask cluster: a scheduler and workers as processes of their own, on the loopback address."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
LOOPBACK = ("--host", "127.0.0.1", "--dashboard-address", "127.0.0.1:0", "--no-dashboard")
MEMORY = 2**31


class DaskCluster:
    """A scheduler, and the workers that tests ask for.

    A task whose worker dies is not tried again by the scheduler, so that few workers need to die in a test.
    """

    def __init__(self, folder: Path, allowed_failures: int = 0) -> None:
        self.folder = folder
        file = folder / "scheduler.json"
        environment = {
            "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": str(allowed_failures),
            # Where a worker dies with results that nobody has fetched, the scheduler asks for them as long as this.
            "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "2s",
        }
        command = ("scheduler", "--port", "0", "--scheduler-file", str(file), *LOOPBACK)
        self.scheduler = self._start(*command, environment=environment)
        while not file.exists() or not file.read_text().endswith("}"):
            assert self.scheduler.poll() is None
            time.sleep(0.02)
        self.address: str = json.loads(file.read_text())["address"]
        self.workers: list[subprocess.Popen[bytes]] = []

    def start_worker(
        self, *options: str, path: Path | None = None, nanny: bool = False, threads: int = 1
    ) -> subprocess.Popen[bytes]:
        """Start a worker and wait until the scheduler has it; ``path`` comes first where it looks for modules."""
        before = self._count()
        process = self._start(
            *("worker", self.address, "--nthreads", str(threads), "--local-directory", str(self.folder)),
            *("--memory-limit", str(MEMORY), "--nanny" if nanny else "--no-nanny", *LOOPBACK, *options),
            path=path,
        )
        self.workers.append(process)
        while self._count() <= before:
            assert process.poll() is None
            time.sleep(0.02)
        return process

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        """End a worker at once, with what it started."""
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if process in self.workers:
            self.workers.remove(process)

    def keep(self, number: int, start: bool = True) -> None:
        """End all workers but so many of the first; start what is missing, if asked to."""
        for process in [each for each in self.workers if each.poll() is not None] + self.workers[number:]:
            if process in self.workers:
                self.kill(process) if process.poll() is None else self.workers.remove(process)
        while self._count() > len(self.workers):
            time.sleep(0.02)
        while start and len(self.workers) < number:
            self.start_worker()

    def stop(self) -> None:
        """End everything."""
        for process in [*self.workers, self.scheduler]:
            if process.poll() is None:
                self.kill(process)

    def on_scheduler(self, function):
        """Return what a function finds out about the scheduler, which is its argument."""
        from distributed import Client

        with Client(self.address, set_as_default=False) as client:
            return client.run_on_scheduler(lambda dask_scheduler: function(dask_scheduler))

    def _count(self) -> int:
        return self.on_scheduler(lambda scheduler: len(scheduler.workers))

    def _start(self, *command: str, path: Path | None = None, environment: dict[str, str] | None = None):
        folders = [*([path] if path else []), ROOT / "src", ROOT]
        return subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.dask_{command[0]}", *command[1:]],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders)), **(environment or {})},
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
