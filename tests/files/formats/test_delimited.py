import csv
import io

import pytest
from hypothesis import given, strategies as st

from peerorder.files import read_sheet
from peerorder.files.formats.delimited import _fast, _slow, read_cells

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89"
ROWS = {2: ("ann", "p1", "1"), 3: ("bob", "p2", "2")}


def rows_of(sheet):
    return {int(row): tuple(sheet[name][at] for name in sheet.columns) for at, row in enumerate(sheet.rows)}


def everything(_name):
    return True


@pytest.mark.parametrize(
    "content",
    [
        "grader,paper,rank\nann,p1,1\nbob,p2,2\n",
        "grader;paper;rank\nann;p1;1\nbob;p2;2",
        "grader\tpaper\trank\r\nann\tp1\t1\r\nbob\tp2\t2\r\n",
        "grader|paper|rank\nann|p1|1\nbob|p2|2\n",
        "\ufeffgrader,paper,rank\nann,p1,1\nbob,p2,2\n",
        "grader,paper,rank\rann,p1,1\rbob,p2,2\r",
        "grader,paper,rank\nann,p1,1\rbob,p2,2\r\n",
        '"grader","paper","rank"\n"ann","p1",1\n"bob","p2","2"\n',
        '"grader";"paper";"rank"\r\nann;"p1";1\r\nbob;p2;2\r\n\r\n\r\n',
        '"grader, or judge","paper","rank"\nann,p1,1\nbob,p2,2\n',
        "sep=;\ngrader;paper;rank\nann;p1;1\nbob;p2;2\n",
        "SEP=#\r\ngrader#paper#rank\r\nann#p1#1\r\nbob#p2#2\r\n",
        "grader,paper,rank,\nann,p1,1,\nbob,p2,2,\n",
        "grader,paper,rank\nann,p1,1,\nbob,p2,2,,\n",
        " grader , paper , rank \n ann , p1,1 \n\xa0bob\xa0,p2\t,2\n",
        'grader,paper,rank\n="ann",p1,1\nbob,="p2",2\n',
        'grader,paper,rank\n"=""ann""",p1,1\nbob,"=""p2""",2\n',
        "grader,paper,rank\nann,p1,1\nbob,p2,2\n,,\n,,\n",
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_dialects(file, content, encoding):
    assert rows_of(read_sheet(file(content.encode(encoding)))) == ROWS


def test_rows_are_counted_as_a_spreadsheet_counts_them(file):
    # Cells of several lines are in one row, blank lines are rows, and the line that names the separator is not seen.
    content = 'sep=,\n\na,b\n"1\n1",2\n\n3,4\n'
    assert list(rows_of(read_sheet(file(content)))) == [3, 5]
    content = 'a,b\n"1\n1",2\n3,4\n'
    assert rows_of(read_sheet(file(content))) == {2: ("1\n1", "2"), 3: ("3", "4")}


def test_short_rows_are_filled_up_and_long_ones_named(file):
    sheet = read_sheet(file("a,b\n1\n2,3,4\n5,6\n7,8,9,10\n"))
    assert rows_of(sheet) == {2: ("1", ""), 4: ("5", "6")}
    assert [(problem.row, problem.cause) for problem in sheet.problems] == [
        (3, "it has 3 cells, but the header has 2"),
        (5, "it has 4 cells, but the header has 2"),
    ]


@pytest.mark.parametrize("cells", [("Zoë", "Grüße", "€"), ("Σωκράτης", "学生", "😀")])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_letters_of_all_kinds(file, cells, encoding):
    assert rows_of(read_sheet(file(f"a,b,c\n{','.join(cells)}\n".encode(encoding)))) == {2: cells}


def test_windows_1252_comes_with_a_note(file):
    path = file("a,b\nZoë,€\n".encode("cp1252"))
    sheet = read_sheet(path)
    assert rows_of(sheet) == {2: ("Zoë", "€")}
    assert sheet.notes == (
        f"{path}: it is not in UTF-8, so it is read as Windows-1252; check accented letters; to avoid this note, save "
        'it as "CSV UTF-8"',
    )


def test_what_is_mostly_utf_8_is_not_taken_for_windows_1252(file):
    sheet = read_sheet(file("a,b\nZoë,1\n".encode() + "Zoë,2\n".encode("cp1252") + b"x,3\n"))
    assert rows_of(sheet) == {2: ("Zoë", "1"), 4: ("x", "3")}
    assert [problem.row for problem in sheet.problems] == [3]
    assert "not in UTF-8" in sheet.problems[0].cause


@pytest.mark.parametrize("content", [b"", b"\n\n", b" \r\n,,,\r\n", b"\xef\xbb\xbf", b"sep=;\n", b"\r\r\r", b'""\n'])
def test_empty(file, complaints, content):
    assert complaints(read_sheet, file(content)) == [(None, None, "it is empty")]


def test_a_header_alone(file):
    for content in ("a,b", "a,b\n", "a,b\n\n", '"a","b"\n'):
        sheet = read_sheet(file(content))
        assert list(sheet.columns) == ["a", "b"]
        assert len(sheet) == len(sheet["a"]) == 0


@pytest.mark.parametrize(
    "content",
    [
        PNG,
        b"a,b\n1,\x00\n",
        "a,b\n1,2\n".encode("utf-16-le"),
        "a,b\n1,2\n".encode("utf-32"),
        "a,b\n1,2\n".encode("utf-16") + b"x",
        b"a,b\n\x81\x8d,1\n",
        bytes(100),
    ],
)
def test_what_is_no_text(file, complaints, content):
    assert complaints(read_sheet, file(content)) == [(None, None, "it is not readable text")]


@pytest.mark.parametrize("content", [b"PK\x03\x04rest", b"\xd0\xcf\x11\xe0rest"])
def test_a_workbook_with_the_name_of_a_text(file, complaints, content):
    assert complaints(read_sheet, file(content)) == [(None, None, "this is a workbook, not CSV")]
    assert complaints(read_sheet, file(content, "readme.docx")) == [(None, None, "this is not a table")]


@pytest.mark.parametrize(
    ("content", "row"),
    [
        ('a,b\n1,"2\n3,4\n5,6\n', 2),
        ('a,b\n1,2\n"3,4\n5,6', 3),
        ('a,b\n1,2\n3,"4""\n5,6\n', 3),
        ('a,"b\n1,2\n', 1),
        ('a,b\n1,"2\n3,4"\n5,"6\n', 3),
        ('a,b\n1,2"\n3,"4\n', 3),
    ],
)
def test_a_quotation_mark_that_is_never_closed(file, complaints, content, row):
    cause = "a quotation mark is opened in this row and never closed"
    assert complaints(read_sheet, file(content)) == [(row, None, cause)]


def test_quotation_marks_inside_of_cells(file):
    assert rows_of(read_sheet(file('a,b\n5" disc,1\n"7"" disc",2\n'))) == {2: ('5" disc', "1"), 3: ('7" disc', "2")}


def test_a_huge_cell_in_a_file_that_is_not_simple(file, complaints):
    content = f"a,b\n1,2,\n\n{'x' * 200_000},3\n"
    assert complaints(read_sheet, file(content)) == [(4, None, "it has a cell of more than 131,072 characters")]


cells = st.text('ab0 ,;"\n\r\t=é', max_size=4)


@given(st.data(), st.sampled_from(",;\t|"))
def test_fast_and_slow_agree_with_pythons_reader(tmp_path_factory, data, separator):
    """Both ways, where arrow takes the file at all, give what Python's csv module wrote."""
    table = data.draw(st.lists(st.lists(cells, min_size=2, max_size=2), max_size=8))
    out = io.StringIO(newline="")
    writer = csv.writer(
        out, delimiter=separator, quoting=data.draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
    )
    writer.writerow(["one", "two"])
    writer.writerows(table)
    path = tmp_path_factory.getbasetemp() / "agree.csv"
    content = out.getvalue().encode()
    expected = {
        at: tuple(tidied(cell) for cell in row) for at, row in enumerate(table, 2) if any(tidied(cell) for cell in row)
    }
    assert rows_of(_slow(path, content, everything)) == expected
    path.write_bytes(content)
    assert rows_of(read_sheet(path)) == expected


def tidied(cell):
    cell = cell.strip()
    return (
        cell[2:-1].strip()
        if len(cell) > 2 and cell.startswith('="') and cell.endswith('"') and "\n" not in cell
        else cell
    )


@given(st.lists(st.tuples(st.sampled_from("abc "), st.sampled_from("12 ")), max_size=6))
def test_plain_files_go_the_fast_way(tmp_path_factory, table):
    path = tmp_path_factory.getbasetemp() / "plain.csv"
    content = ("one,two\n" + "".join(f"{a},{b}\n" for a, b in table)).encode()
    quoted = ("one,two\n" + "".join(f'"{a}","{b}"\n' for a, b in table)).encode()
    for each in (content, quoted):
        header, texts = _fast(path, each, everything)
        assert header == ["one", "two"]
        assert list(zip(*(texts[name].to_pylist() for name in header), strict=True)) == table


def by_python(text, separator, width, places):
    """What the columns hold by Python's own reader, where all rows are as long as they should be."""
    rows = list(csv.reader(io.StringIO(text.rstrip("\r\n"), newline=""), delimiter=separator))
    rows = [row or [""] * width for row in rows]
    return [[row[at] for row in rows] for at in places] if all(len(row) == width for row in rows) else None


def texts(cells):
    return None if cells is None else [column.to_pylist() for column in cells]


@given(st.data(), st.integers(1, 4), st.sampled_from(",;\t|"), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_arrow_reads_what_python_wrote(data, width, separator, newline, quote_all):
    rows = data.draw(st.lists(st.lists(st.text("ab7, ;é€😀\"'=\n", max_size=9), min_size=width, max_size=width)))
    places = data.draw(st.permutations(range(width)))[: data.draw(st.integers(1, width))]
    out = io.StringIO(newline="")
    quoting = csv.QUOTE_ALL if quote_all else csv.QUOTE_MINIMAL
    csv.writer(out, delimiter=separator, lineterminator=newline, quoting=quoting).writerows(rows)
    cells = read_cells(b"head\n" + out.getvalue().encode(), 5, separator, width, places)
    assert texts(cells) == [[row[at] for row in rows] for at in places]


@given(st.text('a,"\r\n', max_size=30), st.integers(1, 3))
def test_what_arrow_reads_python_reads_alike(text, width):
    cells = read_cells(text.encode(), 0, ",", width, [width - 1])
    if cells is not None:
        assert texts(cells) == by_python(text, ",", width, [width - 1])


@pytest.mark.parametrize(
    "text", ["a,b\nc\n", "a,b\nc,d,e\n", 'a,"b\nc",d\n', 'a,"b\n', 'a,"b""\n', "a\rb,c\n", "a,\xff\n"]
)
def test_what_is_left_to_python(text):
    assert read_cells(text.encode("latin-1"), 0, ",", 2, [0, 1]) is None


def test_letters_that_are_not_in_utf8_matter_where_somebody_looks():
    content = b"a,\xff\nb,c\n"
    assert read_cells(content, 0, ",", 2, [1]) is None
    assert texts(read_cells(content, 0, ",", 2, [0])) == [["a", "b"]]


def test_a_line_break_in_a_cell_between_the_blocks_that_arrow_reads():
    text = "x,y\n" * (2**18 - 1) + '"' + "z\n" * 20 + '",y\n' + "x,y\n" * 9
    cells = read_cells(text.encode(), 0, ",", 2, [0])
    assert cells is None or texts(cells) == by_python(text, ",", 2, [0])
