"""On a real cluster; ``tests/clusters.py`` starts it."""

import os
import socket
import sys
import threading
import time
from functools import partial

import pytest

from peerorder.cli import run
from peerorder.core.errors import InputError, PartlyDone
from peerorder.engines import dask as module, map_tasks, open_engine
from peerorder.engines.dask import open_dask
from tests.clusters import MEMORY, DaskCluster
from tests.engines import tasks

SIMULATION = ("simulate", "-n", "40", "-k", "4", "-k", "5", "--rule", "borda", "--rule", "rsd", "--runs")


@pytest.fixture
def engine(dask_cluster):
    with open_engine("dask", scheduler=dask_cluster.address) as opened:
        yield opened


def simulate(out, *options, runs=3):
    assert run([*SIMULATION, str(runs), "--out", str(out), *options]) == 0
    return out.read_bytes(), out.with_name(f"{out.name}.provenance.json").read_bytes()


def run_all(engine, function, given, *, after_first=lambda: None, into=None):
    """The results of all tasks; something happens once the first has come."""
    done = {} if into is None else into
    for task, result in map_tasks(engine, function, given):
        if not done:
            after_first()
        done[task] = result
    return done


def left_on_scheduler(cluster):
    """How many tasks the scheduler has at the end; a word from the client may still be on its way to it."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline and cluster.on_scheduler(lambda scheduler: len(scheduler.tasks)):
        time.sleep(0.02)
    return cluster.on_scheduler(lambda scheduler: len(scheduler.tasks))


def test_results_are_those_of_the_local_engine_byte_by_byte(dask_cluster, tmp_path, capsys):
    cluster = simulate(tmp_path / "dask.csv", "--engine", "dask", "--scheduler", dask_cluster.address)
    assert cluster == simulate(tmp_path / "local.csv", "--workers", "1")


def test_it_knows_its_workers(engine):
    assert (engine.name, engine.workers, engine.memory_limit) == ("dask", 2, MEMORY)


def test_errors_of_a_task_arrive_as_themselves(engine):
    with pytest.raises(KeyError, match="three"):
        list(map_tasks(engine, tasks.root, range(30)))


def test_nothing_is_left_on_the_scheduler(dask_cluster, engine):
    most = 0
    for done, (task, result) in enumerate(map_tasks(engine, tasks.root, range(10, 60))):
        assert result == task**0.5
        if done % 10 == 0:
            most = max(most, dask_cluster.on_scheduler(lambda scheduler: len(scheduler.tasks)))
    assert most <= 4 * 2
    assert left_on_scheduler(dask_cluster) == 0


def test_closing_early_cancels_the_rest(dask_cluster, engine):
    results = map_tasks(engine, tasks.pid, range(1000))
    next(results)
    results.close()
    assert left_on_scheduler(dask_cluster) == 0


def test_a_worker_killed_in_the_middle_of_a_study_changes_nothing(dask_cluster, tmp_path, capsys):
    def kill():
        while not any(file.read_text().count("\n") > 4 for file in tmp_path.glob(".unfinished-*")):
            time.sleep(0.005)
        dask_cluster.kill(dask_cluster.workers[0])

    killer = threading.Thread(target=kill)
    killer.start()
    cluster = simulate(tmp_path / "dask.csv", "--engine", "dask", "--scheduler", dask_cluster.address, runs=60)
    killer.join()
    assert len(dask_cluster.workers) == 1
    assert cluster == simulate(tmp_path / "local.csv", "--workers", "1", runs=60)


def test_a_worker_that_joins_late_gets_work(dask_cluster, engine):
    seen, joining = set(), threading.Thread(target=dask_cluster.start_worker)
    for _, pid in map_tasks(engine, tasks.pid, range(5000)):
        if not seen:
            joining.start()
        seen.add(pid)
        if len(seen) == 3:
            break
    joining.join()
    assert len(seen) == 3


def test_a_task_that_kills_its_worker_is_given_up_after_three_tries(dask_cluster, engine, tmp_path):
    dask_cluster.start_worker(nanny=True)
    for process in dask_cluster.workers[:2]:
        dask_cluster.kill(process)
    files = [str(tmp_path / f"{number}") for number in range(12)]
    done = {}
    with pytest.raises(PartlyDone, match=r"1 task .*/3$"):
        run_all(engine, tasks.die_at_three, files, into=done)
    assert sorted(done) == sorted(file for file in files if not file.endswith("/3"))
    assert engine.tries == 1
    assert (tmp_path / "3").read_text() == "..."


def test_where_all_workers_are_lost_it_gives_up(dask_cluster, engine, monkeypatch):
    monkeypatch.setattr(module, "NEW_WORKER", 0.2)

    def kill_all():
        for process in [*dask_cluster.workers]:
            dask_cluster.kill(process)

    with pytest.raises(PartlyDone, match="workers"):
        run_all(engine, tasks.pid, range(5000), after_first=kill_all)


def test_a_scheduler_that_is_lost_in_the_middle(tmp_path):
    cluster = DaskCluster(tmp_path)
    try:
        cluster.start_worker()
        with open_engine("dask", scheduler=cluster.address) as engine:
            with pytest.raises(PartlyDone, match="same command again"):
                run_all(engine, tasks.pid, range(5000), after_first=lambda: cluster.kill(cluster.scheduler))
            with pytest.raises(PartlyDone, match="same command again"):
                engine.submit(tasks.pid, 1).result()
    finally:
        cluster.stop()


@pytest.fixture
def other_numba(tmp_path):
    """A folder in which another version of numba seems to be installed."""
    (tmp_path / "numba-0.1.dist-info").mkdir()
    (tmp_path / "numba-0.1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: numba\nVersion: 0.1\n")
    return tmp_path


def test_a_worker_with_another_version_is_refused(dask_cluster, other_numba):
    dask_cluster.start_worker(path=other_numba)
    with pytest.raises(InputError, match=r"tcp://127.0.0.1:\d+ has numba 0.1, .*install numba=="):
        open_engine("dask", scheduler=dask_cluster.address)


def test_so_is_one_that_joins_late(dask_cluster, engine, other_numba):
    with pytest.raises(InputError, match=r"tcp://127.0.0.1:\d+ has numba 0.1, .*install numba=="):
        run_all(engine, tasks.pid, range(5000), after_first=lambda: dask_cluster.start_worker(path=other_numba))


def test_one_without_peerorder_that_joins_late_does_no_harm(dask_cluster, engine, tmp_path):
    """It cannot read its first task, and leaves."""
    (tmp_path / "peerorder").mkdir()
    (tmp_path / "peerorder" / "__init__.py").write_text("")
    join = partial(dask_cluster.start_worker, path=tmp_path)
    assert len(run_all(engine, tasks.root, range(4, 200), after_first=join)) == 196


def test_a_worker_with_several_threads_is_refused(dask_cluster):
    dask_cluster.start_worker(threads=2)
    with pytest.raises(InputError, match=r"2 threads.*--nthreads 1"):
        open_engine("dask", scheduler=dask_cluster.address)


def test_a_cluster_without_workers_is_refused(dask_cluster):
    dask_cluster.keep(0)
    with pytest.raises(InputError, match="no workers"):
        open_dask(None, dask_cluster.address, first_worker=0.2)


def test_a_worker_without_peerorder_is_named():
    here = module.installed()
    assert set(here) == {"python", "peerorder", "numpy", "numba"}
    module._compare("tcp://127.0.0.1:1", here, 1, here)
    with pytest.raises(InputError, match=r"127.0.0.1:1 has no peerorder; install peerorder=="):
        module._compare("tcp://127.0.0.1:1", {**here, "peerorder": None}, 1, here)


@pytest.mark.parametrize("missing", ["dask", "distributed"])
def test_where_dask_is_not_installed_the_cure_is_named(monkeypatch, missing):
    monkeypatch.delitem(sys.modules, "peerorder.engines.dask")
    for name in [name for name in sys.modules if name.partition(".")[0] in ("dask", "distributed")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(InputError, match=r"peerorder\[cluster\]"):
        open_engine("dask")


def test_a_scheduler_that_does_not_answer_is_refused():
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        port = silent.getsockname()[1]
        with pytest.raises(InputError, match=r"cannot be reached.*`scheduler`"):
            open_dask(None, f"tcp://127.0.0.1:{port}", answer=0.3)
        silent.listen()
        with pytest.raises(InputError, match=r"cannot be reached.*`scheduler`"):
            open_dask(None, f"tcp://127.0.0.1:{port}", answer=0.3)


@pytest.mark.parametrize("address", ["", "nonsense://host:1", "host", "tcp://host:port", "tls://127.0.0.1:1"])
def test_an_address_that_is_none(address):
    with pytest.raises(InputError, match="cannot be reached"):
        open_dask(None, address, answer=0.3)


def test_the_workers_of_a_scheduler_are_its_own():
    with pytest.raises(InputError, match="leave out `workers`"):
        open_engine("dask", 2, "tcp://127.0.0.1:1")


@pytest.mark.processes
def test_a_cluster_for_the_occasion_is_on_the_loopback_address_and_ends_with_it():
    with open_engine("dask", 2) as engine:
        assert (engine.workers, engine.tries) == (2, 1)
        assert engine.memory_limit > 0
        info = engine._client.scheduler_info(n_workers=-1)
        assert info["address"].startswith("tcp://127.0.0.1:")
        assert all(worker.startswith("tcp://127.0.0.1:") for worker in info["workers"])
        assert [worker["nthreads"] for worker in info["workers"].values()] == [1, 1]
        pids = {pid for _, pid in map_tasks(engine, tasks.pid, range(40))}
        assert len(pids) == 2
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
