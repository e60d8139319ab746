import os
import signal

import pytest

from peerorder.core.errors import InputError, PartlyDone
from peerorder.engines import default_workers, run_tasks


def square(x):
    return x * x


def fail_on_three(x):
    if x == 3:
        raise InputError("three is not welcome")
    return x


def die(x):
    os.kill(os.getpid(), signal.SIGKILL)


def interrupts_are_ignored(x):
    return signal.getsignal(signal.SIGINT) == signal.SIG_IGN


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_every_task_comes_back_with_its_result(workers):
    assert dict(run_tasks(square, range(40), workers)) == {x: x * x for x in range(40)}


def test_no_tasks_are_no_work():
    assert list(run_tasks(square, [], 2)) == []


@pytest.mark.parametrize("workers", [0, -1])
def test_fewer_than_one_worker_is_bad_input(workers):
    with pytest.raises(InputError, match="at least 1"):
        list(run_tasks(square, [1, 2], workers))


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_in_a_task_arrives_as_itself(workers):
    with pytest.raises(InputError, match="three is not welcome"):
        list(run_tasks(fail_on_three, range(8), workers))


def test_a_killed_worker_is_said_in_plain_words():
    with pytest.raises(PartlyDone, match="worker process was killed"):
        list(run_tasks(die, [1, 2], 2))


def test_workers_leave_interrupts_to_the_parent():
    assert {result for _, result in run_tasks(interrupts_are_ignored, [1, 2], 2)} == {True}


def test_closing_early_drops_the_rest():
    tasks = run_tasks(square, range(1000), 2)
    next(tasks)
    tasks.close()
    assert list(tasks) == []


def test_the_default_is_every_core_this_process_may_use(monkeypatch):
    assert 1 <= default_workers() <= os.cpu_count()
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    assert default_workers() == os.cpu_count()


def test_all_cores_are_used_where_nothing_else_is_said():
    assert dict(run_tasks(square, [1, 2, 3])) == {1: 1, 2: 4, 3: 9}
