"""A small course for all tests of the web app."""

import os
from datetime import timedelta

import pytest
from django.utils import timezone

from peerorder.web.assignments.models import Assignment, Stage
from peerorder.web.budgets import BUCKETS
from peerorder.web.courses.models import Course, Member, Role
from peerorder.web.database import sql
from peerorder.web.people.models import Person
from peerorder.web.sandbox import runner
from tests.web import forked_sandbox, processes
from tests.web.audit_details import check_details
from tests.web.factories import enrol, run_waiting


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
        # The same allocation in every run.
        seed=20_261_117,
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
    """Do everything that waits in the queues, here and now: ``work_off()`` gives how many tries that were."""
    return run_waiting


@pytest.fixture(autouse=True)
def full_budgets():
    """Numbers of people come again from test to test."""
    BUCKETS.clear()


@pytest.fixture(autouse=True)
def same_umask():
    """A command of the app that runs in this process keeps all its later files private; that of a test must not."""
    before = os.umask(0o077)
    os.umask(before)
    yield
    os.umask(before)


@pytest.fixture(autouse=True)
def ids_only(monkeypatch):
    """Let every test fail that records more than ids."""

    def insert(row):
        check_details(row)
        return sql.insert(row)

    monkeypatch.setattr("peerorder.web.audit.services.insert", insert)


@pytest.fixture(scope="session", autouse=True)
def quick_sandbox():
    """Run tasks of the sandbox in forks, where a test does not ask for ``real_sandbox``."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runner, "_run", forked_sandbox.run_forked)
        yield


@pytest.fixture
def real_sandbox(monkeypatch):
    """Run tasks of the sandbox as they run in earnest."""
    monkeypatch.setattr(runner, "_run", forked_sandbox.REAL)


@pytest.fixture(scope="session", autouse=True)
def templates(tmp_path_factory):
    """Empty databases to be copied, for all processes of this run."""
    folder = tmp_path_factory.getbasetemp()
    processes.Templates.folder = folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder


@pytest.fixture(params=["sqlite", "postgresql"])
def app(request, tmp_path) -> processes.App:
    """The app in processes of its own, on either database; ``migrate()`` makes its tables."""
    database = request.getfixturevalue("postgresql").database() if request.param == "postgresql" else ""
    return processes.App(tmp_path / "home", database)


@pytest.fixture(scope="session")
def postgresql():
    """A PostgreSQL of our own, where its programs are on the machine."""
    from tests.web.postgresql import running

    with running() as cluster:
        yield cluster
