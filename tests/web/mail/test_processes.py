"""A worker is killed while it writes mails, and another one goes on."""

import os
import signal

import pytest

from tests.web.processes import App, until

pytestmark = pytest.mark.processes

MANY = 12
FILL = f"""
from django.utils import timezone
from peerorder.web.courses.models import Course, Member, Role
from peerorder.web.people.models import Person
from peerorder.web.lifecycle import services
from peerorder.web.assignments.models import Assignment, Stage
course = Course.objects.create(name="Algorithms")
for at in range({MANY}):
    person = Person.objects.create_user(None, name=f"Student {{at}}", email=f"s{{at}}@example.edu")
    Member.objects.create(course=course, person=person, role=Role.STUDENT, student=f"s{{at}}")
assignment = Assignment.objects.create(course=course, title="Essay")
services.move(assignment, Stage.HANDING_IN, None, timezone.now(), tell=True)
"""
# One mail at a time; the first worker gets stuck after five. Nobody waits a minute until somebody is dead. The first
# has a single queue, so that it sends nothing yet: a mail that is cut off while it is sent is sent again.
WORK = """
import datetime, pathlib, time
from peerorder.web.operations.startup import load_django
load_django()
from peerorder.web.jobs import registry, services, worker
from peerorder.web.lifecycle import notifications
if {stuck}:
    for queue in registry.QUEUES.keys() - {{"default"}}:
        del registry.QUEUES[queue]
services.SILENCE = datetime.timedelta(seconds=3)
worker.TICK, notifications.BATCH, queue = 0.5, 1, notifications.queue_about
file, stuck = pathlib.Path({file!r}), {stuck}
def counted(*about):
    many = queue(*about)
    with file.open("a") as stream:
        stream.write("x")
    if file.stat().st_size == stuck:
        time.sleep(600)
    return many
notifications.queue_about = counted
worker.work(name={name!r}, interval=0.1)
"""
LOOK = """
from peerorder.web.jobs.models import Job
from peerorder.web.mail.models import Mail
from peerorder.web.people.models import Person
names = dict(Person.objects.values_list("pk", "name"))
mails = [(names[who], *rest) for who, *rest in Mail.objects.values_list("person_id", "tries", "sent_at")]
tell({"mails": sorted((name, tries, at is not None) for name, tries, at in mails),
      "tries": Job.objects.get(kind="notifications").tries})
"""


def test_everybody_gets_one_mail_of_a_step(tmp_path):
    app = App(tmp_path / "home").migrate()
    app.ask(FILL + "tell(1)")
    file = tmp_path / "written"
    with app.process("-c", WORK.format(name="first", file=str(file), stuck=5)) as first:
        until(lambda: file.exists() and file.stat().st_size == 5)
        os.kill(first.pid, signal.SIGKILL)
        first.wait()
    # The fifth was not yet certain.
    assert len(app.ask(LOOK)["mails"]) == 4
    with app.process("-c", WORK.format(name="second", file=str(file), stuck=0)):
        until(lambda: sum(sent for _name, _tries, sent in app.ask(LOOK)["mails"]) == MANY)
    after = app.ask(LOOK)
    assert after["tries"] == 2
    assert [name for name, _tries, _sent in after["mails"]] == sorted(f"Student {at}" for at in range(MANY))
    assert {tries for _name, tries, _sent in after["mails"]} == {1}, "each was sent once"
