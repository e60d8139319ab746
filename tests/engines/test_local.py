"""The tasks are functions of the standard library: worker processes must find them by name."""

import json
import math
import os
import signal

import pytest

from peerorder.core.errors import InputError, PartlyDone
from peerorder.engines import default_workers, run_tasks


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_every_task_comes_back_with_its_result(workers):
    assert dict(run_tasks(math.factorial, range(40), workers)) == {x: math.factorial(x) for x in range(40)}


def test_no_tasks_are_no_work():
    assert list(run_tasks(math.factorial, [], 2)) == []


@pytest.mark.parametrize("workers", [0, -1])
def test_fewer_than_one_worker_is_bad_input(workers):
    with pytest.raises(InputError, match="at least 1"):
        list(run_tasks(math.factorial, [1, 2], workers))


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_in_a_task_arrives_as_itself(workers):
    with pytest.raises(json.JSONDecodeError, match="Expecting value"):
        list(run_tasks(json.loads, ["1", "2", "three", "4"], workers))


def test_a_killed_worker_is_said_in_plain_words():
    with pytest.raises(PartlyDone, match="worker process was killed"):
        list(run_tasks(os._exit, [1, 2], 2))


def test_workers_leave_interrupts_to_the_parent():
    tasks = [signal.SIGINT, signal.SIGINT]
    assert [handler for _, handler in run_tasks(signal.getsignal, tasks, 2)] == [signal.SIG_IGN, signal.SIG_IGN]
    assert signal.getsignal(signal.SIGINT) != signal.SIG_IGN


def test_closing_early_drops_the_rest():
    tasks = run_tasks(math.factorial, range(1000), 2)
    next(tasks)
    tasks.close()
    assert list(tasks) == []


def test_the_default_is_every_core_this_process_may_use(monkeypatch):
    assert 1 <= default_workers() <= os.cpu_count()
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    assert default_workers() == os.cpu_count()


def test_all_cores_are_used_where_nothing_else_is_said():
    assert dict(run_tasks(math.factorial, [1, 2, 3])) == {1: 1, 2: 2, 3: 6}
