import numpy as np
import pytest

from peerorder.core.randomness import child
from peerorder.studies import Cell, Run
from peerorder.studies.anchoring import CHOICES, SHAPES, anchoring, measure, true_marks

RUNS = 4


@pytest.fixture(scope="module")
def runs():
    (cell,) = anchoring().cells
    return [measure(Run("anchoring", cell, number, seed=0)) for number in range(RUNS)]


def mean(runs, choice, what):
    return np.mean([run[f"{shape}/{choice}/{what}"] for run in runs for shape in SHAPES])


def test_the_study_is_the_class_of_the_issue():
    (cell,) = anchoring().cells
    assert (cell.n, cell.k, cell.noise, cell.rules) == (300, 6, "condorcet:level=30", ("posterior",))


@pytest.mark.slow
@pytest.mark.parametrize("choice", CHOICES)
def test_ten_anchors_are_at_most_half_as_bad_again_as_with_the_true_order(runs, choice):
    assert mean(runs, choice, "error") <= 1.5 * mean(runs, choice, "known")
    for shape in SHAPES:
        error, known = (np.mean([run[f"{shape}/{choice}/{what}"] for run in runs]) for what in ("error", "known"))
        assert error <= 1.7 * known, shape


def test_intervals_hold_the_true_marks_in_nine_cases_of_ten(runs):
    for choice in CHOICES:
        assert 87 <= mean(runs, choice, "inside") <= 98
    # Not because they hold everything.
    assert mean(runs, "chosen", "width") < 30


def test_chosen_anchors_are_no_worse_than_others(runs):
    assert mean(runs, "chosen", "error") < mean(runs, "random", "error") + 0.2
    assert mean(runs, "chosen", "error") < mean(runs, "evenly", "error") + 0.2


@pytest.mark.parametrize("shape", SHAPES)
def test_true_marks_fall_with_the_place(shape):
    truth = child(0).permutation(50)
    marks = true_marks(shape, truth, child(1))
    assert (np.diff(marks[np.argsort(truth)]) <= 0).all()
    assert ((marks >= 0) & (marks <= 100)).all()
    assert np.ptp(marks) > 20


def test_runs_become_rows(runs):
    made = anchoring()
    rows = made.rows({made.cells[0]: runs})
    assert len(rows) == len(SHAPES) * len(CHOICES)
    assert tuple(rows[0]) == made.columns
    first = rows[0]
    assert first["error"] == pytest.approx(np.mean([run["bell curve/chosen/error"] for run in runs]), abs=1e-3)
    assert first["ratio"] == pytest.approx(first["error"] / first["known"], abs=1e-3)


def test_a_rule_without_intervals_cannot_be_measured():
    from peerorder.core.errors import InputError

    with pytest.raises(InputError, match="borda gives no intervals"):
        measure(Run("anchoring", Cell("random", 30, 5, "perfect", ("borda",)), 0, 0))
