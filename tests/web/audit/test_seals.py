"""Seals: what somebody with the database in hand changes is found."""

import logging
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from peerorder.core.errors import InputError
from peerorder.web.audit import seals, verification
from peerorder.web.audit.models import Event, Seal
from peerorder.web.audit.registry import SEALED
from peerorder.web.audit.seals import Head, head, seal_new_rows
from peerorder.web.audit.services import record
from peerorder.web.audit.verification import verify
from peerorder.web.database import paging
from peerorder.web.operations.verify_log import read_head
from peerorder.web.ranking.models import Ballot, Save

NOW = timezone.now()


@pytest.fixture
def log(course, home, monkeypatch) -> list[int]:
    """Twelve events under three seals, of 5, 5 and 2; gives their ids."""
    monkeypatch.setattr(seals, "BATCH", 5)
    monkeypatch.setattr(paging, "PAGE", 4)
    for number in range(12):
        record("counted", None, course=course, number=number)
    assert seal_new_rows(NOW) == 3
    return list(Event.objects.order_by("pk").values_list("pk", flat=True))


def attack(*statements: str) -> None:
    """Do what triggers refuse, as the owner of the database can."""
    with connection.cursor() as cursor:
        for table in ("log_event", "log_seal", "ranking_save"):
            for action in ("update", "delete", "replace"):
                cursor.execute(f"DROP TRIGGER IF EXISTS {table}_no_{action}")
        for statement in statements:
            cursor.execute(statement)


def findings(**expected: Head) -> list[str]:
    return verify(expected).findings


# Sealing.


def test_a_log_that_nobody_touched_fits(log):
    report = verify({})
    assert (report.rows, report.seals, report.unsealed, report.findings) == (12, 3, 0, [])
    assert report.head == head().digest


def test_every_batch_goes_on_where_the_last_one_ended(log, course):
    record("counted", None, course=course, number=12)
    assert seal_new_rows(NOW, at_once=True) == 1
    found = list(Seal.objects.order_by("pk").values_list("pk", "first_id", "last_id", "count"))
    assert found == [
        (1, 1, log[4], 5),
        (2, log[4] + 1, log[9], 5),
        (3, log[9] + 1, log[11], 2),
        (4, log[11] + 1, log[11] + 1, 1),
    ]
    assert findings() == []


def test_rows_wait_for_a_full_batch_or_for_their_time(log, course):
    record("counted", None, course=course, number=12)
    assert seal_new_rows(NOW + seals.EVERY / 2) == 0
    assert verify({}).unsealed == 1
    assert seal_new_rows(NOW + seals.EVERY) == 1
    for number in range(5):
        record("counted", None, course=course, number=number)
    assert seal_new_rows(NOW + seals.EVERY) == 1
    assert seal_new_rows(NOW + timedelta(days=1)) == 0


def test_a_long_backlog_takes_several_calls(log, course, monkeypatch):
    monkeypatch.setattr(seals, "MOST_BATCHES", 2)
    for number in range(23):
        record("counted", None, course=course, number=number)
    assert [seal_new_rows(NOW) for _call in range(4)] == [2, 2, 0, 0]
    assert seal_new_rows(NOW + seals.EVERY) == 1
    assert (findings(), verify({}).unsealed) == ([], 0)


def test_saves_of_rankings_are_sealed_in_the_same_chain(log, assignment, students):
    ballot = Ballot.objects.create(assignment=assignment, grader=students[0])
    saved = Save.objects.create(ballot=ballot, revision=1, content={"orders": {"0": []}, "comments": {"ä": "ß"}})
    assert seal_new_rows(NOW) == 1
    assert findings() == []
    attack(f"UPDATE ranking_save SET late = true WHERE id = {saved.pk}")
    (finding,) = findings()
    assert "ranking_save" in finding


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["log_event", "ranking_save"])
def test_every_column_is_sealed(name):
    """A new column belongs into a new version in ``SEALED``; the versions that are there must stay as they are."""
    table = SEALED[name]
    columns = {field.attname for field in table.model._meta.concrete_fields}
    assert set(table.versions[table.version]) == columns
    assert all(columns >= set(version) and version[0] == "id" for version in table.versions.values())


def test_seals_of_an_older_version_still_fit(log, course, monkeypatch):
    table = SEALED["log_event"]
    newer = {1: table.versions[1], 2: (*reversed(table.versions[1]),)}
    newer[2] = ("id", *(column for column in newer[2] if column != "id"))
    monkeypatch.setitem(SEALED, "log_event", type(table)(table.model, newer))
    record("counted", None, course=course, number=12)
    seal_new_rows(NOW, at_once=True)
    assert list(Seal.objects.order_by("pk").values_list("version", flat=True)) == [1, 1, 1, 2]
    assert findings() == []
    # As an older peerorder sees it.
    monkeypatch.setitem(SEALED, "log_event", table)
    (finding,) = findings()
    assert "upgrade" in finding


