"""Upgrades: data that older versions kept lose nothing by the upgrade, and the round under way can be finished.

Every folder here that is named after a version holds what `make.py` kept with its code, on SQLite and on PostgreSQL.
Models are looked up by the label of their app, never imported: modules move, labels stay.
"""

import csv
import gzip
import hashlib
import io
import json
import shutil
import subprocess
import sys
import tarfile
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from peerorder.cli import run
from peerorder.rules import RULES
from tests.web.postgresql import Cluster, programs, running
from tests.web.processes import App, until

pytestmark = pytest.mark.processes

HERE = Path(__file__).parent
VERSIONS = sorted(path.parent.name for path in HERE.glob("*/expected.json"))
# A version after which no migration came keeps its graded files alone.
WITH_DATABASES = [version for version in VERSIONS if (HERE / version / "peerorder.sqlite3.gz").exists()]
# Passwords as in earnest: the quick ones of other tests would refuse those that were kept.
SETTINGS = {"DJANGO_SETTINGS_MODULE": "peerorder.web.settings"}
RUN = "import django, runpy, sys; django.setup(); del sys.argv[0]; runpy.run_path(sys.argv[0], run_name='__main__')"

UPGRADE = (
    "from peerorder.web.operations.startup import start; start()\n"
    "from peerorder.web.operations.serving import prepare; prepare(pages=False)"
)
RENAMED = {
    "jobs_beat": "jobs_heartbeat",
    "papers_held": "papers_pendingsubmission",
    "django_session": "people_session",
}
"""Tables that have another name since."""
DROPPED = {"django_tasks_database_dbtaskresult": "the queue is the table of jobs"}
"""Tables that were dropped since, each with the reason."""
SHRINKS = {"django_migrations": "the rows of the app whose queue is gone"}
"""Tables from which a migration deletes rows on purpose, each with the reason."""

# What is asked inside the app. Rows are found by `rows("label.Model")`, in the order of their numbers.
ROWS = """
from django.apps import apps
from django.db import DatabaseError, connection, transaction
rows = lambda label: apps.get_model(label)._base_manager.order_by("pk")
"""
ROW_COUNTS = """
found = {}
with connection.cursor() as cursor:
    for table in connection.introspection.table_names(cursor):
        cursor.execute(f"SELECT COUNT(*) FROM {connection.ops.quote_name(table)}")
        found[table] = cursor.fetchone()[0]
tell(found)
"""
SAVES = """
names = ("ballot_id", "at", "revision", "client", "client_number", "hands_in", "conflict", "late", "content")
saves = list(rows("ranking.Save"))
# A save has the digests of its comments, whose texts are in a table of their own.
for each, content in zip(saves, apps.get_model("ranking.Comment").objects.put_back([each.content for each in saves])):
    each.content = content
tell([{"id": each.pk, **{name: getattr(each, name) for name in names}, "at": each.at.isoformat()} for each in saves])
"""
EVENTS = """
names = ("person_id", "course_id", "assignment_id", "verb", "details")
tell([(each.pk, each.at.isoformat(), *(getattr(each, name) for name in names)) for each in rows("log.Event")])
"""
BALLOTS = """
tell([{"student": each.grader.student, "revision": each.revision, "saved": each.content, "submitted": each.submitted,
       "submitted_at": each.submission and each.submission.at.isoformat()}
      for each in rows("ranking.Ballot").filter(assignment__course=COURSE).select_related("grader", "submission")])
"""
ABOUT = """
people = dict(rows("courses.Member").values_list("pk", "person_id"))
tell([(each.person_id, each.about_id, people[each.details["member"]])
      for each in rows("log.Event") if each.details.get("member") in people])
"""
REFUSALS = """
found = {}
empty = {"sqlite": "REPLACE INTO {0} SELECT * FROM {0}", "postgresql": "TRUNCATE {0} CASCADE"}[connection.vendor]
for label in ("ranking.Save", "log.Event"):
    table = apps.get_model(label)._meta.db_table
    for statement in (f"UPDATE {table} SET id = id", f"DELETE FROM {table}", empty.format(table)):
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(statement)
                transaction.set_rollback(True)
                found[statement] = "done"
        except DatabaseError as error:
            found[statement] = str(error)
tell(found)
"""
LEFT_BEHIND = """
tell({"jobs": {str(each.pk): each.state for each in rows("jobs.Job")},
      "messages": {each.pk: each.sent_at is not None for each in rows("mail.Mail")},
      "versions": {each.digest: [each.state, each.pages.count()] for each in rows("papers.Version")}})
"""


