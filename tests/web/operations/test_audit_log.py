"""The audit log of the whole site, from the command line."""

import csv
import json
from datetime import UTC, datetime

import pytest

from peerorder.core.errors import InputError
from peerorder.web.audit.models import Event
from peerorder.web.audit.services import record
from peerorder.web.operations import audit_log
from peerorder.web.operations.audit_log import newest_events, search_log

NOTHING = dict.fromkeys(("person", "course", "verb", "since", "until"))


@pytest.fixture
def events(course, students, instructor, outsider) -> None:
    record("course made", instructor.person, course=course)
    record("member removed", instructor.person, course=course, member=students[0].pk)
    record("password set", students[0].person)
    record("course made", None, course=outsider.course)


def found(**asked) -> list[str]:
    return [event["verb"] for event in newest_events(search_log(**{**NOTHING, **asked}), 50)]


def test_the_newest_come_first(events):
    assert found() == ["course made", "password set", "member removed", "course made"]
    assert len(newest_events(search_log(**NOTHING), 2)) == 2


def test_it_is_searched(events, course, students, instructor):
    # What somebody did, and what was done to them.
    assert found(person="bo@example.edu") == ["password set", "member removed"]
    assert found(person=str(instructor.person_id)) == ["member removed", "course made"]
    assert found(course="Algorithms", verb="course made") == ["course made"]
    assert found(course=str(course.pk)) == ["member removed", "course made"]
    assert found(until="2020-01-01") == []
    assert found(person="bo@example.edu", course="Algorithms", since="2020-01-01") == ["member removed"]


def test_times_are_days_or_moments(db):
    for hour in (9, 15):
        Event.objects.create(verb="counted", at=datetime(2026, 3, 1, hour, tzinfo=UTC), details={"hour": hour})
    for since, until, hours in (
        ("2026-03-01", "2026-03-01", [15, 9]),
        ("2026-03-01T12:00", None, [15]),
        (None, "2026-03-01T12:00Z", [9]),
        ("2026-03-02", None, []),
    ):
        events = newest_events(search_log(**{**NOTHING, "since": since, "until": until}), 50)
        assert [event["details"]["hour"] for event in events] == hours


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"person": "nobody@example.edu"}, "nobody has"),
        ({"course": "Zoology"}, "no course is"),
        ({"verb": "course mad"}, "'course made'"),
        ({"since": "yesterday"}, "2026-11-17"),
        ({"until": "2026-02-31"}, "2026-11-17"),
        ({"until": "9999-12-31"}, "2026-11-17"),
    ],
)
def test_what_cannot_be_is_said(asked, said, db):
    with pytest.raises(InputError, match=said):
        search_log(**{**NOTHING, **asked})


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_all_that_match_are_exported(suffix, events, tmp_path, monkeypatch):
    file = tmp_path / f"log.{suffix}"
    assert audit_log.export(search_log(**{**NOTHING, "verb": "course made"}), file) == 2
    text = file.read_text()
    rows = list(csv.DictReader(text.splitlines())) if suffix == "csv" else [json.loads(it) for it in text.splitlines()]
    assert [row["verb"] for row in rows] == ["course made", "course made"]
    assert file.stat().st_mode & 0o777 == 0o600
    assert Event.objects.filter(verb="site log exported").count() == 1
    with pytest.raises(InputError, match="already"):
        audit_log.export(search_log(**NOTHING), file)
    assert audit_log.export(search_log(**NOTHING), file, force=True) == 5
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


@pytest.mark.parametrize("name", ["log.xlsx", "log", "nowhere/log.csv"])
def test_a_file_that_cannot_be_written_is_said(name, events, tmp_path):
    with pytest.raises(InputError):
        audit_log.export(search_log(**NOTHING), tmp_path / name)
    assert not Event.objects.filter(verb="site log exported").exists()


@pytest.mark.processes
def test_the_command(app, tmp_path):
    def command(*options: str):
        return app.command("-m", "peerorder", "audit-log", *options, check=False)

    assert command().returncode == 2
    app.migrate()
    assert "no events match" in command().stdout
    app.ask('from peerorder.web.audit.services import record; record("password made", None, person=7); tell(1)')
    # A cell may take several lines.
    assert {"a", "password", "was", "created"} <= set(command("--person", "7").stdout.split())
    assert [event["about"] for event in json.loads(command("--json").stdout)] == [7]
    assert command("--out", str(tmp_path / "log.csv")).returncode == 0
    seen = command("--verb", "nonsense")
    assert (seen.returncode, len(seen.stderr.splitlines()), seen.stdout) == (2, 1, "")
