"""Backup and restore, there and back, in processes as people start them."""

import gzip
import hashlib
import io
import json
import os
import sqlite3
import subprocess
import tarfile
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from tests.web.postgresql import programs
from tests.web.processes import App

pytestmark = pytest.mark.processes

OLD = Path(__file__).parents[2] / "upgrades" / "0.1.0"

COUNT = (
    "from peerorder.web.people.models import Person; from peerorder.web.courses.models import Course\n"
    "tell([sorted(Person.objects.values_list('name', flat=True)), Course.objects.count()])"
)
FILL = (
    "from peerorder.web.people.models import Person; from peerorder.web.courses.models import Course\n"
    "Course.objects.create(name='Algorithms'); Person.objects.create(name='Ida')"
)
# A result with a scale and a decision, of three papers that two students ranked.
MARKS = """
import numpy as np
from peerorder.core import Profile
from peerorder.rounds import GradeSettings, Round, grade
import pyarrow as pa
from django.utils import timezone
from peerorder.web.assignments.models import Assignment
from peerorder.web.courses.models import Course, Member
from peerorder.web.papers.models import Authorship, Paper
from peerorder.web.people.models import Person
from peerorder.web.results.models import Basis, Decision, Result, ResultData
from peerorder.web.results.result_data import pack
assignment = Assignment.objects.create(course=Course.objects.get(), title="Essay", stage="review")
members, papers = [], []
for name in ("Bo", "Cy", "Di"):
    person = Person.objects.create(name=name)
    members.append(Member.objects.create(course=assignment.course, person=person, role="student", student=name))
    papers.append(Paper.objects.create(assignment=assignment))
    Authorship.objects.create(assignment=assignment, paper=papers[-1], member=members[-1])
profile = Profile.from_ballots([[[1], [2]], [[0], [2]]], 3, grader=[0, 1], authored=[0, 1, 2])
ids = [pa.array([str(each.pk) for each in some], pa.string()) for some in (papers, members)]
round_ = Round(profile=profile, paper_ids=ids[0], grader_ids=ids[1], staff=np.zeros(3, bool))
graded = grade(round_, GradeSettings("borda"))
settings = {"rule": "borda", "seed": 0, "upside_down": False}
result = Result.objects.create(assignment=assignment, number=1, settings=settings, finished_at=timezone.now())
packed = pack(round_, graded, [each.pk for each in papers], [each.pk for each in members])
for part, content in packed.items():
    ResultData.objects.create(result=result, part=part, content=content)
Basis.objects.create(assignment=assignment, result=result, settings={"marks": "curve:mean=61.7,sd=7"})
Decision.objects.create(assignment=assignment, kind="penalty", paper=papers[1], value="3,5", reason="A day late.")
"""
GRADES = (
    "from peerorder.web.assignments.models import Assignment\n"
    "from peerorder.web.results.mark_files import files_of_draft\n"
    "files = files_of_draft(Assignment.objects.get())\n"
    "tell([files.content(name).decode() for name in ('grades.csv', 'marks.csv', 'overrides.csv')])"
)


@pytest.fixture(params=["sqlite", "postgresql"])
def places(request, tmp_path):
    """Where it is, and where it is to go."""
    found = []
    for at in ("here", "there"):
        database = ""
        if request.param == "postgresql":
            cluster = request.getfixturevalue("postgresql")
            database = cluster.database(f"backup{os.getpid()}{tmp_path.name}{at}"[-60:])
        found.append(App(tmp_path / at, database))
    return found


def peerorder(app, *words, code=0):
    seen = app.command("-m", "peerorder", *words, check=False)
    assert seen.returncode == code, seen.stdout + seen.stderr
    return seen.stdout + seen.stderr


def test_there_and_back(places, tmp_path):
    here, there = places
    here.migrate().ask(FILL)
    here.ask(MARKS)
    grades = here.ask(GRADES)
    assert "Cy" in grades[0]
    assert "A day late." in grades[2]
    upload = here.home / "uploads" / "ab" / "ab12.pdf"
    upload.parent.mkdir(parents=True)
    upload.write_bytes(b"%PDF-1.7 a paper")
    file = tmp_path / "backup.tar.gz"
    assert "1 uploaded file" in peerorder(here, "backup", str(file))
    assert file.stat().st_mode & 0o077 == 0
    assert "--force" in peerorder(here, "backup", str(file), code=2)
    peerorder(here, "backup", str(file), "--force")

    peerorder(there, "restore", str(file), "--without-ledger")
    assert there.ask(COUNT) == here.ask(COUNT) == [["Bo", "Cy", "Di", "Ida"], 1]
    assert there.ask(GRADES) == grades
    assert (there.home / "uploads" / "ab" / "ab12.pdf").read_bytes() == b"%PDF-1.7 a paper"
    assert [path for path in there.home.rglob("*") if path.stat().st_mode & 0o077] == []
    # The record is still one that is only added to.
    refused = (
        "from peerorder.web.audit.models import Event\nfrom django.db import Error\n"
        "Event.objects.create(verb='x')\n"
        "try:\n    Event.objects.update(verb='y'); tell('changed')\nexcept Error: tell('refused')"
    )
    assert there.ask(refused) == "refused"

    # Into what is not empty only by force, and then nothing of it is left.
    there.ask("from peerorder.web.people.models import Person; Person.objects.create(name='Jo')")
    (there.home / "uploads" / "more.pdf").write_bytes(b"%PDF")
    assert "--force" in peerorder(there, "restore", str(file), code=2)
    assert "Jo" in there.ask(COUNT)[0]
    peerorder(there, "restore", str(file), "--force")
    assert there.ask(COUNT) == here.ask(COUNT)
    assert [path.name for path in (there.home / "uploads").rglob("*.pdf")] == ["ab12.pdf"]
    assert not list(tmp_path.glob(".peerorder-*"))
    uploads = there.home / "uploads"
    assert [path for path in [there.home, uploads, *uploads.rglob("*")] if path.stat().st_mode & 0o077] == []


