"""Workers as they run in earnest: in processes, killed in the middle, on SQLite and on PostgreSQL."""

import os
import signal

import pytest

from tests.web.processes import App, until

WORK = (
    "import os, django; django.setup()\n"
    "import datetime\n"
    "from peerorder.web.jobs import services, worker\n"
    # Not to wait for a minute until somebody is dead.
    "services.SILENCE = datetime.timedelta(seconds=3); worker.TICK = 0.5\n"
    "worker.work(name='{}', interval=0.1)\n"
)


@pytest.fixture(params=["sqlite", "postgresql"])
def app(request, tmp_path):
    database = ""
    if request.param == "postgresql":
        database = request.getfixturevalue("postgresql").database(f"jobs{os.getpid()}{tmp_path.name}"[-60:])
    return App(tmp_path / "home", database).migrate()


def asked(app, kind, **about):
    code = f"from peerorder.web.jobs.services import ask; tell(ask({kind!r}, **{about!r}).pk)"
    return app.ask(code)


def jobs(app):
    return app.ask(
        "from peerorder.web.jobs.models import Job; from peerorder.web.log.models import Event\n"
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


def test_a_worker_that_only_slept_does_nothing_twice(app, tmp_path):
    """It is stopped for so long that another one takes over, and then goes on."""
    file, gate = tmp_path / "file", tmp_path / "gate"
    asked(app, "slow", file=str(file), gate=str(gate))
    with app.process("-c", WORK.format("first")) as first:
        until(lambda: lines(file))
        # Not while it writes: on SQLite nobody else could.
        os.kill(first.pid, signal.SIGSTOP)
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
    code = "from peerorder.web.jobs.services import ask\n" + f"for _ in range(20): ask('quick', file={str(file)!r})"
    app.ask(code)
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
    assert app.ask("from peerorder.web.jobs.models import Beat; tell(Beat.objects.count())") == 0


def test_many_ask_for_the_same_at_once(app, tmp_path):
    """One job comes of it, and nobody sees an error."""
    code = (
        "import threading\n"
        "from django.db import transaction, connection\n"
        "from peerorder.web.jobs.services import ask\n"
        "from peerorder.web.jobs.models import Job\n"
        "together, found = threading.Barrier(6), []\n"
        "def one():\n"
        "    together.wait()\n"
        "    with transaction.atomic():\n"
        "        found.append(str(ask('quick', key='one').pk))\n"
        "    connection.close()\n"
        "threads = [threading.Thread(target=one) for _ in range(6)]\n"
        "[each.start() for each in threads]; [each.join() for each in threads]\n"
        "tell([len(found), len(set(found)), Job.objects.count()])"
    )
    assert app.ask(code) == [6, 1, 1]
