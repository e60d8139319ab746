import pytest

from peerorder.core.errors import InputError
from peerorder.studies.collusion_figure import figure_collusion
from peerorder.studies.figure_style import svg

ROWS = [
    {"k": k, "rule": rule, "gained": gained + k, "stderr": stderr, "runs": 2}
    for k in (5, 8)
    for rule, gained, stderr in (("borda", 20.0, 1.5), ("rsd", 3.0, None))
]


def test_every_gain_stands_on_the_line_of_its_rule_the_least_on_top():
    axes = figure_collusion(ROWS).axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["RSD", "Borda"]
    assert axes.yaxis_inverted()
    points = {
        container.get_label(): sorted((x, round(y)) for x, y in zip(*container.lines[0].get_data(), strict=True))
        for container in axes.containers
    }
    assert points == {"k = 5": [(8.0, 0), (25.0, 1)], "k = 8": [(11.0, 0), (28.0, 1)]}


def test_the_text_alternative_says_where_a_team_gains_least_and_most():
    drawing = svg(figure_collusion(ROWS))
    assert "At k = 8 it is least under rsd with 11.0 and most under borda with 28.0." in drawing


def test_a_rule_that_lacks_a_size_is_still_shown():
    assert len(figure_collusion(ROWS[:3]).axes[0].get_yticklabels()) == 2


def test_no_rows_are_an_error():
    with pytest.raises(InputError, match="nothing to draw"):
        figure_collusion([])
