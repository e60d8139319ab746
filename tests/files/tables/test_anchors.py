import pytest

from peerorder import InputError
from peerorder.files import FileError, read_anchors, read_roster

PAPERS = ("p1", "p2", "007", "p4")


def write(tmp_path, text, name="anchors.csv"):
    path = tmp_path / name
    path.write_text(text, "utf-8")
    return path


def test_papers_and_marks_by_number(tmp_path):
    path = write(tmp_path, "paper,mark,reason\n007,72.5,because\np1,90,\n")
    found = read_anchors(path, PAPERS)
    assert found.papers.tolist() == [2, 0]
    assert found.marks.tolist() == [72.5, 90]
    assert len(found) == 2


def test_decimal_commas_percent_signs_and_other_dialects(tmp_path):
    path = write(tmp_path, "\ufeffMark;Paper\n72,5;p1\n80 %;p2\n,5;p4\n")
    assert read_anchors(path, PAPERS).marks.tolist() == [72.5, 80, 0.5]


def test_percent_is_of_full_marks(tmp_path):
    path = write(tmp_path, "paper,mark\np1,45%\np2,45\n")
    assert read_anchors(path, PAPERS, highest=50).marks.tolist() == [22.5, 45]


@pytest.mark.parametrize(
    ("marks", "highest", "noted"), [((0.68, 0.9), 100, True), ((0.68, 0.9), 1, False), ((9, 35), 100, False)]
)
def test_marks_far_below_full_marks_are_pointed_out(tmp_path, marks, highest, noted):
    path = write(tmp_path, "paper,mark\n" + "".join(f"p{at},{mark}\n" for at, mark in enumerate(marks, 1)))
    assert bool(read_anchors(path, PAPERS, highest=highest).notes) == noted


def test_rows_that_wait_for_their_mark_are_passed_over(tmp_path):
    found = read_anchors(write(tmp_path, "paper,mark\np1,90\np2,\n"), PAPERS)
    assert found.papers.tolist() == [0]
    assert found.unmarked == 1


def test_codes_stand_for_papers_and_ids_do_too(tmp_path):
    path = write(tmp_path, "paper,mark\nK3,60\np1,90\n")
    assert read_anchors(path, PAPERS, {"K3": "007"}).papers.tolist() == [2, 0]


def test_codes_alone_will_do(tmp_path):
    path = write(tmp_path, "code,mark,reason\nK3,60,why\nL4,90,\n")
    assert read_anchors(path, PAPERS, {"K3": "007", "L4": "p1"}).papers.tolist() == [2, 0]
    with pytest.raises(FileError) as caught:
        read_anchors(write(tmp_path, "code,mark\nX9,60\n"), PAPERS, {"K3": "007"})
    assert [problem.column for problem in caught.value.problems] == ["code"]


def test_marks_go_up_to_what_full_marks_are(tmp_path):
    path = write(tmp_path, "paper,mark\np1,6\np2,101\n")
    assert read_anchors(path, PAPERS, highest=120).marks.tolist() == [6, 101]
    with pytest.raises(FileError, match="`anchors_points`"):
        read_anchors(path, PAPERS)
    with pytest.raises(InputError, match="above 0"):
        read_anchors(path, PAPERS, highest=0)


BAD = "paper,mark\np1,90\n,50\np9,40\np2,good\np4,101\np1,80\n007,-3\np2,1e3\n"


def test_all_problems_at_once(tmp_path):
    with pytest.raises(FileError) as caught:
        read_anchors(write(tmp_path, BAD), PAPERS)
    said = [(problem.row, problem.column, problem.cause) for problem in caught.value.problems]
    assert said == [
        (3, "paper", "this cell is empty"),
        (4, "paper", "there is no paper p9"),
        (5, "mark", "'good' is not a number"),
        (6, "mark", "the mark is 101"),
        (7, "paper", "p1 is already in row 2"),
        (8, "mark", "the mark is -3"),
        (9, "mark", "'1e3' is not a number"),
    ]


def test_lenient_keeps_the_good_rows(tmp_path):
    found = read_anchors(write(tmp_path, BAD), PAPERS, lenient=True)
    assert found.papers.tolist() == [0]
    assert len(found.dropped) == 7


def test_columns_are_needed(tmp_path):
    with pytest.raises(FileError, match="a file of anchors needs the column mark, but this file has paper"):
        read_anchors(write(tmp_path, "paper\np1\n"), PAPERS)


def test_a_file_without_rows_has_no_anchors(tmp_path):
    assert len(read_anchors(write(tmp_path, "paper,mark\n"), PAPERS)) == 0


def test_codes_in_small_letters_are_understood_and_lost_zeros_named(tmp_path):
    path = tmp_path / "anchors.csv"
    path.write_text("paper,mark\npc9w,70\n")
    assert read_anchors(path, ["007", "b"], {"PC9W": "b"}).papers.tolist() == [1]
    path.write_text("paper,mark\n7,70\n")
    with pytest.raises(FileError, match="there is no paper 7, but 007 is: spreadsheets drop leading zeros"):
        read_anchors(path, ["007", "b"])


def test_whoever_writes_a_student_is_told_the_paper(file):
    roster = read_roster(file("student,paper\n0099001,P1\nbo,P2\n", "roster.csv"))
    path = file("paper,mark\n0099001,70\n", "anchors.csv")
    with pytest.raises(FileError, match=r"there is no paper 0099001, but 0099001 wrote P1; write the ID of the paper$"):
        read_anchors(path, roster.papers, roster=roster)
