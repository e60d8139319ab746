import pytest

from peerorder import InputError, rank, read_preflib
from peerorder.api.ballots import as_ballots

HEAD = """# FILE NAME: made-up.toi
# TITLE: Made up
# NUMBER ALTERNATIVES: 4
# NUMBER VOTERS: 6
# NUMBER UNIQUE ORDERS: 3
# ALTERNATIVE NAME 1: Ann
# ALTERNATIVE NAME 2: Bob
# ALTERNATIVE NAME 3: Eve
# ALTERNATIVE NAME 4: Zoë, the last
"""


@pytest.fixture
def write(tmp_path):
    def write(text, name="made-up.toi"):
        file = tmp_path / name
        file.write_text(text, "utf-8")
        return file

    return write


ZOE = "Zoë, the last"


def test_orders_with_voters_and_ties(write):
    file = write(HEAD + "3: 1,2,3,4\n2: {2, 3},1\n1: 4\n")
    each = [["Ann", "Bob", "Eve", ZOE]] * 3 + [[("Bob", "Eve"), "Ann"]] * 2 + [[ZOE]]
    assert read_preflib(file) == as_ballots(each)
    assert read_preflib(str(file), weighted=True) == as_ballots([each[0], each[3], each[5]], [3, 2, 1])
    assert rank(read_preflib(file, weighted=True), "borda").scores == rank(read_preflib(file), "borda").scores


def test_a_complete_strict_file(write):
    assert read_preflib(write(HEAD + "1: 4,3,2,1\n", "a.SOC")) == as_ballots([[ZOE, "Eve", "Bob", "Ann"]])


def test_alternatives_of_one_name_keep_their_numbers(write):
    twice = HEAD.replace("Bob", "Ann")
    assert read_preflib(write(twice + "2: 1,2\n")).items == (1, 2, 3, 4)
    unnamed = "# NUMBER ALTERNATIVES: 2\n1: 1,2\n"
    assert read_preflib(write(unnamed)).items == (1, 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("4\n1,Ann\n2,Bob\n6,6,3\n3,1,2\n", "made-up.toi, line 1: '4' is not an order such as"),
        (HEAD + "3: 1;2\n", "made-up.toi, line 10: '3: 1;2' is not an order"),
        (HEAD + "3: 1,{2\n", "line 10"),
        (HEAD + "3: 1,5\n", "line 10: there is no alternative 5 of 4"),
        (HEAD + "3: 1,2,1\n", "ballot 0 has 'Ann' twice"),
        (HEAD, "there are no ballots"),
    ],
)
def test_what_is_no_file_of_orders(write, text, message):
    with pytest.raises(InputError, match=message):
        read_preflib(write(text))


def test_files_that_cannot_be_read(write, tmp_path):
    with pytest.raises(InputError, match="file not found"):
        read_preflib(tmp_path / "none.soc")
    with pytest.raises(InputError, match=r"must end in \.soc, "):
        read_preflib(write(HEAD, "a.csv"))
    (tmp_path / "b.soi").write_bytes(b"\xff\xfe\xfa")
    with pytest.raises(InputError, match="cannot be read as text"):
        read_preflib(tmp_path / "b.soi")
