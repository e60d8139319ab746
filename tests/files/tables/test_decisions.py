import pytest

from peerorder.core.errors import InputError
from peerorder.files.tables.decisions import read_decisions

TEXT = "judge,candidate_chosen,candidate_not_chosen\nann,A,B\nbob,B,C\nann,C,A\n"


def written(tmp_path, text, encoding="utf-8"):
    path = tmp_path / "session.csv"
    path.write_bytes(text.encode(encoding))
    return path


def test_decisions_are_ballots_numbered_as_they_appear(tmp_path):
    profile = read_decisions(written(tmp_path, TEXT))
    assert profile.grader.tolist() == [0, 1, 0]
    assert profile.papers.reshape(-1, 2).tolist() == [[0, 1], [1, 2], [2, 0]]
    assert profile.n_papers == 3
    assert profile.n_graders == 2


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_other_columns_any_order_spaces_and_a_byte_order_mark_are_fine(tmp_path, encoding):
    text = "time,candidate_not_chosen,judge,candidate_chosen\n3, B ,ann, A\n4,A,ann,B\n"
    profile = read_decisions(written(tmp_path, text, encoding))
    assert profile.papers.reshape(-1, 2).tolist() == [[0, 1], [1, 0]]


def test_rows_that_say_nothing_are_left_out(tmp_path):
    assert len(read_decisions(written(tmp_path, TEXT + "ann,A,A\n,A,B\nbob,A,\nbob,A\n"))) == 3
    assert len(read_decisions(written(tmp_path, TEXT.splitlines()[0]))) == 0


def test_a_file_without_the_columns_holds_no_decisions(tmp_path):
    assert read_decisions(written(tmp_path, "name,mark\nann,3\n")) is None
    assert read_decisions(written(tmp_path, "")) is None


def test_a_file_that_is_no_text_is_bad_input(tmp_path):
    path = tmp_path / "session.csv"
    path.write_bytes(b"judge,candidate_chosen,candidate_not_chosen\n\xff\xfe,A,B\n")
    with pytest.raises(InputError, match=r"session\.csv: cannot be read"):
        read_decisions(path)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        read_decisions(tmp_path / "none.csv")
