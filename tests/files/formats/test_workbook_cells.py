import zipfile

import pytest

from peerorder.files.formats.workbook_cells import _column, faults_on_sheets


@pytest.mark.parametrize(("letters", "number"), [("A", 0), ("Z", 25), ("AA", 26), ("AZ", 51), ("XFD", 16_383)])
def test_letters_of_columns(letters, number):
    assert _column(letters.encode()) == number


def book(path, cells, target="worksheets/sheet1.xml"):
    """A workbook as other programs write them: prefixes, other quotes, absolute targets."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            "xl/workbook.xml",
            '<x:workbook xmlns:x="m" xmlns:r="r"><x:sheets><x:sheet name="A &amp; B" sheetId="1" r:id="rId1"/>'
            '<x:sheet name="Chart" sheetId="2" r:id="rId2"/></x:sheets></x:workbook>',
        )
        archive.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<R xmlns="p"><r Id="rId1" Target="{target}"/><r Id="rId2" Target="chartsheets/sheet1.xml"/></R>',
        )
        archive.writestr("xl/worksheets/sheet1.xml", f"<sheetData><row>{cells}</row></sheetData>")
    return path


@pytest.mark.parametrize(
    "cells",
    [
        '<c r="B3" s="1" t="e"><f>NA()</f><v>#N/A</v></c>',
        '<c t="e" r="B3"><v>#N/A</v></c>',
        "<x:c r='B3' t='e'><x:v>#N/A</x:v></x:c>",
        '<c r="A1" t="s"><v>1</v></c><c r="B3" t="e"/><c r="C1" t="str"><v>#REF!</v></c>',
    ],
)
@pytest.mark.parametrize("target", ["worksheets/sheet1.xml", "/xl/worksheets/sheet1.xml"])
def test_errors_however_they_are_written(tmp_path, cells, target):
    (sheet,) = faults_on_sheets(book(tmp_path / "x.xlsx", cells, target)).items()
    assert (sheet[0], [*sheet[1]]) == ("A & B", [(2, 1)])
    assert "#N/A" in sheet[1][2, 1][0]


@pytest.mark.parametrize(
    ("cells", "unsaved"),
    [
        ('<c r="B3"><f>1+1</f></c>', True),
        ('<c r="B3"><f>1+1</f><v></v></c><c r="C3"><v>3</v></c>', True),
        ('<c s="1" r="B3"><f>1+1</f><v/></c>', True),
        ("<x:c r='B3'><x:f>RANK(A1,A:A)</x:f></x:c><x:c r='C3'><x:v>3</x:v></x:c>", True),
        ('<c r="B3"><f t="shared" si="0"/><v>2</v></c>', False),
        ('<c r="B3"><f>1+1</f><v>2</v></c>', False),
        ('<c r="B3" t="str"><f>""</f><v></v></c>', False),
        ('<c r="B3" s="2"/><c r="C3"/>', False),
    ],
)
def test_formulas_that_nobody_calculated(tmp_path, cells, unsaved):
    (found,) = faults_on_sheets(book(tmp_path / "x.xlsx", cells)).values()
    assert [*found] == ([(2, 1)] if unsaved else [])


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"no zip at all"])
def test_damaged_files_are_left_to_the_reader(tmp_path, content):
    path = tmp_path / "x.xlsx"
    path.write_bytes(content)
    assert faults_on_sheets(path) == {}


def test_a_sheet_that_is_not_there_is_left_to_the_reader(tmp_path):
    assert faults_on_sheets(book(tmp_path / "x.xlsx", "", "worksheets/sheet7.xml")) == {}