def test_two_workers_make_one_seal(log, course):
    record("counted", None, course=course, number=12)
    made = seals._seal_batch("log_event", log[-1] + 1, log[-1] + 1, NOW)
    assert made.pk == 4
    assert seals._seal_batch("log_event", log[-1] + 1, log[-1] + 1, NOW) is None


def test_a_crash_between_a_seal_and_its_note_does_no_harm(log, course, home, monkeypatch):
    def killed(_head):
        raise KeyboardInterrupt

    for number in range(2):
        record("counted", None, course=course, number=number)
        with monkeypatch.context() as patch:
            patch.setattr(seals, "remember", killed)
            with pytest.raises(KeyboardInterrupt):
                seal_new_rows(NOW, at_once=True)
    assert (home / "seal-head").read_text().startswith("3 ")
    assert findings() == []
    record("counted", None, course=course)
    seal_new_rows(NOW, at_once=True)
    assert (home / "seal-head").read_text().startswith("6 ")
    assert findings() == []


def test_the_head_is_logged_once_a_day(log, course, caplog):
    caplog.set_level(logging.INFO, "peerorder.audit")
    for day in (1, 1, 2):
        record("counted", None, course=course, number=day)
        seal_new_rows(NOW + timedelta(days=day), at_once=True)
    lines = [line.getMessage() for line in caplog.records]
    digests = list(Seal.objects.order_by("pk").values_list("digest", flat=True))
    assert len(lines) == 2
    assert digests[3] in lines[0]
    assert digests[5] in lines[1]


# Attacks.


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE log_event SET verb = 'nothing' WHERE id = {rows[2]}", "changed"),
        ("UPDATE log_event SET at = '2020-01-01 00:00:00' WHERE id = {rows[2]}", "changed"),
        ("UPDATE log_event SET person_id = 7 WHERE id = {rows[2]}", "changed"),
        ("UPDATE log_event SET details = '{{}}' WHERE id = {rows[2]}", "changed"),
        ("DELETE FROM log_event WHERE id = {rows[2]}", "1 of 5 rows is missing"),
        ("DELETE FROM log_event WHERE id <= {rows[1]}", "2 of 5 rows are missing"),
    ],
)
def test_changed_and_deleted_rows_are_found_in_their_batch(statement, said, log):
    attack(statement.format(rows=log))
    (finding,) = findings()
    assert said in finding
    assert f"ids 1 to {log[4]} " in finding


def test_a_row_that_is_slipped_in_is_found(log, course):
    attack(f"DELETE FROM log_event WHERE id = {log[7]}")
    record("counted", None, course=course)
    seal_new_rows(NOW, at_once=True)
    attack_again = (
        "INSERT INTO log_event (id, at, verb, details) SELECT {0}, at, verb, details FROM log_event WHERE id = {1}"
    )
    with connection.cursor() as cursor:
        cursor.execute(attack_again.format(0, log[0]))
        cursor.execute(attack_again.format(log[7], log[0]))
    below, changed = sorted(findings(), key=lambda finding: "below 1" not in finding)
    assert "1 row with an id below 1" in below
    assert f"ids {log[4] + 1} to {log[9]} " in changed
    assert "changed" in changed


def test_a_row_in_a_gap_is_found(course, home):
    """Ids of transactions that were rolled back stay free, and nobody may use them afterwards."""
    for number in (3, 9):
        Event.objects.create(pk=number, verb="counted")
    seal_new_rows(NOW)
    Event.objects.create(pk=5, verb="slipped in")
    (finding,) = findings()
    assert "1 row was added" in finding


def test_a_deleted_tail_is_found(log):
    attack(f"DELETE FROM log_event WHERE id > {log[3]}")
    assert [finding.partition(": ")[2] for finding in findings()] == [
        "1 of 5 rows is missing",
        "5 of 5 rows are missing",
        "2 of 2 rows are missing",
    ]


def test_seals_missing_in_the_middle_are_found(log):
    attack("DELETE FROM log_seal WHERE id = 2")
    (finding,) = findings()
    assert "seal 2 is missing" in finding


def test_seals_missing_at_the_beginning_are_found(log):
    attack("DELETE FROM log_seal WHERE id <= 2")
    (finding,) = findings()
    assert "seals 1 to 2 are missing" in finding


def test_a_tail_cut_off_with_its_seals_is_found_by_what_the_folder_remembers(log, course, home):
    attack(f"DELETE FROM log_event WHERE id > {log[9]}", "DELETE FROM log_seal WHERE id > 2")
    (finding,) = findings()
    assert "seal 3 " in finding
    assert "ends with seal 2" in finding
    # Nor does it help to wait until the worker has sealed what is left.
    record("counted", None, course=course)
    seal_new_rows(NOW, at_once=True)
    assert Seal.objects.count() == 3
    (finding,) = findings()
    assert "seal 3 " in finding


