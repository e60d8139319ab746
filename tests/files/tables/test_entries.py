import pytest

from peerorder.files.tables.entries import is_of_rankings


@pytest.mark.parametrize(
    "name",
    [
        "grader",
        "paper",
        "rank",
        "ballot",
        "1",
        "01",
        "12",
        "place 1",
        "rank_2",
        "rank-3",
        "place4",
        "1st",
        "2nd",
        "3rd",
        "4th",
        "5.",
    ],
)
def test_columns_that_say_something_about_rankings(name):
    assert is_of_rankings(name)


@pytest.mark.parametrize(
    "name", ["comment", "student", "ranks", "1.5", "-", "place", "-1x", "q1", "eleventh", "\uff11"]
)
def test_columns_that_do_not(name):
    assert not is_of_rankings(name)
