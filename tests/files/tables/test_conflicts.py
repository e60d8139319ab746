import pytest

from peerorder.files import FileError, read_conflicts, read_roster


@pytest.fixture
def roster(file):
    return read_roster(file("student,paper\nann,p1\nbob,p2\ncarl,\n", "roster.csv"))


def test_pairs_by_the_numbers_of_the_roster(file, roster):
    conflicts = read_conflicts(file("paper,why,student\np2,x,ann\np1,x,carl\np2,y,ann\n"), roster)
    assert conflicts.pairs == ((0, 1), (2, 0))
    assert (conflicts.notes, conflicts.dropped) == ((), ())


def test_none(file, roster):
    assert read_conflicts(file("student,paper\n"), roster).pairs == ()


def test_everything_that_is_wrong_is_named_at_once(file, roster, complaints):
    path = file("student,paper\nann,p2\neve,p2\nann,p9\n,p1\nann,\neve,p9\n")
    name = roster.path
    expected = [
        (3, "student", f"eve is not on the roster {name}"),
        (4, "paper", f"nobody on the roster {name} wrote the paper p9"),
        (5, "student", "this cell is empty"),
        (6, "paper", "this cell is empty"),
        (7, "student", f"eve is not on the roster {name}"),
        (7, "paper", f"nobody on the roster {name} wrote the paper p9"),
    ]
    assert complaints(read_conflicts, path, roster) == expected
    lenient = read_conflicts(path, roster, lenient=True)
    assert lenient.pairs == ((0, 1),)
    assert [(problem.row, problem.column, problem.cause) for problem in lenient.dropped] == expected


def test_a_person_is_not_a_paper(file, roster):
    path = file("student,paper\nann,bob\nbob,carl\n")
    with pytest.raises(FileError) as caught:
        read_conflicts(path, roster)
    where = f"{path}, row %s, column paper: nobody on the roster {roster.path} wrote the paper %s"
    assert str(caught.value).splitlines() == [
        f"{where % (2, 'bob')} (bob wrote p2); correct the ID, or delete the row",
        f"{where % (3, 'carl')} (carl wrote nothing); correct the ID, or delete the row",
    ]


def test_zeros_that_a_spreadsheet_took_away(file, complaints):
    roster = read_roster(file("student\n012\n034\n", "roster.csv"))
    lost = "is: spreadsheets drop leading zeros"
    assert complaints(read_conflicts, file("student,paper\n12,34\n"), roster) == [
        (2, "student", f"12 is not on the roster {roster.path}, but 012 {lost}"),
        (2, "paper", f"nobody on the roster {roster.path} wrote the paper 34, but 034 {lost}"),
    ]


def test_columns_that_are_missing(file, roster, complaints):
    cause = "a file of conflicts needs the column paper, but this file has student"
    assert complaints(read_conflicts, file("student\nann\n"), roster) == [(None, None, cause)]
