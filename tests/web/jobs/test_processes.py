"""Workers as they run in earnest: in processes, killed in the middle, on SQLite and on PostgreSQL."""

import os
import signal
import sqlite3
import time
from contextlib import closing

import psycopg
import pytest

from tests.web.processes import until

WORK = (
    "from peerorder.web.operations.startup import load_django; load_django()\n"
    "import datetime, os\n"
    "from peerorder.web.jobs import services, worker\n"
    # Not to wait for a minute until somebody is dead.
    "services.SILENCE = datetime.timedelta(seconds=3); worker.TICK = 0.5\n"
    "worker.work(name='{}', interval=0.1)\n"
)


def asked(app, kind, **about):
    code = f"from peerorder.web.jobs.services import enqueue; tell(enqueue({kind!r}, **{about!r}).pk)"
    return app.ask(code)


def jobs(app):
    return app.ask(
        "from peerorder.web.jobs.models import Job; from peerorder.web.audit.models import Event\n"
        "tell({'jobs': list(Job.objects.values('state', 'message', 'tries')),"
        " 'events': Event.objects.filter(verb='slow work').count()})"
    )


def lines(path):
    return path.read_text().splitlines() if path.exists() else []


def test_a_worker_killed_in_the_middle_of_a_job_is_replaced_by_another(app, tmp_path):
    file, gate = tmp_path / "file", tmp_path / "gate"
    asked(app, "slow", file=str(file), gate=str(gate))
    with app.process("-c", WORK.format("first")) as first:
        until(lambda: lines(file))
        with app.process("-c", WORK.format("second")):
            os.kill(first.pid, signal.SIGKILL)
            first.wait()
            until(lambda: len(lines(file)) == 2)
            gate.touch()
            until(lambda: lines(file)[-1] == "done")
            until(lambda: jobs(app)["jobs"][0]["state"] == "done")
    found = jobs(app)
    assert found["jobs"] == [{"state": "done", "message": "It is done.", "tries": 2}]
    assert found["events"] == 1
    assert lines(file) == [f"begun {first.pid}", lines(file)[1], "done"]


def stop_between_writes(app, number):
    """Stop a process, but not while it holds what another one needs."""
    os.kill(number, signal.SIGSTOP)
    while is_writing(app):
        os.kill(number, signal.SIGCONT)
        time.sleep(0.05)
        os.kill(number, signal.SIGSTOP)


def is_writing(app):
    if app.database:
        with psycopg.connect(app.database) as connection:
            others = "datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'"
            return connection.execute(f"SELECT count(*) FROM pg_stat_activity WHERE {others}").fetchone()[0] > 0
    try:
        with closing(sqlite3.connect(app.home / "peerorder.sqlite3", timeout=1, isolation_level=None)) as connection:
            connection.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError:
        return True
    return False


def test_a_worker_that_only_slept_does_nothing_twice(app, tmp_path):
    """It is stopped for so long that another one takes over, and then goes on."""
    file, gate = tmp_path / "file", tmp_path / "gate"
    asked(app, "slow", file=str(file), gate=str(gate))
    with app.process("-c", WORK.format("first")) as first:
        until(lambda: lines(file))
        stop_between_writes(app, first.pid)
        try:
            with app.process("-c", WORK.format("second")):
                until(lambda: len(lines(file)) == 2)
                gate.touch()
                until(lambda: lines(file)[-1] == "done")
                until(lambda: jobs(app)["jobs"][0]["state"] == "done")
        finally:
            os.kill(first.pid, signal.SIGCONT)
        # It is awake again, finds that it was overtaken, and takes new work.
        asked(app, "quick", file=str(tmp_path / "other"))
        until(lambda: lines(tmp_path / "other"))
    found = jobs(app)
    assert found["events"] == 1
    assert lines(file).count("done") == 1


def test_two_workers_share_the_work_and_do_each_job_once(app, tmp_path):
    file = tmp_path / "file"
    code = f"for _ in range(20): enqueue('quick', file={str(file)!r})"
    app.ask(f"from peerorder.web.jobs.services import enqueue\n{code}")
    with app.process("-c", WORK.format("first")), app.process("-c", WORK.format("second")):
        until(lambda: len(lines(file)) == 20)
    assert lines(file) == ["done"] * 20
    assert {(job["state"], job["tries"]) for job in jobs(app)["jobs"]} == {("done", 1)}


def test_a_worker_told_to_stop_finishes_its_job_first(app, tmp_path):
    file, gate = tmp_path / "file", tmp_path / "gate"
    asked(app, "slow", file=str(file), gate=str(gate))
    with app.process("-c", WORK.format("first")) as worker:
        until(lambda: lines(file))
        worker.send_signal(signal.SIGTERM)
        gate.touch()
        assert worker.wait(60) == 0
    assert jobs(app)["jobs"][0]["state"] == "done"
    assert app.ask("from peerorder.web.jobs.models import Heartbeat; tell(Heartbeat.objects.count())") == 0


