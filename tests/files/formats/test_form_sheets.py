"""Forms as workbooks: what a spreadsheet is told about them, and that they come back."""

import re
import zipfile

import pytest

from peerorder.files import read_rankings, read_sheet, write_table
from peerorder.files.formats.form_sheets import LINES
from peerorder.files.formats.kinds import FORM

FORMS = {"grader": ["ann"] * 3 + ["bob"] * 2, "paper": ["p1", "p2", "007", "p1", "p3"], "rank": [None] * 5}


@pytest.fixture
def form(tmp_path):
    path = tmp_path / "form.xlsx"
    write_table(
        path, {**FORMS, "ballot": ["2"] * 5, "link": ["https://example.org/a-long-way/to-a-paper.pdf"] * 5}, FORM
    )
    return path


def parts(path):
    with zipfile.ZipFile(path) as book:
        return {name: book.read(name).decode() for name in book.namelist()}


def fill(path, ranks):
    """Write ranks as a spreadsheet does that saves the form."""
    content = parts(path)
    sheet = "xl/worksheets/sheet1.xml"
    for row, rank in enumerate(ranks, 2):
        content[sheet], count = re.subn(
            rf'<c r="C{row}" s="(\d+)"/>', rf'<c r="C{row}" s="\1"><v>{rank}</v></c>', content[sheet]
        )
        assert count == 1
    with zipfile.ZipFile(path, "w") as book:
        for name, text in content.items():
            book.writestr(name, text)


def test_only_ranks_from_1_to_the_most_papers_can_be_typed(form):
    content = parts(form)
    sheet, styles = content["xl/worksheets/sheet1.xml"], content["xl/styles.xml"]
    assert '<sheetProtection sheet="1"' in sheet
    assert "password" not in sheet
    rule = re.search(r'<dataValidation type="whole" allowBlank="1".*?</dataValidation>', sheet)[0]
    assert 'sqref="C2:C6"' in rule
    assert "<formula1>1</formula1><formula2>3</formula2>" in rule
    unlocked = [
        at
        for at, style in enumerate(re.findall(r"<xf .*?(?:/>|</xf>)", styles.partition("<cellXfs")[2]))
        if 'locked="0"' in style
    ]
    cells = dict(re.findall(r'<c r="([A-Z]+\d+)"(?: s="(\d+)")?', sheet))
    assert {cell for cell, style in cells.items() if style and int(style) in unlocked} == {
        f"C{row}" for row in range(2, 7)
    }


def test_it_says_what_to_do_and_hides_what_puzzles(form):
    content = parts(form)
    sheet = content["xl/worksheets/sheet1.xml"]
    assert all(line in content["xl/sharedStrings.xml"] for line in LINES)
    assert '<sheet name="Ranking"' in content["xl/workbook.xml"]
    widths = {
        int(first): (float(width), "hidden" in rest)
        for first, width, rest in re.findall(r'<col min="(\d+)" max="\d+" width="([\d.]+)"(.*?)/>', sheet)
    }
    assert widths[4][1], "the ballot"
    assert widths[5][0] > 40, "the link"
    assert [at for at, (_, hidden) in widths.items() if hidden] == [4]


def test_it_comes_back_as_rankings(form):
    fill(form, [2, 1, 3, 1, 1])
    read = read_rankings(form)
    assert read.reading_notes == ()
    assert (read.graders, read.papers) == (("ann", "bob"), ("p1", "p2", "007", "p3"))
    assert [read.profile[at].tolist() for at in range(2)] == [[1, 0, 2], [0, 3]]


@pytest.mark.parametrize("papers", [0, 1, 2])
def test_the_instruction_is_no_row_of_a_short_form(tmp_path, papers):
    path = tmp_path / "form.xlsx"
    write_table(path, {"grader": ["ann"] * papers, "paper": ["p1", "p2"][:papers], "rank": [None] * papers}, FORM)
    assert len(read_sheet(path, {"grader", "paper", "rank"}.__contains__)) == papers
