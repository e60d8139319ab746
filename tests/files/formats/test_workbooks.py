import datetime
import zipfile

import pytest

from peerorder.files import FileError, read_rankings, read_sheet
from peerorder.files.formats.sheets import wanted_names
from peerorder.files.formats.workbook_cells import MOST_CELLS


def rows_of(sheet):
    return {int(row): tuple(sheet[name][at] for name in sheet.columns) for at, row in enumerate(sheet.rows)}


def test_cells_as_they_are_seen(workbook):
    path = workbook([["Student ", "x"], ["007", 7], ["a", 2.5], [" b ", 1e5], ["c", True], ["d", "1e5"], ["e", 1e300]])
    sheet = read_sheet(path)
    assert sheet["student"].tolist() == ["007", "a", "b", "c", "d", "e"]
    assert sheet["x"].tolist() == ["7", "2.5", "100000", "TRUE", "1e5", "1e+300"]


def test_a_table_that_begins_elsewhere_and_has_gaps(workbook):
    path = workbook([[], [], [None, "a", "b"], [], [None, "1", "2"], [None, "3"]])
    assert rows_of(read_sheet(path)) == {5: ("1", "2"), 6: ("3", "")}


def test_formulas_are_read_by_what_they_show(workbook):
    path = workbook([["a"], ["x"]], lambda book, sheet: sheet.write_formula("A3", "=1+2", None, 3))
    assert rows_of(read_sheet(path)) == {2: ("x",), 3: ("3",)}


def test_a_formula_without_a_saved_value_is_a_problem_and_not_an_empty_cell(workbook):
    """Scripts write such files: a rank would be read as not judged."""
    path = unsaved(workbook, [["grader", "paper", "rank"], ["a", "p1", None], ["a", "p2", "2"]], "C2")
    with pytest.raises(FileError) as error:
        read_rankings(path)
    (problem,) = error.value.problems
    assert (problem.row, problem.column) == (2, "rank")
    assert problem.cause == "this formula has no saved value"


@pytest.mark.parametrize("heading", ["grader", "reviewer"])
def test_who_loses_what_they_said_by_such_a_formula_is_known(workbook, heading):
    rows = [
        ["a", "p1", None],
        ["b", "p1", "1"],
        ["b", "p2", None],
        ["c", "p1", "1"],
        ["c", "p2", "2"],
        ["a", "p2", None],
    ]
    path = unsaved(workbook, [[heading, "paper", "rank"], *rows], "C2", "C4", "C7")
    read = read_rankings(path, lenient=True)
    assert (read.lost, read.part) == (("a",), ("b",))


def unsaved(workbook, rows, *cells):
    """A workbook with formulas in these cells, and no values, as scripts write it."""

    def edit(_book, sheet):
        for cell in cells:
            sheet.write_formula(cell, "=1+0", None, "")

    path = workbook(rows, edit)
    content = {name: zipfile.ZipFile(path).read(name) for name in zipfile.ZipFile(path).namelist()}
    sheet = content["xl/worksheets/sheet1.xml"]
    content["xl/worksheets/sheet1.xml"] = sheet.replace(b' t="str"><f>', b"><f>").replace(b"<v></v>", b"")
    with zipfile.ZipFile(path, "w") as archive:
        for name, part in content.items():
            archive.writestr(name, part)
    return path


@pytest.mark.parametrize("error", ["#N/A", "#DIV/0!", "#REF!", "#NAME?", "#VALUE!"])
def test_errors_of_the_spreadsheet(workbook, error):
    path = workbook([["a", "b"], ["1", "2"]], lambda book, sheet: sheet.write_formula("B3", "=NA()", None, error))
    sheet = read_sheet(path)
    assert rows_of(sheet) == {2: ("1", "2")}
    [problem] = sheet.problems
    assert (problem.row, problem.column) == (3, "b")
    assert problem.cause == f"this is a spreadsheet error, {error}"
    assert read_sheet(path, wanted_names("a")).problems == ()


@pytest.mark.parametrize(
    "value", [datetime.date(2024, 5, 3), datetime.datetime(2024, 5, 3, 12, 30), datetime.time(3, 5)]
)
def test_dates_are_named_where_they_matter(workbook, value):
    path = workbook([["a", "b"], ["1", "2"], [value, "3"], ["4", value], ["5", "6"]])
    sheet = read_sheet(path)
    assert rows_of(sheet) == {2: ("1", "2"), 5: ("5", "6")}
    assert [(problem.row, problem.column) for problem in sheet.problems] == [(3, "a"), (4, "b")]
    assert str(value).removesuffix(" 00:00:00") in sheet.problems[0].cause
    only = read_sheet(path, wanted_names("a"))
    assert rows_of(only) == {2: ("1",), 4: ("4",), 5: ("5",)}
    assert [problem.row for problem in only.problems] == [3]


def test_merged_cells_are_named_but_the_first(workbook):
    path = workbook(
        [["a", "b"], [None, "1"], [None, "2"], ["y", "3"]], lambda book, sheet: sheet.merge_range("A2:A3", "x")
    )
    sheet = read_sheet(path)
    assert rows_of(sheet) == {2: ("x", "1"), 4: ("y", "3")}
    assert [(problem.row, problem.column, problem.cause) for problem in sheet.problems] == [
        (3, "a", "this cell is merged with another")
    ]


