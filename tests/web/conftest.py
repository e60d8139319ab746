"""A small course for all tests of the web app."""

from datetime import timedelta

import pytest
from django.utils import timezone

from peerorder.web.courses.models import Course, Member, Role
from peerorder.web.people.models import Person
from peerorder.web.rounds.models import Assignment, Stage


def enrol(course: Course, name: str, role: Role = Role.STUDENT, **fields) -> Member:
    """Somebody new in a course."""
    student = fields.pop("student", name.lower() if role == Role.STUDENT else "")
    person = Person.objects.create_user(None, name=name, email=f"{name.lower()}@example.edu")
    return Member.objects.create(course=course, person=person, role=role, student=student, **fields)


@pytest.fixture
def course(db) -> Course:
    return Course.objects.create(name="Algorithms", time_zone="Europe/Athens")


@pytest.fixture
def instructor(course) -> Member:
    member = enrol(course, "Ida", Role.INSTRUCTOR)
    Person.objects.filter(pk=member.person_id).update(makes_courses=True)
    member.person.refresh_from_db()
    return member


@pytest.fixture
def assistant(course) -> Member:
    return enrol(course, "Asa", Role.ASSISTANT)


@pytest.fixture
def students(course) -> list[Member]:
    return [enrol(course, name) for name in ("Bo", "Cy", "Di", "Ed", "Fay", "Gus", "Hal", "Ivy")]


@pytest.fixture
def outsider(db) -> Member:
    """A student of another course."""
    return enrol(Course.objects.create(name="Botany"), "Oz")


@pytest.fixture
def assignment(course) -> Assignment:
    """One that takes papers until tomorrow, and rankings for a week more."""
    return Assignment.objects.create(
        course=course,
        title="Essay",
        stage=Stage.HANDING_IN,
        papers_each=3,
        hand_in_by=timezone.now() + timedelta(days=1),
        rank_by=timezone.now() + timedelta(days=8),
    )


@pytest.fixture
def enter(client):
    """Log somebody in: ``enter(member)`` gives the client."""

    def entered(member: Member):
        client.force_login(member.person)
        return client

    return entered


@pytest.fixture
def work_off():
    """Do everything that waits in the queue, here and now: ``work_off()`` gives how many tasks that were."""
    from django_tasks_db.management.commands.db_worker import Worker
    from django_tasks_db.models import DBTaskResult

    def done() -> int:
        before = DBTaskResult.objects.finished().count()
        # Without the loop of a worker, which closes old connections, and the test's with them.
        while (task := DBTaskResult.objects.ready().first()) is not None:
            task.claim("tests")
            worker.run_task(task)
        return DBTaskResult.objects.finished().count() - before

    worker = Worker(
        queue_names=["*"],
        interval=0,
        batch=True,
        backend_name="default",
        startup_delay=False,
        max_tasks=None,
        worker_id="tests",
        excluded_queue_names=[],
    )
    return done


@pytest.fixture(scope="session")
def postgresql():
    """A PostgreSQL of our own, where its programs are on the machine."""
    from tests.web.postgresql import running

    with running() as cluster:
        yield cluster