@dataclass(frozen=True)
class Upgraded:
    """An installation with the data of an older version, after the upgrade."""

    app: App
    folder: Path
    """What is kept of the version."""
    expected: dict

    def ask(self, code: str):
        return self.app.ask(ROWS + code)

    def run(self, script: Path, *arguments: str):
        """Run a script inside the app; return what it tells."""
        seen = self.app.command("-c", RUN, str(script), *arguments, check=False)
        assert seen.returncode == 0, seen.stdout + seen.stderr
        return json.loads(seen.stdout.rpartition("TOLD ")[2])


def digest(value: object) -> str:
    """Of JSON, as `scenario.py` has it."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


# Restoring.


def load_sqlite(folder: Path, home: Path) -> str:
    (home / "peerorder.sqlite3").write_bytes(gzip.decompress((folder / "peerorder.sqlite3.gz").read_bytes()))
    return ""


def load_postgresql(folder: Path, cluster: Cluster) -> str:
    where, address = programs(), cluster.database()
    assert where is not None
    subprocess.run(
        [where / "psql", "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", address],
        input=gzip.decompress((folder / "peerorder.sql.gz").read_bytes()),
        check=True,
        capture_output=True,
    )
    return address


def facts_of(version: str) -> dict:
    return json.loads((HERE / version / "expected.json").read_text("utf-8"))


def restore(version: str, cluster: Cluster | None, home: Path) -> Upgraded:
    """Put the data of a version into a new home, and upgrade them."""
    folder, expected = HERE / version, facts_of(version)
    home.mkdir()
    # Sessions are signed with it.
    (home / "secret-key").write_text(expected["secret_key"])
    (home / "static").mkdir()
    with tarfile.open(folder / "uploads.tar.gz") as archive:
        archive.extractall(home, filter="data")
    address = load_postgresql(folder, cluster) if cluster else load_sqlite(folder, home)
    app = App(home, address, more=SETTINGS)
    app.command("-c", UPGRADE)
    return Upgraded(app, folder, expected)


@pytest.fixture(scope="session")
def postgresql():
    with running() as cluster:
        yield cluster


@pytest.fixture(scope="module")
def upgrade(request, tmp_path_factory):
    """Upgrade the data of a version on either database, each once."""
    made: dict[tuple[str, str], Upgraded] = {}

    def upgrade_once(version: str, database: str) -> Upgraded:
        if (version, database) not in made:
            cluster = request.getfixturevalue("postgresql") if database == "postgresql" else None
            made[version, database] = restore(version, cluster, tmp_path_factory.mktemp("upgraded") / "home")
        return made[version, database]

    return upgrade_once


EACH = [
    pytest.param((version, database), id=f"{version}-{database}", marks=pytest.mark.xdist_group(f"upgrades-{database}"))
    for version in WITH_DATABASES
    for database in ("sqlite", "postgresql")
]


@pytest.fixture(scope="module", params=EACH)
def upgraded(request, upgrade) -> Upgraded:
    """For tests that only look."""
    return upgrade(*request.param)


@pytest.fixture(params=EACH)
def changing(request, upgrade, tmp_path) -> Upgraded:
    """A copy, for one test that goes on with it."""
    return copied(upgrade(*request.param), request, tmp_path)


@pytest.fixture(params=[each for each in EACH if "released" in facts_of(each.values[0][0])])
def with_results(request, upgrade, tmp_path) -> Upgraded:
    """The same, of versions that released marks."""
    return copied(upgrade(*request.param), request, tmp_path)


def copied(made: Upgraded, request, tmp_path: Path) -> Upgraded:
    home, address = shutil.copytree(made.app.home, tmp_path / "home"), made.app.database
    if address:
        address = request.getfixturevalue("postgresql").database(template=address)
    return replace(made, app=App(home, address, more=SETTINGS))


# Nothing is lost.


def test_no_row_is_lost(upgraded):
    found = upgraded.ask(ROW_COUNTS)
    before = upgraded.expected["row_counts"]
    kept = {RENAMED.get(table, table): count for table, count in before.items() if table not in DROPPED}
    assert kept.keys() <= found.keys(), "a table is gone"
    fewer = {table for table, count in kept.items() if found[table] < count}
    assert fewer <= SHRINKS.keys()


def test_every_save_is_unchanged(upgraded):
    found = {}
    for each in upgraded.ask(SAVES):
        each["ballot"], each["digest"] = each.pop("ballot_id"), digest(each.pop("content"))
        found[each["id"]] = each
    assert [found.get(each["id"]) for each in upgraded.expected["saves"]] == upgraded.expected["saves"]


def test_every_event_is_unchanged(upgraded):
    found = {str(number): digest(rest) for number, *rest in upgraded.ask(EVENTS)}
    assert {number: found.get(number) for number in upgraded.expected["events"]} == upgraded.expected["events"]


def test_events_are_found_by_whom_they_are_about(upgraded):
    found = upgraded.ask(ABOUT)
    assert any(about is not None for _by, about, _person in found)
    assert all(about == (None if by == person else person) for by, about, person in found)


def test_tables_that_are_only_added_to_still_refuse_changes(upgraded):
    before = upgraded.ask(ROW_COUNTS)
    refusals = upgraded.ask(REFUSALS)
    assert len(refusals) == 6
    assert all("only added to" in said for said in refusals.values()), refusals
    assert upgraded.ask(ROW_COUNTS) == before


def test_the_same_rankings_count(upgraded):
    """Also the one that was submitted by repeating a request, which no save backed: the upgrade has added that."""
    course = f"COURSE = {upgraded.expected['course']['id']}"
    found = {each["student"]: each for each in upgraded.ask(course + BALLOTS)}
    assert found.keys() == {each["student"] for each in upgraded.expected["ballots"]}
    for each in upgraded.expected["ballots"]:
        now = found[each["student"]]
        assert now == {name: each[name] for name in now}
    added = len(upgraded.ask(SAVES)) - len(upgraded.expected["saves"])
    assert added == sum(
        bool(each["submitted"]) and not each["has_submitting_save"] for each in upgraded.expected["ballots"]
    )
    # Versions from 0.2.0 on write a save for everything that is submitted.
    assert added == (upgraded.expected["version"] == "0.1.0")


# The round goes on.


def test_work_left_behind_is_done(changing):
    """A worker does what waited, and what a worker was doing that is no more."""
    expected = changing.expected
    unfinished = [job["id"] for job in expected["jobs"] if job["state"] != "done"]
    assert len(unfinished) == 2

    def done() -> bool:
        states = changing.ask(LEFT_BEHIND)["jobs"]
        return all(states[number] == "done" for number in unfinished)

    with changing.app.process("-m", "peerorder.web", "work", stdout=subprocess.DEVNULL):
        until(done)
    found = changing.ask(LEFT_BEHIND)
    assert all(found["messages"][str(number)] for number in expected["messages"]["waiting"])
    preparing = [paper["digest"] for paper in expected["papers"] if paper["state"] == "preparing"]
    assert [found["versions"][each] for each in preparing] == [["ready", 1]]


def test_the_round_is_finished(changing, tmp_path):
    """By the pages: people come in as before, the rest submit, and what is exported can be graded."""
    seen = changing.run(HERE / "finish.py", str(changing.folder / "expected.json"))
    check_ways_in(seen)
    check_second_assignment(seen, changing.expected)
    check_rankings(seen, changing.expected)
    check_grading(seen, changing.expected, tmp_path / "exported")


def check_ways_in(seen: dict) -> None:
    revoked = seen["ways_in"].pop("revoked link")
    assert revoked == 404
    assert set(seen["ways_in"].values()) == {200}, seen["ways_in"]


def check_second_assignment(seen: dict, expected: dict) -> None:
    second = expected["assignments"]["handing_in"]["id"]
    assert seen["papers_of_second"] == 1 + sum(paper["assignment"] == second for paper in expected["papers"])


def check_rankings(seen: dict, expected: dict) -> None:
    """What was submitted before the upgrade is exported as it was, beside what came later."""
    assert set(seen["ranked"].values()) == {302}
    assert seen["stages"] == ["review", "released"]
    exported: dict[str, dict[str, str]] = {}
    for row in seen["rankings"]:
        exported.setdefault(row["grader"], {})[row["paper"]] = row["rank"]
    assert exported.keys() == {each["student"] for each in expected["students"]}
    for ballot in expected["ballots"]:
        if ballot["submitted"] is not None:
            assert exported[ballot["student"]] == ranks(ballot["submitted"], seen["authors"])


def ranks(content: dict, authors: dict[str, str]) -> dict[str, str]:
    """The ranks of the papers in a ballot of one part, by author; tied papers share one, unjudged ones have none."""
    found, rank = {}, 1
    for tied in content["orders"]["0"]:
        found.update((authors[token], str(rank)) for token in tied)
        rank += len(tied)
    return found | {authors[token]: "" for token in content["unjudged"]}


def check_grading(seen: dict, expected: dict, folder: Path) -> None:
    folder.mkdir()
    for name, text in seen["tables"].items():
        (folder / name).write_text(text, "utf-8")
    files = ("rankings.csv", "--roster", "roster.csv", "--handout", "handout.csv")
    peerorder(folder, "grade", *files, "--rule", "borda", "--out", "grades.csv")
    assert len((folder / "grades.csv").read_text().splitlines()) == 1 + len(expected["students"])


def test_released_marks_stay_and_what_waits_is_published(with_results):
    expected = with_results.expected["released"]
    seen = with_results.run(HERE / "released.py", str(with_results.folder / "expected.json"))
    assert seen["files"] == expected["files"]
    assert set(seen["pages"].values()) == {200}, seen["pages"]
    assert seen["before"] == expected["marks"]
    assert seen["published"] == 1
    corrected = csv.DictReader(io.StringIO(expected["files"]["marks.csv?release=2"]))
    assert seen["after"] == {row["student"]: row["mark"] for row in corrected} != seen["before"]


# Files of the command line.


def peerorder(folder: Path, *arguments: str) -> str:
    """Run a command beside the files."""
    command = [sys.executable, "-m", "peerorder", *arguments]
    seen = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)
    assert seen.returncode == 0, seen.stdout + seen.stderr
    return seen.stdout


@pytest.mark.parametrize("version", VERSIONS)
def test_grades_of_older_versions_verify(version, monkeypatch, capsys):
    folder = HERE / version
    monkeypatch.chdir(folder / "graded")
    monkeypatch.setenv("COLUMNS", "200")
    graded = facts_of(version)["graded"]
    assert graded["verifiable"]
    release = tuple(map(int, version.split(".")))
    for name in graded["verifiable"]:
        verify = ["grade", graded["rankings"], *graded["inputs"], "--verify", name]
        if name != "grades-borda.csv" and release < tuple(map(int, RULES["posterior"].changed.split("."))):
            assert run(verify) == 2
            assert f"made by peerorder {version}" in capsys.readouterr().err
            continue
        assert run(verify) == 0
        said = capsys.readouterr().out
        assert "Verified." in said
        if name == "grades-borda.csv":
            # It has papers with equal scores, which share a place since 0.4.0.
            assert (f"default of peerorder {version}" in said) == (release < (0, 4, 0))
