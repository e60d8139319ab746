from hashlib import sha256

import pytest

from peerorder.core.errors import InputError
from peerorder.files import FileError, read_exercise
from peerorder.files.tables.exercises import exercise_files, half_of

HEAD = "# FILE NAME: made-up\n# MODIFICATION TYPE: original\n# NUMBER ALTERNATIVES: 3\n# ALTERNATIVE NAME 1: Ann\n"


def write(folder, name, text):
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def test_strict_orders_become_a_ballot_for_every_voter(tmp_path):
    exercise = read_exercise(write(tmp_path, "made.soc", HEAD + "2: 3,1,2\n1: 1,2,3\n"))
    assert (exercise.name, exercise.kind) == ("made", "lists")
    assert [exercise.profile[ballot].tolist() for ballot in range(3)] == [[2, 0, 1], [2, 0, 1], [0, 1, 2]]
    assert exercise.profile.grader.tolist() == [0, 1, 2]
    assert exercise.profile.strict


def test_ties_of_orders_stay_ties(tmp_path):
    profile = read_exercise(write(tmp_path, "made.TOC", HEAD + "1: 2,{1,3}\n")).profile
    assert profile[0].tolist() == [1, 0, 2]
    assert profile.tie_levels.tolist() == [0, 1, 1]


def test_orders_that_were_completed_later_are_not_what_people_said(tmp_path):
    assert read_exercise(write(tmp_path, "made.toc", HEAD.replace("original", "imbued") + "1: 2,{1,3}\n")) is None


@pytest.mark.parametrize(
    ("order", "message"),
    [
        ("1: 3,1\n", r"made\.soc, line 5: this order does not list each of the 3 alternatives once, .*; download"),
        ("1: 3,1,1\n", "line 5: this order does not list each"),
        ("1: 3,1,4\n", r"made\.soc, line 5: there is no alternative 4 of 3; download"),
        ("one: 3,1,2\n", r"made\.soc, line 5: 'one: 3,1,2' is not an order such as .*, so download"),
        ("1: 3,{1,2\n", "line 5: '1: 3,{1,2' is not an order"),
    ],
)
def test_a_malformed_file_is_one_line(tmp_path, order, message):
    with pytest.raises(InputError, match=message) as error:
        read_exercise(write(tmp_path, "made.soc", HEAD + order))
    assert "\n" not in str(error.value)


def test_decisions_and_rankings_are_told_apart_by_their_columns(tmp_path):
    decisions = "judge,candidate_chosen,candidate_not_chosen\nann,A,B\n"
    rankings = "grader,paper,rank\nann,x,1\nann,y,2\nbob,y,1\nbob,x,1\n"
    assert read_exercise(write(tmp_path, "a.csv", decisions)).kind == "pairs"
    lists = read_exercise(write(tmp_path, "b.csv", rankings))
    assert lists.kind == "lists"
    assert lists.profile.tie_levels.tolist() == [0, 1, 0, 0]
    assert read_exercise(write(tmp_path, "c.csv", "name,mark\nann,3\n")) is None
    assert read_exercise(write(tmp_path, "d.csv", "")) is None


def test_bad_rankings_name_the_row(tmp_path):
    path = write(tmp_path, "b.csv", "grader,paper,rank\nann,x,good\n")
    with pytest.raises(FileError, match="row 2, column rank"):
        read_exercise(path)


def test_halves_follow_the_parity_of_the_hash_of_the_name():
    names = [f"exercise {i}" for i in range(200)]
    for name in names:
        even = int(sha256(name.encode()).hexdigest(), 16) % 2 == 0
        assert half_of(name) == ("tuning" if even else "held-out")
    assert 70 < sum(half_of(name) == "tuning" for name in names) < 130


def test_folders_are_searched_and_names_are_unique(tmp_path):
    (tmp_path / "inner").mkdir()
    one = write(tmp_path, "one.csv", "")
    two = write(tmp_path / "inner", "two.soc", "")
    write(tmp_path, "notes.txt", "")
    (tmp_path / "folder.csv").mkdir()
    assert exercise_files(tmp_path) == {"one": one, "two": two}
    write(tmp_path / "inner", "one.toc", "")
    with pytest.raises(InputError, match=r"one\.csv would have the same name; rename one"):
        exercise_files(tmp_path)
