from dataclasses import replace

import pytest

from peerorder.core.errors import InputError
from peerorder.reports.comparison import Comparison
from peerorder.reports.deviations import explanation

PLANES = Comparison("table1", 8, "rsd", 70.0, 0.3, 50, 72.8, 1.0, n=1026, scheme="planes")
NOISY = Comparison("table2", 8, "rsd", 76.0, 0.2, 50, 74.0, 1.5, noise=50)


def test_it_names_the_cell_the_difference_and_the_tolerance():
    text = explanation(PLANES)
    assert text.startswith(
        "k=8, n=1026, copies of the plane (girth 6), RSD: \N{MINUS SIGN}2.80 points where 1.00 are allowed."
    )


def test_the_papers_runs_are_taken_to_scatter_as_ours_do():
    # 50 runs on both sides: sqrt(2) * 0.3; 200 runs of ours: sqrt(1 + 4) * 0.3.
    assert "as ours do, that is 6.6 standard errors" in explanation(PLANES)
    assert "as ours do, that is 4.2 standard errors" in explanation(replace(PLANES, runs=200))


def test_what_is_not_from_the_paper_goes_by_its_own_standard_errors():
    size = Comparison("table1", 3, "borda", 84.0, 0.3, 50, 83.0, 0.4, n=10_000, against="table1", reference_stderr=0.4)
    text = explanation(size)
    assert "That is 2.0 standard errors" in text
    assert "as ours do" not in text


@pytest.mark.parametrize("stderr", [None, 0.0])
def test_without_a_standard_error_it_says_so(stderr):
    assert "A single run has no standard error" in explanation(replace(NOISY, stderr=stderr))


def test_few_runs_are_named_as_a_reason():
    assert "this one of 5." in explanation(replace(NOISY, runs=5))
    assert "this one of" not in explanation(NOISY)


@pytest.mark.parametrize(
    ("comparison", "reason"),
    [
        (PLANES, "No ballot joins two copies"),
        (replace(PLANES, scheme="complete"), "No ballot joins two copies"),
        (NOISY, "in which order RSD takes the pairs"),
        (replace(NOISY, rule="mc4"), "1000 steps"),
        (replace(PLANES, scheme="random"), None),
        (replace(NOISY, rule="borda"), None),
    ],
)
def test_what_the_paper_leaves_open_is_named_where_it_matters(comparison, reason):
    reasons = ["No ballot joins two copies", "in which order RSD takes the pairs", "1000 steps"]
    assert [text for text in reasons if text in explanation(comparison)] == [text for text in reasons if text == reason]


def test_nothing_to_compare_with_is_nothing_to_explain():
    with pytest.raises(InputError, match="no reference"):
        explanation(replace(NOISY, reference=None))
