"""Jobs from the time of two tables are kept, and go on."""

# The last three belong to an assignment, and two of them were under way when the old version was stopped.
FILL = """
from django.db import connection
from django.utils import timezone
from peerorder.web.assignments.models import Assignment
from peerorder.web.courses.models import Course
assignment = Assignment.objects.create(course=Course.objects.create(name="Algorithms"), title="Essay").pk
now = timezone.now()
rows = [
    ("waiting", 1, None, None), ("done", 1, None, now), ("failed", 5, None, now),
    ("waiting", 0, "one", None), ("running", 1, "two", None), ("running", 4, None, None),
]
columns = "id, kind, about, assignment_id, key, tasks, state, done, total, message, tries, asked_at, finished_at"
sql = f"INSERT INTO jobs_job ({columns}) VALUES (%s, 'quick', %s, %s, %s, 1, %s, 3, 7, 'Said.', %s, %s, %s)"
with connection.cursor() as cursor:
    for number, (state, tries, key, finished) in enumerate(rows):
        pk = f"{number:032x}" if connection.vendor == "sqlite" else f"{number:08x}-0000-0000-0000-000000000000"
        about = '{"file": "%s", "number": %d}' % (FILE, number)
        where = assignment if number >= 3 else None
        cursor.execute(sql, [pk, about, where, key, state, tries, now, finished])
    cursor.execute("INSERT INTO jobs_beat (worker, at) VALUES ('old', %s)", [now])
    cursor.execute("CREATE TABLE django_tasks_database_dbtaskresult (id integer)")
    sql = "INSERT INTO django_migrations (app, name, applied) VALUES ('django_tasks_database', '0001_initial', %s)"
    cursor.execute(sql, [now])
tell(assignment)
"""
LOOK = """
from django.db import connection
from django.db.models import F
from peerorder.web.jobs import services
from peerorder.web.jobs.models import Heartbeat, Job
from tests.web.factories import run_waiting
with connection.cursor() as cursor:
    cursor.execute("SELECT count(*) FROM django_migrations WHERE app = 'django_tasks_database'")
    left = cursor.fetchone()[0]
jobs = list(Job.objects.all())
fields = ("state", "assignment_id", "key", "message", "done", "total", "tries", "crashes", "worker")
found = {job.about["number"]: [getattr(job, field) for field in fields] for job in jobs}
due = Job.objects.filter(run_after=F("enqueued_at")).count()
swept, run = services.sweep(), run_waiting()
states = {job.about["number"]: [job.state, job.tries, job.crashes] for job in Job.objects.all()}
tables = [name for name in connection.introspection.table_names() if name.startswith(("jobs", "django_tasks"))]
heartbeats = list(Heartbeat.objects.values_list("worker", flat=True))
tell([found, due, swept, run, states, left, sorted(tables), heartbeats])
"""


def test_all_jobs_are_kept_and_unfinished_ones_run(app, tmp_path):
    migrate = ("-m", "peerorder.web", "migrate", "--verbosity", "0")
    app.command(*migrate, "jobs", "0001_initial")
    assignment = app.ask(f"FILE = {str(tmp_path / 'file')!r}\n{FILL}")
    app.command(*migrate)
    found, due, swept, run, states, left, tables, heartbeats = app.ask(LOOK)
    kept = ["Said.", 3, 7]
    assert found == {
        "0": ["waiting", None, None, *kept, 1, 0, ""],
        "1": ["done", None, None, *kept, 1, 0, ""],
        "2": ["failed", None, None, *kept, 5, 0, ""],
        "3": ["waiting", assignment, "one", *kept, 0, 0, ""],
        "4": ["running", assignment, "two", *kept, 1, 0, ""],
        "5": ["running", assignment, None, *kept, 4, 0, ""],
    }
    assert due == 6
    assert (swept, run) == (2, 4)
    assert (tmp_path / "file").read_text() == "done\n" * 4
    assert states == {
        "0": ["done", 2, 0],
        "1": ["done", 1, 0],
        "2": ["failed", 5, 0],
        "3": ["done", 1, 0],
        "4": ["done", 2, 0],
        "5": ["done", 5, 0],
    }
    assert tables == ["jobs_heartbeat", "jobs_job"]
    assert (left, heartbeats) == (0, ["old"])
