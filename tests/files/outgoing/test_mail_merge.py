import numpy as np
import pytest

from peerorder.files import read_rankings, read_roster, read_sheet, write_rows, write_table
from peerorder.files.outgoing.mail_merge import form_columns, form_names, form_path, mail_merge_columns

ROSTER = "student,name,email,link\n007,Ada,a@x.org,https://x.org/1\nb,Ben,,\nc,Cleo,c@x.org,https://x.org/3\n"


@pytest.fixture
def roster(tmp_path):
    (tmp_path / "roster.csv").write_text(ROSTER)
    return read_roster(tmp_path / "roster.csv")


GRADER = np.array([0, 0, 2])
SHOWN = np.array(["QX37", "BBBB", "CCC3"], object)
ROWS = {"grader": np.array(["007", "007", "c"], object), "paper": SHOWN}
LINKED = ROWS | {"link": np.array(["", "https://x.org/3", "https://x.org/1"], object)}


def test_a_row_a_grader(roster):
    table = {name: list(column) for name, column in mail_merge_columns(roster, GRADER, LINKED).items()}
    assert table == {
        "grader": ["007", "c"],
        "name": ["Ada", "Cleo"],
        "email": ["a@x.org", "c@x.org"],
        "papers": ["QX37, BBBB", "CCC3"],
        "paper_1": ["QX37", "CCC3"],
        "paper_2": ["BBBB", ""],
        "link_1": ["", "https://x.org/1"],
        "link_2": ["https://x.org/3", ""],
    }


def test_what_is_new_stands_apart(roster):
    new = np.array([False, True, True])
    table = mail_merge_columns(roster, GRADER, ROWS, new=new)
    assert [*table] == ["grader", "name", "email", "papers", "new", "paper_1", "paper_2"]
    assert table["new"] == ["BBBB", "CCC3"]


def test_nobody_at_all(roster):
    nobody, nothing = np.zeros(0, np.int64), dict.fromkeys(ROWS, np.zeros(0, object))
    assert {
        name: len(column) for name, column in mail_merge_columns(roster, nobody, nothing, new=nobody > 0).items()
    } == {
        "grader": 0,
        "name": 0,
        "email": 0,
        "papers": 0,
        "new": 0,
    }
    assert all(len(column) == 0 for column in form_columns(nothing).values())


def test_where_the_form_goes(tmp_path):
    assert form_path(tmp_path / "a.b.xlsx") == tmp_path / "a.b-form.xlsx"


@pytest.mark.parametrize("name", ["form.csv", "form.xlsx", "form.parquet"])
def test_an_empty_form_is_read_as_nothing_judged(roster, tmp_path, name):
    codes = {"QX37": "b", "BBBB": "c", "CCC3": "007"}
    write_table(tmp_path / name, form_columns(LINKED, "top-up"))
    read = read_rankings(tmp_path / name, roster=roster, codes=codes)
    assert (len(read.profile), read.blank) == (0, ("007", "c"))


@pytest.mark.parametrize("name", ["form.csv", "form.xlsx"])
def test_a_form_comes_back_as_rankings_with_ties_and_gaps(tmp_path, name):
    (tmp_path / "roster.csv").write_text("student\n" + "\n".join("abcdef") + "\n")
    roster = read_roster(tmp_path / "roster.csv")
    rows = {"grader": np.array([*"aaaabb"], object), "paper": np.array([*"bcdeaf"], object)}
    write_table(tmp_path / name, form_columns(rows))
    sheet = read_sheet(tmp_path / name)
    filled = [
        {"grader": sheet["grader"][at], "paper": sheet["paper"][at], "rank": rank}
        for at, rank in enumerate([2, 1, 2, "", 7, 3])
    ]
    write_rows(tmp_path / "back.csv", ["grader", "paper", "rank"], filled)
    read = read_rankings(tmp_path / "back.csv", roster=roster)
    ballots = [[read.papers[p] for p in read.profile[b]] for b in range(2)]
    assert ballots == [["c", "b", "d"], ["f", "a"]]
    assert read.profile.tie_levels.tolist() == [0, 1, 1, 0, 1]


def test_names_of_forms_are_names_of_files_and_all_different():
    assert form_names(["0312045", "a/b", "A b", "a b", "..", "é@x.org"], ".csv") == [
        "form-0312045.csv",
        "form-a-b.csv",
        "form-A-b-2.csv",
        "form-a-b-3.csv",
        "form-grader.csv",
        "form-é@x.org.csv",
    ]
