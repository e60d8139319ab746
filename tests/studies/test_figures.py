import statistics

import numpy as np
import pytest

from peerorder.core.errors import InputError
from peerorder.core.randomness import child
from peerorder.studies.figures import figure2, figure3, figure_table2

LAW = {2: 73.33, 3: 82.95, 4: 87.59, 5: 90.27, 8: 94.12}


def curve_rows(stderr=0.25):
    values = {"borda": [73.4, 83.1, 87.4, 90.3, 94.2], "rsd": [62.7, 77.2, 86.8, 92.0, 97.2]}
    rows = [
        {"k": k, "rule": rule, "recovered": recovered, "stderr": stderr, "runs": 50}
        for rule, numbers in values.items()
        for k, recovered in zip(LAW, numbers, strict=True)
    ]
    return [rows[at] for at in child(0, "figure2 rows").permutation(len(rows))]


def run_rows(runs=40):
    rng = child(0, "figure3 rows")
    middles = {(0, "borda"): 94, (0, "rsd"): 97, (50, "borda"): 88, (50, "rsd"): 74}
    return [
        {"noise": noise, "run": run, "rule": rule, "recovered": round(float(rng.normal(middle, 0.5)), 4)}
        for (noise, rule), middle in middles.items()
        for run in range(runs)
    ]


def table_rows():
    """Two sizes; for the larger one the paper prints nothing from noise 30 on, and nothing ever for mc4-restart."""
    rows = []
    for k in (5, 12):
        for noise in (0, 10, 20, 30, 40, 50):
            for at, rule in enumerate(("borda", "rsd", "mc4", "mc4-restart")):
                recovered = 70 + k + at + (50 - noise) / 10
                unprinted = rule == "mc4-restart" or (k == 12 and noise >= 30)
                paper = None if unprinted else round(recovered + 0.3, 1)
                rows.append({"k": k, "noise": noise, "rule": rule, "recovered": recovered, "paper": paper})
    return rows


def errorbars(axes):
    """What each labelled error bar of the axes shows: points and the ends of its bars."""
    found = {}
    for container in axes.containers:
        points, _, (bars,) = container.lines
        found[container.get_label()] = (points.get_xydata(), np.array(bars.get_segments()))
    return found


def lines(axes):
    return {line.get_label(): line.get_xydata() for line in axes.lines}


def test_figure_2_shows_every_point_with_two_standard_errors_either_way():
    rows = curve_rows()
    left, right = figure2(rows, LAW).axes
    for rule, label in (("borda", "Borda, simulated"), ("rsd", "RSD, simulated")):
        given = sorted((row["k"], row["recovered"]) for row in rows if row["rule"] == rule)
        points, bars = errorbars(left)[label]
        assert points.tolist() == [list(pair) for pair in given]
        assert bars == pytest.approx(np.array([[(k, y - 0.5), (k, y + 0.5)] for k, y in given]))
        points, bars = errorbars(right)[label]
        assert points == pytest.approx(np.array([(k, 100 - y) for k, y in given]))
        assert bars == pytest.approx(np.array([[(k, 99.5 - y), (k, 100.5 - y)] for k, y in given]))
    assert (right.get_xscale(), right.get_yscale()) == ("log", "log")


def test_figure_2_draws_the_law_as_a_line():
    left, right = figure2(curve_rows(), LAW).axes
    assert lines(left)["Borda, exact law"].tolist() == [list(pair) for pair in LAW.items()]
    assert lines(right)["Borda, exact law"] == pytest.approx(np.array([(k, 100 - y) for k, y in LAW.items()]))
    assert [text.get_text() for text in left.get_legend().get_texts()] == [
        "Borda, exact law",
        "Borda, simulated",
        "RSD, simulated",
    ]


def test_figure_2_without_a_law_has_no_line():
    figure = figure2(curve_rows(), None)
    assert all("Borda, exact law" not in lines(axes) for axes in figure.axes)
    assert "law" not in figure.get_label()


def test_figure_2_refuses_a_law_in_fractions():
    with pytest.raises(InputError, match="percent"):
        figure2(curve_rows(), {k: y / 100 for k, y in LAW.items()})


def test_figure_2_guides_have_the_slopes_of_the_paper():
    right = figure2(curve_rows(), LAW).axes[1]
    guides = [line.get_xydata() for line in right.lines if line.get_linestyle() == "--"]
    slopes = [np.diff(np.log(y))[0] / np.diff(np.log(x))[0] for x, y in (guide.T for guide in guides)]
    assert slopes == pytest.approx([-1, -2])


def test_figure_2_of_single_runs_has_bars_of_no_length():
    left = figure2(curve_rows(stderr=None), LAW).axes[0]
    _, bars = errorbars(left)["Borda, simulated"]
    assert (bars[:, 0] == bars[:, 1]).all()


def test_figure_2_leaves_a_perfect_recovery_out_of_the_logarithmic_panel():
    rows = [{**row, "recovered": 100.0} if (row["k"], row["rule"]) == (8, "rsd") else row for row in curve_rows()]
    left, right = figure2(rows, LAW).axes
    assert len(errorbars(left)["RSD, simulated"][0]) == 5
    assert errorbars(right)["RSD, simulated"][0][:, 0].tolist() == [2, 3, 4, 5]


@pytest.mark.parametrize("rule", ["borda", "rsd"])
def test_figure_2_of_one_rule_and_one_size(rule):
    rows = [row for row in curve_rows() if row["rule"] == rule and row["k"] == 4]
    left, _ = figure2(rows).axes
    assert len(errorbars(left)) == 1