def test_all_seals_made_anew_are_found_by_a_head_that_was_noted(log, course, home):
    noted = head()
    attack(f"UPDATE log_event SET verb = 'nothing' WHERE id = {log[0]}", "DELETE FROM log_seal")
    (home / "seal-head").unlink()
    assert seal_new_rows(NOW) == 3
    assert findings() == []
    (finding,) = findings(manifest=noted)
    assert "manifest" in finding
    (finding,) = findings(line=Head(0, noted.digest[:16]))
    assert "another site" in finding


def test_a_head_that_was_noted_is_found_in_the_chain(log, course):
    noted = head()
    record("counted", None, course=course)
    seal_new_rows(NOW, at_once=True)
    assert findings(manifest=noted, line=Head(0, noted.digest[:16])) == []
    # The number counts where it is known, and a few digits are no proof.
    assert len(findings(manifest=Head(2, noted.digest))) == 1
    assert len(findings(line=Head(0, noted.digest[:15]))) == 1


@pytest.mark.parametrize("field", [field.attname for field in Seal._meta.concrete_fields])
def test_everything_that_a_seal_says_is_signed(log, field):
    """Also when it was made, which no row tells."""
    column, value = (
        connection.ops.quote_name(Seal._meta.get_field(field).column),
        getattr(Seal.objects.get(pk=3), field),
    )
    other = {int: lambda: value + 1, str: lambda: f"'{value[::-1]}'"}.get(type(value), lambda: "'2020-01-01 00:00:00'")
    attack(f"UPDATE log_seal SET {column} = {other()} WHERE id = 3")
    said = {"id": "seal 3 is missing", "key": "seal 3 cannot be verified"}.get(field, "seal 3 does not fit")
    assert any(said in finding for finding in findings())


def test_a_changed_seal_is_found(log):
    attack(f"DELETE FROM log_event WHERE id = {log[2]}", "UPDATE log_seal SET count = 4, rows = 'x' WHERE id = 1")
    assert "seal 1 does not fit" in findings()[0]


def test_a_seal_with_a_key_of_somebody_else_is_found(log, home, monkeypatch):
    """Whoever has the database can make seals, but not with our key."""
    attack(f"UPDATE log_event SET verb = 'nothing' WHERE id = {log[0]}", "DELETE FROM log_seal")
    ours = (home / "seal-key").read_text()
    (home / "seal-key").write_text("theirs")
    assert seal_new_rows(NOW) == 3
    (home / "seal-key").write_text(ours)
    found = findings()
    assert any("seals 1 to 3 cannot be verified" in finding for finding in found)
    # Nor by writing the name of our key on them.
    name = next(iter(seals.sealing_key()))
    attack("DELETE FROM log_seal")
    monkeypatch.setattr(seals, "sealing_key", lambda: (name, b"theirs"))
    assert seal_new_rows(NOW) == 3
    assert sum("does not fit" in finding for finding in findings()) == 3


def test_damaging_what_the_folder_remembers_is_found(log, home):
    (home / "seal-head").write_text("nonsense")
    assert len(findings()) == 1


# Keys.


def test_the_key_is_for_its_owner_alone(log, home):
    assert (home / "seal-key").stat().st_mode & 0o777 == 0o600
    assert (home / "seal-head").stat().st_mode & 0o777 == 0o600


def test_a_missing_or_empty_key_is_said(log, home):
    (home / "seal-key").write_text("\n")
    with pytest.raises(InputError, match="is empty"):
        verify({})
    (home / "seal-key").unlink()
    with pytest.raises(InputError, match="is missing"):
        verify({})


def test_a_new_key_goes_above_the_old_one(log, course, home):
    old = (home / "seal-key").read_text()
    (home / "seal-key").write_text(f"new\n{old}\n")
    record("counted", None, course=course)
    seal_new_rows(NOW, at_once=True)
    assert findings() == []
    assert Seal.objects.values_list("key").distinct().count() == 2
    (home / "seal-key").write_text("new\n")
    (finding,) = findings()
    assert "seals 1 to 3 cannot be verified" in finding


def test_many_findings_are_counted(log, monkeypatch):
    monkeypatch.setattr(verification, "MOST", 2)
    attack("UPDATE log_event SET verb = 'nothing'")
    report = verify({})
    assert (len(report.findings), report.more) == (2, 1)


def test_a_table_that_nobody_knows_is_said(log):
    attack("UPDATE log_seal SET \"table\" = 'log_other' WHERE id = 1")
    assert any("log_other" in finding for finding in findings())


# Manifests.


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"nonsense", b"\x1f\x8bnonsense", b'{"seal": {"number": "x"}}', b"\xff\xfe"]
)
def test_what_is_no_manifest_is_refused(content, tmp_path):
    file = tmp_path / "peers.tar.gz"
    with pytest.raises(InputError, match="cannot be read"):
        read_head(file)
    file.write_bytes(content)
    with pytest.raises(InputError, match="neither a backup"):
        read_head(file)


def test_a_manifest_without_a_seal_is_said(tmp_path):
    file = tmp_path / "peerorder.json"
    file.write_text('{"format": 1}')
    with pytest.raises(InputError, match="has no seal"):
        read_head(file)
    file.write_text('{"seal": null}')
    assert read_head(file) is None
