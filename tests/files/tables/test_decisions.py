import numpy as np
import pytest

from peerorder.core.errors import InputError
from peerorder.files import read_session

TEXT = "judge,candidate_chosen,candidate_not_chosen\nann,A,B\nbob,B,C\nann,C,A\n"


def written(tmp_path, text, encoding="utf-8"):
    path = tmp_path / "session.csv"
    path.write_bytes(text.encode(encoding))
    return path


def test_decisions_are_numbered_as_they_appear(tmp_path):
    session = read_session(written(tmp_path, TEXT))
    assert session.name == "session"
    assert session.candidates == ("A", "B", "C")
    assert session.judges == ("ann", "bob")
    assert session.judge.tolist() == [0, 1, 0]
    assert session.chosen.tolist() == [0, 1, 2]
    assert session.other.tolist() == [1, 2, 0]
    assert len(session) == 3
    assert session.skipped == 0


def test_some_decisions_make_a_profile(tmp_path):
    profile = read_session(written(tmp_path, TEXT)).profile(np.array([2, 1]))
    assert profile.papers.tolist() == [2, 0, 1, 2]
    assert profile.grader.tolist() == [0, 1]
    assert profile.n_papers == 3
    assert profile.n_graders == 2


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_other_columns_any_order_spaces_and_a_byte_order_mark_are_fine(tmp_path, encoding):
    text = "time,candidate_not_chosen,judge,candidate_chosen\n3, B ,ann, A\n"
    session = read_session(written(tmp_path, text, encoding))
    assert session.candidates == ("A", "B")


def test_rows_that_say_nothing_are_counted_and_left_out(tmp_path):
    session = read_session(written(tmp_path, TEXT + "ann,A,A\n,A,B\nbob,A,\nbob,A\n"))
    assert len(session) == 3
    assert session.skipped == 4


def test_a_file_without_the_columns_is_no_session(tmp_path):
    assert read_session(written(tmp_path, "name,mark\nann,3\n")) is None
    assert read_session(written(tmp_path, "")) is None


def test_a_file_that_is_no_text_is_bad_input(tmp_path):
    path = tmp_path / "session.csv"
    path.write_bytes(b"judge,candidate_chosen,candidate_not_chosen\n\xff\xfe,A,B\n")
    with pytest.raises(InputError, match=r"session\.csv: cannot be read"):
        read_session(path)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        read_session(tmp_path / "none.csv")
