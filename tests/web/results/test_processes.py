"""Results by workers as they run in earnest: in processes, killed in the middle."""

import os
import signal

import pytest

from tests.web.processes import until

ROUND = (
    "from tests.web.whole.scene import *\n"
    "from tests.web.factories import submit_ranking\n"
    "from peerorder.web.results.services import request_result\n"
    "assignment = Assignment.objects.get(pk=small_round(5, 3)['assignment'])\n"
    "for member in assignment.course.members.all(): submit_ranking(assignment, member)\n"
    "Assignment.objects.update(stage=Stage.REVIEW); assignment.refresh_from_db()\n"
    "request_result(assignment, None, 'borda')\n"
)
WORK = (
    "from peerorder.web.operations.startup import load_django; load_django()\n"
    "import datetime, pathlib, time\n"
    "from peerorder.web.jobs import services, worker\n"
    "from peerorder.web.results import services as results\n"
    # Not to wait for a minute until somebody is dead.
    "services.SILENCE = datetime.timedelta(seconds=3); worker.TICK = 0.5\n"
    "{}\n"
    "worker.work(interval=0.1)\n"
)
# It stands still once the rankings are merged, and before anything is kept.
STILL = "results.pack = lambda *_: (pathlib.Path({!r}).touch(), time.sleep(600))"
FOUND = (
    "from peerorder.web.results.models import Basis, Result, ResultData\n"
    "from peerorder.web.audit.models import Event\n"
    "from peerorder.web.jobs.models import Job\n"
    "tell([[each.is_ready for each in Result.objects.all()], ResultData.objects.count(), Basis.objects.count(),"
    " Event.objects.filter(verb='result computed').count(),"
    " list(Job.objects.filter(kind='result').values_list('state'))])"
)


@pytest.mark.parametrize("app", ["sqlite"], indirect=True)
def test_a_worker_killed_in_the_middle_of_a_result_leaves_one(app, tmp_path):
    app.migrate()
    app.ask(ROUND)
    merged = tmp_path / "merged"
    with app.process("-c", WORK.format(STILL.format(str(merged)))) as first:
        until(merged.exists)
        os.kill(first.pid, signal.SIGKILL)
        first.wait()
    assert app.ask(FOUND) == [[False], 0, 0, 0, [["running"]]]
    with app.process("-c", WORK.format("")):
        until(lambda: app.ask(FOUND)[0] == [True])
        until(lambda: app.ask(FOUND)[-1] == [["done"]])
    assert app.ask(FOUND) == [[True], 1, 1, 1, [["done"]]]
