import numpy as np
import pytest

from peerorder.reports.instructor.text import from_to, moved, ordinal, some
from peerorder.reports.table_cells import table


def test_ordinals_and_intervals():
    assert [ordinal(at) for at in (1, 2, 3, 4, 11, 12, 13, 21, 111, 1002)] == (
        ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "111th", "1,002nd"]
    )
    assert from_to(3, 3) == "3"
    assert from_to(3, 1200) == "3 to 1,200"


@pytest.mark.parametrize(
    ("places", "said"),
    [(0, "no change"), (0.01, "hardly"), (-0.04, "hardly"), (2, "up 2"), (-2.34, "down 2.3"), (10.0, "up 10")],
)
def test_what_moved(places, said):
    assert moved(places) == said


def test_long_lists_of_names_are_cut():
    names = [f"p{at}" for at in range(9)]
    assert some(names, np.array([3, 1]), 2) == "p3, p1"
    assert some(names, np.arange(9), 2) == "p0, p1 and 7 more"


def test_tables_escape_and_put_numbers_to_the_right():
    text = table("C", ("A", "B"), [("<x>", "1")], numbers=(1,))
    assert "&lt;x&gt;" in text
    assert '<td class="number">1</td>' in text
    assert '<th scope="col" class="number">B</th>' in text
