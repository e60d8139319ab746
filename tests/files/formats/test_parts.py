"""A part of a file is read as a file of its own would be, with the rows of the whole."""

import pytest

from peerorder.files.formats.parts import reading, reading_courses, split_file
from peerorder.files.formats.problems import FileError
from peerorder.files.formats.sheets import read_sheet
from peerorder.files.tables.rankings import read_rankings

LONG = "Course,grader,paper,rank\n{}A,x,p,1\nA,x,q,2\n"
TEXTS = {
    "long": LONG.format(""),
    "other names": LONG.format("").replace("grader", "Reviewer").replace("paper", "Submission"),
    "wide": "grader;1;2;course\nx;p = r;q;A\ny;q;;A\n",
    "comparisons": "winner,loser,judge,course\np,q,x,A\nq,p,y,A\n",
    "the header again": LONG.format("A,y,p,1\n\nA,y,q,2\ncourse,grader,paper,rank\n"),
    "two columns of one name": "course,grader,note,paper,rank,note,\nA,x,1,p,1,2,3\nA,x,1,q,2,2,3\n",
    "Windows-1252": LONG.format("A,\u00e9,p,1\n"),
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_part_is_read_like_a_file(tmp_path, text):
    path = tmp_path / "all.csv"
    path.write_bytes(text.encode("cp1252"))
    whole = read_rankings(path)
    last = text.splitlines()[-1]
    # Rows of another course, which would be problems here.
    path.write_bytes((text + 2 * (last.replace("A", "B") + "\n")).encode("cp1252"))
    parts, problems = split_file(path, tmp_path / "store")
    assert ([*parts], problems) == (["A", "B"], ())
    with reading([parts["A"]]):
        part = read_rankings(path)
    assert part.profile.digest == whole.profile.digest
    assert (part.graders, part.papers) == (whole.graders, whole.papers)
    assert part.reading_notes == whole.reading_notes
    with reading_courses({path: "A"}):
        assert read_rankings(path).profile.digest == whole.profile.digest


def test_rows_keep_their_numbers_and_outside_the_whole_file_is_read(tmp_path):
    path = tmp_path / "all.csv"
    path.write_text("course,grader,paper,rank\nA,x,p,1\nB,x,p,1\n\nA,x,q,bad\nB,x,q,2\n")
    parts, _ = split_file(path, tmp_path / "store")
    with reading([parts["A"]]):
        assert read_sheet(path).rows.tolist() == [2, 5]
        with pytest.raises(FileError) as caught:
            read_rankings(path)
        assert [(problem.path, problem.row, problem.column) for problem in caught.value.problems] == [(path, 5, "rank")]
    assert len(read_sheet(path)) == 4


def test_rows_of_no_course_are_problems(tmp_path):
    path = tmp_path / "all.csv"
    path.write_text("course,grader,paper,rank\nA,x,p,1\n,x,q,1\nA,x,r,2,3\n")
    parts, problems = split_file(path, tmp_path / "store")
    assert [*parts] == ["A"]
    assert {problem.row for problem in problems} == {3, 4}


@pytest.mark.parametrize("header", ["grader,paper,rank", "course,course,grader"])
def test_one_column_must_have_the_courses(tmp_path, header):
    path = tmp_path / "all.csv"
    path.write_text(f"{header}\na,b,1\n")
    with pytest.raises(FileError, match="course"):
        split_file(path, tmp_path / "store")