def test_the_first_sheet_with_anything_on_it(workbook):
    def more(book, sheet):
        other = book.add_worksheet("Rankings")
        other.write("A1", "a")
        other.write("A2", "x")
        book.add_worksheet("More").write("A1", "b")
        book.add_chartsheet("Chart")

    path = workbook([], more)
    sheet = read_sheet(path)
    assert rows_of(sheet) == {2: ("x",)}
    assert sheet.notes == (f'{path}: only the sheet "Rankings" was read',)


def test_hidden_sheets_only_where_there_is_nothing_else(workbook):
    def more(book, sheet):
        other = book.add_worksheet("Shown")
        other.write("A1", "a")
        other.activate()
        other.set_first_sheet()
        sheet.hide()

    assert list(read_sheet(workbook([["b"]], more)).columns) == ["a"]


def test_errors_are_those_of_the_sheet_that_is_read(workbook):
    def more(book, sheet):
        other = book.add_worksheet("A & B")
        other.write("A1", "a")
        other.write("A2", "x")
        other.write_formula("A3", "=NA()", None, "#N/A")

    path = workbook([], more)
    sheet = read_sheet(path)
    assert rows_of(sheet) == {2: ("x",)}
    assert [problem.row for problem in sheet.problems] == [3]


def test_empty(workbook, complaints):
    assert complaints(read_sheet, workbook([])) == [(None, None, "it is empty")]


def test_a_name_over_two_columns(workbook, complaints):
    assert complaints(read_sheet, workbook([[], ["a", "A"]]))[0][:2] == (2, "a")


@pytest.mark.parametrize("content", [b"", b"a,b\n1,2\n", b"PK\x03\x04 and so on", b"\xd0\xcf\x11\xe0" + bytes(600)])
def test_what_is_no_workbook(file, complaints, content):
    [(row, column, cause)] = complaints(read_sheet, file(content, "file.xlsx"))
    assert (row, column) == (None, None)
    assert cause.startswith("it cannot be read as a workbook (")


def test_a_zip_that_is_no_workbook(tmp_path, complaints):
    path = tmp_path / "file.xlsx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("letter.txt", "hello")
    assert complaints(read_sheet, path)[0][2].startswith("it cannot be read as a workbook (")


def raising(error):
    def open_(*_):
        raise error

    return type("CalamineWorkbook", (), {"from_path": staticmethod(open_)})


def test_a_password(workbook, complaints, monkeypatch):
    import python_calamine

    monkeypatch.setattr(python_calamine, "CalamineWorkbook", raising(python_calamine.PasswordError()))
    assert complaints(read_sheet, workbook([["a"]])) == [(None, None, "it is protected by a password")]


def test_a_panic_of_the_library_is_a_damaged_file(workbook, complaints, monkeypatch):
    panic = type("PanicException", (BaseException,), {})
    monkeypatch.setattr("python_calamine.CalamineWorkbook", raising(panic()))
    assert complaints(read_sheet, workbook([["a"]])) == [(None, None, "it cannot be read as a workbook (damaged)")]


@pytest.mark.parametrize(("number", "form"), [(1e10, "[h]:mm"), (-1e300, "d-mmm"), (-1e300, "[h]:mm")])
def test_times_that_nobody_can_mean(workbook, complaints, capfd, monkeypatch, number, form):
    # As in a command; beside other threads standard error stays as it is.
    monkeypatch.setattr("threading.active_count", lambda: 1)
    path = workbook(
        [["a"]], lambda book, sheet: sheet.write_number("A2", number, book.add_format({"num_format": form}))
    )
    assert complaints(read_sheet, path)[0][2].startswith("it cannot be read as a workbook (")
    # The library's own words about it would be a page.
    assert capfd.readouterr().err == ""


def test_a_number_in_a_column_of_dates_is_one(workbook):
    path = workbook(
        [["a"]], lambda book, sheet: sheet.write_number("A2", 20241234, book.add_format({"num_format": "d-mmm"}))
    )
    assert rows_of(read_sheet(path)) == {2: ("20241234",)}


def test_a_person_who_has_enough_is_no_damaged_file(workbook, monkeypatch):
    monkeypatch.setattr("python_calamine.CalamineWorkbook", raising(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        read_sheet(workbook([["a"]]))


def test_a_cell_far_away_is_refused_and_not_made_room_for(workbook, complaints):
    path = workbook([["a"], ["1"]], lambda book, sheet: sheet.write("XFD1048576", "x"))
    assert MOST_CELLS < 16_384 * 1_048_576
    cause = "the sheet Sheet1 cannot be read: it reaches to row 1,048,576 and column 16,384"
    assert complaints(read_sheet, path) == [(None, None, cause)]


@pytest.mark.slow
def test_a_long_sheet_is_read(workbook):
    path = workbook([["a"], ["1"]], lambda book, sheet: sheet.write("A1048576", "x"))
    assert rows_of(read_sheet(path)) == {2: ("1",), 1_048_576: ("x",)}
