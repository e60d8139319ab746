from peerorder.reports.calibration import promises_of_calibration
from peerorder.reports.reproduction import page, promises
from peerorder.studies.calibration_figures import figure_calibration
from peerorder.studies.figure_style import svg


def row(scenario="thurstone 1", n=200, k=8, inside=90.0, width=40.0, **others):
    flags = dict.fromkeys(("flagged_random", "flagged_reversed", "flagged_wrongly", "flagged_good"))
    usual = {"scenario": scenario, "n": n, "k": k, "inside": inside, "stderr": 0.5, "width": width}
    return {**usual, "reliability_inside": 93.0, **flags, "runs": 10, **others}


ROWS = [
    row(inside=84.9),
    row("perfect", inside=97.0, width=6.0, stderr=None),
    row("perfect", n=1000, inside=97.0, width=60.0),
    row("reversed", flagged_reversed=85.0),
    row("reversed", k=5, flagged_reversed=30.0),
    row("condorcet 50, independent", flagged_good=1.5),
    row("condorcet 30, independent", flagged_good=3.0),
]
BINS = [{"scenario": "perfect", "k": 8, "bin": 0.95, "stated": 0.985, "true": 1.0, "graders": 200}]


def test_intervals_may_hold_the_truth_more_often_where_they_are_a_few_places_wide():
    inside = promises_of_calibration(ROWS)[0]
    assert (inside.within, len(inside.cases)) == (5, 7)
    assert [case.where for case in inside.beyond] == ["thurstone 1, n = 200, k = 8", "perfect, n = 1000, k = 8"]


def test_reversed_graders_are_to_be_seen_through_at_k_8():
    reversed_ = promises_of_calibration(ROWS)[1]
    assert (reversed_.within, len(reversed_.cases)) == (1, 1)


def test_good_graders_are_to_be_left_in_peace_at_condorcet_50():
    good = promises_of_calibration(ROWS)[2]
    assert (good.within, len(good.cases)) == (0, 1)


def test_what_cannot_be_judged_is_not():
    assert len(promises_of_calibration([row()])) == 1
    assert promises_of_calibration([]) == []


def test_the_page_says_what_one_sees_with_figures_promises_and_numbers():
    figures = {"calibration": svg(figure_calibration(ROWS))}
    html = page({"calibration": ROWS, "reliability": BINS}, figures, {})
    assert "Calibration: error bars and graders to trust" in html
    assert "the true place in 84.9% of the cases (thurstone 1, n = 200, k = 8) to 97.0%" in html
    assert "on average 1.5 points from the true one" in html
    assert 'id="drawing-calibration"' in html
    assert "5 of 7" in html
    assert "reversed ones flagged" in html
    assert "84.9<span" in html
    # A study run without the other is shown without.
    assert "points from the true one" not in page({"calibration": ROWS}, {}, {})


def test_the_terminal_has_the_same_promises():
    assert promises({"calibration": ROWS}) == promises_of_calibration(ROWS)
    assert promises({}) == []