@pytest.mark.parametrize("app", ["sqlite"], indirect=True)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_other_signals_stop_a_worker_as_well(app, tmp_path, number):
    file, gate = tmp_path / "file", tmp_path / "gate"
    asked(app, "slow", file=str(file), gate=str(gate))
    with app.process("-c", WORK.format("first")) as worker:
        until(lambda: lines(file))
        worker.send_signal(number)
        gate.touch()
        assert worker.wait(60) == 0
    assert jobs(app)["jobs"][0]["state"] == "done"


@pytest.mark.parametrize("app", ["sqlite"], indirect=True)
def test_a_worker_told_to_stop_keeps_its_job_for_as_long_as_that_takes(app, tmp_path):
    """Heartbeats go on until the last job is finished, so that no other worker takes it."""
    file, gate = tmp_path / "file", tmp_path / "gate"
    asked(app, "slow", file=str(file), gate=str(gate))
    with app.process("-c", WORK.format("first")) as first:
        until(lambda: lines(file))
        first.send_signal(signal.SIGTERM)
        with app.process("-c", WORK.format("second")):
            # Longer than the silence after which a worker is dead.
            time.sleep(5)
            gate.touch()
            assert first.wait(60) == 0
    assert lines(file) == [f"begun {first.pid}", "done"]
    assert jobs(app)["jobs"] == [{"state": "done", "message": "It is done.", "tries": 1}]


def test_a_slow_job_holds_up_its_own_queue_and_no_other(app, tmp_path):
    file, gate = tmp_path / "file", tmp_path / "gate"
    quick, express = tmp_path / "quick", tmp_path / "express"
    asked(app, "slow", file=str(file), gate=str(gate))
    with app.process("-c", WORK.format("only")):
        until(lambda: lines(file))
        asked(app, "quick", file=str(quick))
        asked(app, "express", file=str(express))
        until(lambda: lines(express))
        until(lambda: [job["state"] for job in jobs(app)["jobs"]].count("done") == 1)
        assert lines(quick) == []
        assert len(lines(file)) == 1
        gate.touch()
        until(lambda: lines(quick))
        until(lambda: {job["state"] for job in jobs(app)["jobs"]} == {"done"})
    assert lines(file)[-1] == "done"
    assert {job["tries"] for job in jobs(app)["jobs"]} == {1}


def test_a_job_that_kills_its_worker_is_reported_and_the_others_go_on(app, tmp_path):
    """Also those that ran in other queues of the worker whenever it died."""
    deadly, file, gate = tmp_path / "deadly", tmp_path / "file", tmp_path / "gate"
    asked(app, "freight", file=str(file), gate=str(gate))
    asked(app, "kills", file=str(deadly))
    quick = tmp_path / "quick"
    asked(app, "quick", file=str(quick))
    for count in range(1, 4):
        if count == 3:
            # From now on both run alone, whichever comes first.
            gate.touch()
        with app.process("-c", WORK.format(f"worker {count}")) as worker:
            assert worker.wait(60) == 9
        assert lines(deadly) == ["tried"] * count
        # As whoever started it would do.
        app.ask(f"from peerorder.web.jobs.services import forget_worker; forget_worker('worker {count}')")
    with app.process("-c", WORK.format("last")):
        until(lambda: lines(quick))
        until(lambda: {job["state"] for job in jobs(app)["jobs"]} == {"done", "failed"})
    states = app.ask(
        "from peerorder.web.jobs.models import Job\n"
        "tell({job.kind: [job.state, job.crashes, job.message] for job in Job.objects.all()})"
    )
    assert states["kills"][:2] == ["failed", 3]
    assert "stopped 3 times" in states["kills"][2]
    assert [state for state, _, _ in states.values()].count("done") == 2
    assert lines(deadly) == ["tried"] * 3
    assert lines(file)[-1] == "done"


def test_many_ask_for_the_same_at_once(app, tmp_path):
    """One job comes of it, and nobody sees an error."""
    code = (
        "import threading\n"
        "from django.db import transaction, connection\n"
        "from peerorder.web.jobs.services import enqueue\n"
        "from peerorder.web.jobs.models import Job\n"
        "together, found = threading.Barrier(6), []\n"
        "def one():\n"
        "    together.wait()\n"
        "    with transaction.atomic():\n"
        "        found.append(str(enqueue('quick', key='one').pk))\n"
        "    connection.close()\n"
        "threads = [threading.Thread(target=one) for _ in range(6)]\n"
        "[each.start() for each in threads]; [each.join() for each in threads]\n"
        "tell([len(found), len(set(found)), Job.objects.count()])"
    )
    assert app.ask(code) == [6, 1, 1]
