"""Exports of learning platforms from the roster to the gradebook, by the commands alone."""

import csv

from tests.files.exports import OPEN_EDX, PEOPLE, every_export, every_gradebook


def rankings(ids):
    """Everybody ranks the next three, all in the same order."""
    bundles = {student: sorted([*ids, *ids][at + 1 : at + 4]) for at, student in enumerate(ids)}
    rows = [f"{student},{paper},{rank}" for student, some in bundles.items() for rank, paper in enumerate(some, 1)]
    return "\n".join(["grader,paper,rank", *rows]) + "\n"


@every_export
def test_assign(peerorder, tmp_path, monkeypatch, export):
    monkeypatch.chdir(tmp_path)
    (tmp_path / export.name).write_bytes(export.content)
    result = peerorder("assign", export.name, "-k", "3", "--out", "handout.csv", "--seed", "1")
    assert result.code == 0, result.err
    with (tmp_path / "handout.csv").open(newline="") as stream:
        assert {row["grader"] for row in csv.DictReader(stream)} == {*export.ids}
    said = " ".join((result.out + result.err).split())
    assert f"this is an export of {export.platform}" in said
    assert ("ignored column" in said) == bool(export.ignored)


@every_gradebook
def test_grade_with_the_export_as_roster_and_as_gradebook(peerorder, tmp_path, monkeypatch, export):
    monkeypatch.chdir(tmp_path)
    (tmp_path / export.name).write_bytes(export.content)
    (tmp_path / "rankings.csv").write_text(rankings(export.ids))
    line = ("grade", "rankings.csv", "--rule", "borda", "--roster", export.name, "--marks", "percentile")
    result = peerorder(*line, "--gradebook", export.name, "--gradebook-out", "filled.csv")
    assert result.code == 0, result.err
    assert (tmp_path / "filled.csv").read_bytes() != export.content
    assert f"{len(PEOPLE)} marks in the column {export.column}" in " ".join(result.out.split())
    assert "Not in the gradebook" not in result.out
    assert ("ignored column" in " ".join(result.out.split())) == bool(export.ignored)


def test_a_report_of_grades_cannot_be_imported_and_that_is_said(peerorder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "report.csv").write_bytes(OPEN_EDX.content)
    (tmp_path / "rankings.csv").write_text(rankings(OPEN_EDX.ids))
    line = ("grade", "rankings.csv", "--rule", "borda", "--roster", "report.csv", "--marks", "percentile")
    assert "Bulk Management" in peerorder(*line, "--gradebook", "report.csv").out
