"""The tasks are functions that worker processes find by name."""

import json
import math
import os
import signal
import time

import pytest

from peerorder.core.cores import cores
from peerorder.core.errors import InputError, PartlyDone, UnknownNameError
from peerorder.engines import ENGINES, EngineEntry, SameProcess, WorkerLost, map_tasks, open_engine, using
from tests.engines import tasks


@pytest.fixture(scope="module")
def two():
    with open_engine(workers=2) as engine:
        yield engine


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_every_task_comes_back_with_its_result(workers):
    with open_engine("local", workers) as engine:
        assert (engine.name, engine.workers, engine.memory_limit) == ("local", workers, None)
        assert dict(map_tasks(engine, math.factorial, range(40))) == {x: math.factorial(x) for x in range(40)}


def test_one_worker_is_this_process_and_gives_each_result_at_once():
    began = []
    with open_engine(workers=1) as engine:
        for task, _ in map_tasks(engine, began.append, range(10)):
            assert began == [*range(task + 1)]
        assert engine.submit(os.getpid).result() == os.getpid()


def test_no_tasks_are_no_work(two):
    assert list(map_tasks(two, math.factorial, [])) == []


@pytest.mark.parametrize("workers", [0, -1])
@pytest.mark.parametrize("engine", ["local", "dask"])
def test_fewer_than_one_worker_is_bad_input(engine, workers):
    with pytest.raises(InputError, match="at least 1"):
        open_engine(engine, workers)


def test_a_scheduler_is_for_dask():
    with pytest.raises(InputError, match="`engine` dask"):
        open_engine(scheduler="tcp://127.0.0.1:8786")


def test_an_unknown_engine():
    with pytest.raises(UnknownNameError, match="did you mean dask"):
        open_engine("dusk")


def test_other_engines_can_be_added(monkeypatch):
    monkeypatch.setattr(ENGINES, "_entries", dict(ENGINES))
    monkeypatch.setattr(ENGINES, "_registered", set())
    given = []

    def open_mine(workers, scheduler):
        given.append((workers, scheduler))
        return SameProcess()

    ENGINES.register(EngineEntry(name="mine", summary="", citation="", open=open_mine))
    with open_engine("mine", 3, "here") as engine:
        assert dict(map_tasks(engine, abs, [-1])) == {-1: 1}
    assert given == [(3, "here")]


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_in_a_task_arrives_as_itself(workers):
    with open_engine(workers=workers) as engine, pytest.raises(json.JSONDecodeError, match="Expecting value"):
        list(map_tasks(engine, json.loads, ["1", "2", "three", "4"]))


def test_a_task_that_kills_its_worker_is_given_up_after_three_tries_and_the_rest_is_done(two, tmp_path):
    files = [str(tmp_path / f"{number}") for number in range(30)]
    results = map_tasks(two, tasks.die_at_three, files)
    done = [next(results) for _ in range(29)]
    with pytest.raises(PartlyDone, match=r"1 task .*/3$"):
        next(results)
    assert sorted(done) == sorted((file, file.rpartition("/")[2]) for file in files if not file.endswith("/3"))
    assert (tmp_path / "3").read_text() == "..."
    assert (tmp_path / "4").read_text() == "."


def test_a_worker_lost_once_is_no_failure(two, tmp_path):
    assert dict(map_tasks(two, tasks.die_once, [str(tmp_path / "file")])) == {str(tmp_path / "file"): "again"}


def test_a_process_that_dies_while_it_is_idle(two):
    pids = {pid for _, pid in map_tasks(two, tasks.pid, range(20))}
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    assert not pids & {pid for _, pid in map_tasks(two, tasks.pid, range(20))}


def test_a_future_says_that_its_worker_was_lost(two):
    lost, kept = two.submit(os._exit, 1), two.submit(abs, -1)
    assert kept.result() == 1
    with pytest.raises(WorkerLost):
        lost.result()


def test_workers_leave_interrupts_to_the_parent(two):
    handlers = [handler for _, handler in map_tasks(two, signal.getsignal, [signal.SIGINT, signal.SIGINT])]
    assert handlers == [signal.SIG_IGN, signal.SIG_IGN]
    assert signal.getsignal(signal.SIGINT) != signal.SIG_IGN


def test_closing_early_drops_the_rest():
    with open_engine(workers=2) as engine:
        results = map_tasks(engine, time.sleep, [0] * 1000)
        next(results)
        results.close()
        assert list(results) == []
        waiting = [engine.submit(time.sleep, 0.01) for _ in range(100)]
    assert all(future.done() for future in waiting)
    assert waiting[-1].cancelled()


def test_the_default_is_every_core_this_process_may_use():
    with using(None, None) as engine:
        assert engine.workers == cores()
        assert dict(map_tasks(engine, math.factorial, [1, 2, 3])) == {1: 1, 2: 2, 3: 6}
    with using(engine, 17) as same:
        assert same is engine


def test_many_tasks_are_sent_together_where_the_engine_says_so():
    with open_engine(workers=1) as engine:
        submitted = []
        send = engine.submit
        engine.batch, engine.submit = 8, lambda *task: submitted.append(task) or send(*task)
        assert dict(map_tasks(engine, math.factorial, range(100))) == {x: math.factorial(x) for x in range(100)}
        assert len(submitted) == 17
        submitted.clear()
        assert dict(map_tasks(engine, math.factorial, range(5))) == {x: math.factorial(x) for x in range(5)}
        assert len(submitted) == 5
