"""Exports of learning platforms as rosters and as gradebooks: the same ids in both."""

import pytest

from peerorder.files import FileError, make_gradebook, read_roster
from peerorder.files.tables.platforms import platform_of
from tests.files.exports import CANVAS, EXPORTS, MOODLE, PEOPLE, every_export, every_gradebook


@every_export
def test_as_a_roster(file, export):
    roster = read_roster(file(export.content, export.name))
    assert roster.students == roster.papers == export.ids
    assert roster.name == export.names
    assert roster.email == (tuple(person[4] for person in PEOPLE) if export.email else ("",) * len(PEOPLE))
    assert roster.section == (export.section,) * len(PEOPLE)
    assert roster.layout.platform is not None
    assert roster.layout.platform.name == export.platform
    assert roster.layout.ignored == export.ignored


@every_export
def test_notes_say_what_was_taken_and_what_was_not(file, export):
    roster = read_roster(file(export.content, export.name))
    text = "\n".join(roster.notes)
    assert f"an export of {export.platform}" in text
    for name in (*export.ignored, *export.left_out):
        assert name in text


@every_gradebook
def test_as_a_gradebook(file, export):
    path = file(export.content, export.name)
    book = make_gradebook(path, dict.fromkeys(read_roster(path).students, 80.0))
    assert (book.system, book.column, book.filled) == (export.platform, export.column, len(PEOPLE))
    assert (book.missing, book.unmarked) == ((), ()), "neither test students nor other rows wait for marks"
    assert export.filled in book.data


PAIRS = [
    (roster, book)
    for roster in EXPORTS
    for book in EXPORTS
    if roster.platform == book.platform and book.column and (roster.ids == book.ids or (roster.email and book.email))
]


@pytest.mark.parametrize(("roster", "book"), PAIRS, ids=lambda export: export.name)
def test_a_roster_of_one_export_fills_another_of_the_same_platform(file, roster, book):
    people = read_roster(file(roster.content, roster.name))
    emails = dict(zip(people.students, people.email, strict=True))
    filled = make_gradebook(file(book.content, book.name), dict.fromkeys(people.students, 80.0), emails=emails)
    assert filled.filled == len(PEOPLE)


@pytest.mark.parametrize(
    "header",
    [
        "student,id,section",
        "Student ID,First name,Last name,Email address",
        "Username,First name,Last name",
        "student,name,email,paper,link,role,section",
        "id,username,name,email",
    ],
)
def test_ordinary_rosters_are_no_exports(header):
    assert platform_of(header.split(",")) is None


def test_a_column_of_ids_that_few_have_is_passed_over(file):
    text = CANVAS.content.decode("utf-8-sig")
    for number, *_ in PEOPLE[1:]:
        text = text.replace(number, "")
    roster = read_roster(file(text))
    assert roster.students == tuple(person[1] for person in PEOPLE)
    some = CANVAS.content.decode("utf-8-sig").replace(PEOPLE[0][0], "")
    with pytest.raises(FileError) as caught:
        read_roster(file(some))
    [problem] = caught.value.problems
    assert (problem.row, problem.column) == (4, "SIS User ID"), "one who has none does not change the ids of all others"


@pytest.mark.parametrize("lost", ["gradebook", "roster"])
def test_lost_zeros_are_explained(file, lost):
    """Finding A31."""
    ids = [person[0] for person in PEOPLE[:3]]
    text = CANVAS.content.decode("utf-8-sig")
    if lost == "gradebook":
        for number in ids:
            text = text.replace(number, number.lstrip("0"))
    marks = dict.fromkeys(ids if lost == "gradebook" else [number.lstrip("0") for number in ids], 80.0)
    with pytest.raises(FileError) as caught:
        make_gradebook(file(text), marks)
    [problem] = caught.value.problems
    assert problem.column == "SIS User ID"
    here, there = ("31818", "0031818") if lost == "gradebook" else ("0031818", "31818")
    assert f"{here} is in SIS User ID, {there} on the roster (and 2 more like it)" in problem.cause
    assert ("export the gradebook again" in problem.cure) == (lost == "gradebook")


def test_zeros_that_only_some_have_lost_are_a_note(file):
    text = MOODLE.content.decode().replace("0031818", "31818")
    book = make_gradebook(file(text), dict.fromkeys((person[0] for person in PEOPLE), 80.0))
    assert (book.filled, book.missing) == (4, ("0031818",))
    assert any("31818 is in ID number, 0031818 on the roster" in note for note in book.notes)
