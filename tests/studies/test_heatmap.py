import pytest

from peerorder.core.errors import InputError
from peerorder.studies.figure_style import svg
from peerorder.studies.heatmap import figure_robustness

ROWS = [
    {"scenario": scenario, "k": k, "rule": rule, "recovered": 80 + k + shift, "stderr": 0.1, "runs": 2}
    for k in (5, 8)
    for scenario, shifts in (("careful", {"borda": 2.0, "rsd": 3.25}), ("careless", {"borda": 1.0, "rsd": -9.5}))
    for rule, shift in shifts.items()
]


def test_every_number_stands_in_its_cell():
    figure = figure_robustness(ROWS)
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["k = 5", "k = 8"]
    for axes, k in zip(figure.axes, (5, 8), strict=True):
        cells = {(text.get_position()[1], text.get_position()[0]): text.get_text() for text in axes.texts}
        assert cells == {
            (0.5, 0.5): f"{82 + k:.1f}",
            (0.5, 1.5): f"{83.25 + k:.1f}",
            (1.5, 0.5): f"{81 + k:.1f}",
            (1.5, 1.5): f"{70.5 + k:.1f}",
        }
        assert [label.get_text() for label in axes.get_yticklabels()] == ["careful", "careless"]
        assert [label.get_text() for label in axes.get_xticklabels()] == ["Borda", "RSD"]


def test_the_best_of_a_row_is_bold_and_the_darkest():
    axes = figure_robustness(ROWS).axes[0]
    bold = {text.get_text() for text in axes.texts if text.get_fontweight() == "bold"}
    assert bold == {"88.2", "86.0"}
    near = axes.collections[0].get_array().reshape(2, 2)
    assert near[0].tolist() == pytest.approx([0.75, 1.0])
    assert near[1].tolist() == pytest.approx([1.0, 0.0])


def test_a_missing_cell_stays_empty():
    axes = figure_robustness(ROWS[1:]).axes[0]
    assert len(axes.texts) == 3


def test_complete_lists_have_the_last_panel_with_their_own_scenarios_alone():
    lists = [
        {"scenario": f"complete lists, {name}", "k": 6, "rule": "borda", "recovered": 90.0, "stderr": 0.1, "runs": 20}
        for name in ("condorcet 30, independent", "thurstone 1", "tastes")
    ]
    figure = figure_robustness([*lists, *ROWS])
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["k = 5", "k = 8", "k = 6, complete lists"]
    labels = [[label.get_text() for label in axes.get_yticklabels()] for axes in figure.axes]
    assert labels == [["careful", "careless"]] * 2 + [["condorcet 30, independent", "thurstone 1", "tastes"]]
    heights = [axes.get_gridspec().get_height_ratios() for axes in figure.axes]
    assert heights[0] == [2, 2, 3]
    assert "At k = 6 the best rule is borda in 3 of 3 scenarios." in svg(figure)


def test_the_text_alternative_says_who_leads():
    drawing = svg(figure_robustness(ROWS))
    assert "At k = 5 the best rule is rsd in 1, borda in 1 of 2 scenarios." in drawing


def test_no_rows_are_an_error():
    with pytest.raises(InputError, match="nothing to draw"):
        figure_robustness([])
