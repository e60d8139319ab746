import pytest

from peerorder.core.errors import InputError
from peerorder.studies.calibration_figures import figure_calibration, figure_reliability, reliability_error
from peerorder.studies.figure_style import svg

ROWS = [
    {"scenario": name, "n": n, "k": k, "inside": inside + k + (n == 200), "stderr": stderr}
    for name, inside, stderr in (("careful", 83.5, 0.5), ("careless", 79.0, None))
    for n in (200, 1000)
    for k in (5, 8)
]
BINS = [
    {"scenario": name, "k": k, "bin": 0.05 * at, "stated": 0.05 * at + 0.02, "true": true, "graders": graders}
    for k in (5, 8)
    for name, at, true, graders in (("careful", 18, 0.93, 900), ("careless", 18, 0.82, 99), ("careless", 2, 0.02, 1))
]


def test_every_share_stands_on_the_line_of_its_scenario():
    axes = figure_calibration(ROWS).axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["careful", "careless"]
    points = {
        container.get_label(): sorted(zip(*(values.tolist() for values in container.lines[0].get_data()), strict=True))
        for container in axes.containers
    }
    assert set(points) == {f"n = {n}, k = {k}" for n in (200, 1000) for k in (5, 8)}
    for (x, y), (expected, line) in zip(points["n = 1000, k = 8"], [(87.0, 1), (91.5, 0)], strict=True):
        assert x == expected
        assert round(y) == line
    heights = [y for series in points.values() for _, y in series]
    assert len(set(heights)) == len(heights)


def test_the_wanted_range_is_shaded_and_everything_is_in_sight():
    axes = figure_calibration([*ROWS, {**ROWS[0], "inside": 61.0}]).axes[0]
    (band,) = axes.patches
    assert (band.get_x(), band.get_x() + band.get_width()) == (85.0, 95.0)
    low, high = axes.get_xlim()
    assert low < 61
    assert high >= 100


def test_the_text_alternative_says_what_is_in_range_and_the_extremes():
    drawing = svg(figure_calibration(ROWS))
    assert "7 of 8 are between 85% and 95%" in drawing
    assert "The lowest is 84.0% (careless, n = 1000, k = 5)" in drawing
    assert "the highest 92.5% (careful, n = 200, k = 8)" in drawing


def test_stated_against_true_with_the_diagonal():
    figure = figure_reliability(BINS)
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["k = 5", "k = 8"]
    for axes in figure.axes:
        (diagonal,) = axes.lines
        assert list(diagonal.get_xdata()) == list(diagonal.get_ydata()) == [0, 1]
        careful, careless = (part for part in axes.collections if len(part.get_offsets()))
        assert careful.get_offsets().tolist() == [pytest.approx([0.92, 0.93])]
        assert len(careless.get_offsets()) == 2
        # The more graders, the larger the mark.
        assert careful.get_sizes()[0] > careless.get_sizes()[0] > careless.get_sizes()[1]
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["careful", "careless"]
    assert "they differ by 1.9 points at k = 5, 1.9 points at k = 8" in svg(figure)


def test_astray_is_weighted_by_graders():
    assert reliability_error(BINS[:2]) == pytest.approx((900 * 1 + 99 * 10) / 999)


@pytest.mark.parametrize("draw", [figure_calibration, figure_reliability])
def test_rows_that_are_not_there_are_an_error(draw):
    with pytest.raises(InputError, match="nothing to draw"):
        draw([])
    with pytest.raises(InputError, match="lacks the column"):
        draw([{"scenario": "careful"}])
