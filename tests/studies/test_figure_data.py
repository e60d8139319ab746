import pytest

from peerorder.core.errors import InputError
from peerorder.studies.figure_data import check_rows, curve, law_line, noise_name, run_pairs, spread, spread_name
from peerorder.studies.figures import figure2, figure3, figure_table2


def test_checked_lists_the_rules_in_order_of_appearance():
    assert check_rows([{"rule": "rsd"}, {"rule": "borda"}, {"rule": "rsd"}], "x", ("rule",)) == ["rsd", "borda"]
    with pytest.raises(InputError, match="x lacks the column k; it needs rule, k"):
        check_rows([{"rule": "rsd", "k": 2}, {"rule": "borda"}], "x", ("rule", "k"))


def test_curve_sorts_by_size_and_reads_a_missing_standard_error_as_none_at_all():
    rows = [
        {"k": 3, "rule": "borda", "recovered": 83.0, "stderr": None},
        {"k": 2, "rule": "borda", "recovered": 73.0, "stderr": 0.1},
        {"k": 2, "rule": "rsd", "recovered": 62.0, "stderr": 0.2},
    ]
    assert [column.tolist() for column in curve(rows, "borda")] == [[2, 3], [73, 83], [0.1, 0]]


def test_law_line_is_sorted_empty_without_a_law_and_in_percent():
    assert law_line({3: 82.9, 2: 73.3}).tolist() == [[2, 73.3], [3, 82.9]]
    assert law_line(None).shape == law_line({}).shape == (0, 2)
    with pytest.raises(InputError, match="fraction"):
        law_line({2: 0.733})


def test_run_pairs_match_by_run_and_not_by_position():
    rows = [
        {"noise": 0, "run": 1, "rule": "rsd", "recovered": 4.0},
        {"noise": 0, "run": 0, "rule": "rsd", "recovered": 3.0},
        {"noise": 0, "run": 0, "rule": "borda", "recovered": 1.0},
        {"noise": 0, "run": 1, "rule": "borda", "recovered": 2.0},
        {"noise": 0, "run": 2, "rule": "borda", "recovered": 9.0},
        {"noise": 50, "run": 0, "rule": "borda", "recovered": 8.0},
    ]
    assert run_pairs(rows, 0).tolist() == [[1, 3], [2, 4]]
    assert run_pairs(rows, 50).shape == (0, 2)


def test_spread_of_one_run_has_no_deviation():
    assert spread([94.0]) == (94.0, None)
    assert spread([1.0, 3.0]) == (2.0, pytest.approx(2**0.5))
    assert spread_name(94.0, None) == "94.00"
    assert spread_name(94.0, 0.256) == "94.00 ± 0.26"


def test_noise_name():
    assert noise_name(50) == "Noise level 50%"
    assert noise_name(0) == "Perfect grading"


def rows2(borda, rsd):
    return [
        {"k": k, "rule": rule, "recovered": y, "stderr": None}
        for rule, values in (("borda", borda), ("rsd", rsd))
        for k, y in values.items()
    ]


def test_figure_2_in_words():
    text = figure2(rows2({2: 73.5, 4: 87.0, 8: 94.1}, {2: 62.7, 4: 86.8, 8: 97.2}), {2: 73.3, 4: 87.6}).get_label()
    assert "Borda goes from 73.5 at k=2 to 94.1 at k=8." in text
    assert "RSD goes from 62.7 at k=2 to 97.2 at k=8." in text
    assert "RSD is ahead of Borda from k=8 on." in text
    assert "at most 0.60 points" in text


@pytest.mark.parametrize(
    ("rsd", "ahead"), [({2: 60.0, 4: 60.0}, None), ({2: 99.0, 4: 99.0}, "k=2"), ({2: 99.0, 4: 60.0}, None)]
)
def test_figure_2_in_words_says_from_where_on_rsd_leads(rsd, ahead):
    text = figure2(rows2({2: 73.5, 4: 87.0}, rsd)).get_label()
    assert ("is ahead" in text) == (ahead is not None)
    assert ahead is None or f"from {ahead} on" in text


def test_figure_2_in_words_is_silent_about_a_law_for_other_sizes():
    assert "law" not in figure2(rows2({2: 73.5}, {2: 62.0}), {9: 95.0}).get_label()


def test_figure_3_in_words():
    rows = [
        {"noise": 50, "run": run, "rule": rule, "recovered": recovered}
        for rule, values in (("borda", [88.0, 90.0]), ("rsd", [74.0, 91.0]))
        for run, recovered in enumerate(values)
    ]
    text = figure3(rows).get_label()
    assert "Noise level 50%, 2 runs: Borda 89.00 ± 1.41, RSD 82.50 ± 12.02" in text
    assert "RSD is ahead in 1 of these." in text


def test_table_2_in_words():
    rows = [
        {"k": 5, "noise": 50, "rule": "borda", "recovered": 81.5, "paper": 81.6},
        {"k": 5, "noise": 0, "rule": "borda", "recovered": 90.1, "paper": 90.4},
        {"k": 8, "noise": 50, "rule": "rsd", "recovered": 74.2, "paper": None},
    ]
    text = figure_table2(rows).get_label()
    assert "k=5, Borda: 90.1 at noise 0%, 81.5 at noise 50%." in text
    assert "k=8, RSD: 74.2 at noise 50%, 74.2 at noise 50%." in text
    assert "k=8, Borda" not in text
    assert "The article's 2 numbers lie at most 0.3 points away." in text