def test_figure_3_shows_every_run_on_equal_scales_with_the_diagonal():
    rows = run_rows()
    figure = figure3(rows)
    assert [axes.get_title("left") for axes in figure.axes] == ["(a) Noise level 50%", "(b) Perfect grading"]
    for axes, noise in zip(figure.axes, (50, 0), strict=True):
        given = {(row["rule"], row["run"]): row["recovered"] for row in rows if row["noise"] == noise}
        expected = [[given["borda", run], given["rsd", run]] for run in range(40)]
        assert axes.collections[0].get_offsets().tolist() == expected
        assert axes.get_xlim() == axes.get_ylim()
        assert axes.get_aspect() == 1
        diagonal = axes.lines[0].get_xydata()
        assert (diagonal[:, 0] == diagonal[:, 1]).all()
        assert tuple(diagonal[:, 0]) == axes.get_xlim()


def test_figure_3_states_means_and_standard_deviations():
    rows = run_rows()
    for axes, noise in zip(figure3(rows).axes, (50, 0), strict=True):
        stated = axes.texts[0].get_text()
        assert stated.startswith("40 runs")
        for rule, label in (("borda", "Borda"), ("rsd", "RSD")):
            values = [row["recovered"] for row in rows if (row["noise"], row["rule"]) == (noise, rule)]
            assert f"{label} {statistics.mean(values):.2f} ± {statistics.stdev(values):.2f}" in stated


def test_figure_3_leaves_out_runs_that_lack_one_of_the_two():
    rows = [row for row in run_rows() if (row["run"], row["rule"]) != (7, "rsd")]
    assert [len(axes.collections[0].get_offsets()) for axes in figure3(rows).axes] == [39, 39]


def test_figure_3_of_one_run_at_one_level_states_no_deviation():
    rows = [row for row in run_rows() if row["run"] == 0 and row["noise"] == 0]
    (axes,) = figure3(rows).axes
    assert axes.texts[0].get_text().startswith("1 run\n")
    assert "±" not in axes.texts[0].get_text()


def test_figure_3_without_a_pair_of_runs_is_an_error():
    with pytest.raises(InputError, match="both borda and rsd"):
        figure3([row for row in run_rows() if row["rule"] == "rsd"])


def test_the_figure_of_table_2_shows_ours_as_lines_and_the_paper_as_open_markers():
    rows = table_rows()
    figure = figure_table2(rows)
    assert [axes.get_title("left") for axes in figure.axes] == ["k = 5", "k = 12"]
    for axes, k in zip(figure.axes, (5, 12), strict=True):
        drawn = [line for line in axes.lines if len(line.get_xydata())]
        ours = {line.get_label(): line for line in drawn if line.get_linestyle() == "-"}
        opened = {line.get_marker(): line for line in drawn if line.get_markerfacecolor() == "none"}
        for rule, label in (("borda", "Borda"), ("rsd", "RSD"), ("mc4", "MC4"), ("mc4-restart", "MC4 with restart")):
            cells = sorted((r["noise"], r["recovered"], r["paper"]) for r in rows if (r["k"], r["rule"]) == (k, rule))
            assert ours[label].get_xydata().tolist() == [[noise, y] for noise, y, _ in cells]
            printed = [[noise, paper] for noise, _, paper in cells if paper is not None]
            marker = ours[label].get_marker()
            assert (opened[marker].get_xydata().tolist() if printed else []) == printed
            assert (marker in opened) == bool(printed)


def test_the_figure_of_table_2_shades_what_the_paper_does_not_print():
    first, second = figure_table2(table_rows()).axes
    assert not first.patches
    (area,) = second.patches
    assert (area.get_x(), area.get_x() + area.get_width()) == (25, 55)
    assert [text.get_text() for text in second.texts] == ["not in the\narticle's table"]


def test_the_figure_of_table_2_shades_separate_gaps_apart():
    rows = [{**row, "paper": None} if row["noise"] in (0, 40) else row for row in table_rows() if row["k"] == 5]
    (axes,) = figure_table2(rows).axes
    assert [(area.get_x(), area.get_width()) for area in axes.patches] == [(-5, 10), (35, 10)]


def test_the_figure_of_table_2_without_numbers_of_the_paper_speaks_of_none():
    figure = figure_table2([{**row, "paper": None} for row in table_rows()])
    assert not any(axes.patches for axes in figure.axes)
    (legend,) = figure.legends
    assert not any("paper" in text.get_text() for text in legend.get_texts())
    assert "paper" not in figure.get_label()


@pytest.mark.parametrize(
    ("draw", "rows", "column"),
    [(figure2, curve_rows(), "stderr"), (figure3, run_rows(), "run"), (figure_table2, table_rows(), "paper")],
)
def test_no_rows_or_a_missing_column_is_an_error_that_says_so(draw, rows, column):
    with pytest.raises(InputError, match="no rows"):
        draw([])
    with pytest.raises(InputError, match=f"lacks the column {column}"):
        draw([{key: value for key, value in row.items() if key != column} for row in rows])


@pytest.mark.parametrize(
    ("draw", "rows"), [(figure2, curve_rows()), (figure3, run_rows()), (figure_table2, table_rows())]
)
def test_axes_name_what_they_show_with_units_and_every_figure_has_a_text_alternative(draw, rows):
    figure = draw(rows)
    assert "(%)" in figure.axes[0].get_ylabel()
    assert all(axes.get_xlabel() for axes in figure.axes)
    assert "ercent of pairs in the right order" in figure.get_label()