def test_a_backup_of_an_older_version_comes_back_and_is_upgraded(places, tmp_path):
    """Also over the tables of this version, some of which the older one does not have."""
    scratch, app = places
    file = tmp_path / "old.tar.gz"
    question = "SELECT app, name FROM django_migrations"
    if scratch.database:
        content = dumped(gzip.decompress((OLD / "peerorder.sql.gz").read_bytes()), scratch.database)
        with psycopg.connect(scratch.database) as connection:
            applied = connection.execute(question).fetchall()
    else:
        (tmp_path / "old").write_bytes(content := gzip.decompress((OLD / "peerorder.sqlite3.gz").read_bytes()))
        with closing(sqlite3.connect(tmp_path / "old")) as connection:
            applied = connection.execute(question).fetchall()
    about = {
        "format": 1,
        "version": "0.1.0",
        "made_at": "2026-11-02T08:00:00+00:00",
        "database": "postgresql" if scratch.database else "sqlite",
        "migrations": sorted(".".join(each) for each in applied),
    }
    written(file, {"peerorder.json": json.dumps(about).encode(), "database": content})

    app.migrate().ask(FILL)
    peerorder(app, "restore", str(file), "--force")
    seen = peerorder(app, "staff", "list")
    assert "frask@example.edu" in seen
    told = app.ask(
        "from django.apps import apps; from django.core.management import call_command\n"
        "call_command('migrate', check_unapplied=True, verbosity=0)\n"
        "tell({name: apps.get_model(name)._base_manager.count() for name in ('people.Session', "
        "'courses.Course', 'people.Person', 'ranking.Slot', 'papers.Version', 'log.Event', 'jobs.Job')})"
    )
    kept = json.loads((OLD / "expected.json").read_text("utf-8"))["row_counts"]
    # The sessions of an old backup stay out.
    assert told.pop("people.Session") == 0
    # That it was restored is one event more.
    kept["log_event"] += 1
    assert told == {name: kept[name.lower().replace(".", "_")] for name in told}


def dumped(script, address):
    """What `peerorder backup` of the older version made of a database."""
    subprocess.run(
        [programs() / "psql", "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", address],
        input=script,
        check=True,
        capture_output=True,
    )
    dump = (programs() / "pg_dump", "--format=custom", "--no-owner", "--no-privileges", address)
    return subprocess.run(dump, check=True, capture_output=True).stdout


def members(file):
    with tarfile.open(file) as archive:
        return {member.name: archive.extractfile(member).read() for member in archive}


def written(file, content):
    with tarfile.open(file, "w:gz") as archive:
        for name, data in content.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    folder = tmp_path_factory.mktemp("good")
    app = App(folder / "home").migrate()
    peerorder(app, "backup", str(folder / "good.tar.gz"))
    return folder / "good.tar.gz"


def test_a_backup_says_what_is_in_it(places, tmp_path):
    app, _ = places
    app.migrate()
    for name, content in (("ab/1.pdf", b"%PDF"), ("incoming/x/sent", b"unclean"), (".before-1/ab/old", b"old")):
        (app.home / "uploads" / name).parent.mkdir(parents=True, exist_ok=True)
        (app.home / "uploads" / name).write_bytes(content)
    peerorder(app, "backup", str(tmp_path / "backup.tar.gz"))
    found = members(tmp_path / "backup.tar.gz")
    assert next(iter(found)) == "peerorder.json"
    digests = json.loads(found.pop("digests.json"))
    # What is being checked, and what a restore kept aside, is no upload.
    assert set(found) == {"peerorder.json", "database", "uploads/ab/1.pdf"}
    assert digests == {name: hashlib.sha256(data).hexdigest() for name, data in found.items()}


def test_a_backup_holds_no_secret_and_a_sound_database(good, tmp_path):
    found = members(good)
    assert set(found) == {"peerorder.json", "database", "digests.json"}
    (tmp_path / "copy").write_bytes(found["database"])
    assert sqlite3.connect(tmp_path / "copy").execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_nothing_is_no_backup(tmp_path):
    seen = peerorder(App(tmp_path / "home"), "backup", str(tmp_path / "x.tar.gz"), code=2)
    assert "check PEERORDER_HOME" in seen
    assert not (tmp_path / "x.tar.gz").exists()
