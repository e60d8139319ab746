import subprocess
import sys
from importlib.resources import files
from xml.etree import ElementTree

import matplotlib
import pytest
from PIL import Image

from peerorder.studies.figure_style import COLOURS, canvas, figure_settings, finish_figure, png, rule_styles, save, svg
from peerorder.studies.figures import figure2

ROWS = [
    {"k": k, "rule": rule, "recovered": 70.0 + k + at, "stderr": 0.2, "runs": 5}
    for at, rule in enumerate(("borda", "rsd"))
    for k in (2, 3, 5, 8)
]
LAW = {2: 72.1, 3: 73.1, 5: 75.1, 8: 78.1}


def test_rules_differ_by_colour_and_by_marker():
    styles = rule_styles(["mc4-restart", "other", "borda", "rsd", "mc4", "another", "borda"])
    assert list(styles) == ["borda", "rsd", "mc4", "mc4-restart", "other", "another"]
    assert len({style.colour for style in styles.values()}) == len(styles)
    assert len({style.marker for style in styles.values()}) == len(styles)
    assert styles["other"].label == "other"


def test_a_rule_looks_the_same_whoever_is_beside_it():
    assert rule_styles(["rsd"])["rsd"] == rule_styles(["borda", "rsd"])["rsd"]


def test_figures_have_the_colours_of_pages():
    static = files("peerorder.reports") / "static" / "peerorder"
    css = "".join((static / name).read_text("utf-8").partition("@media")[0] for name in ("base.css", "charts.css"))
    tokens = {"faint": "soft", "mist": "shade"}
    for name, value in COLOURS.items():
        short = value.replace("#ffffff", "#fff")
        assert f"--{tokens.get(name, name)}: {short};" in css, name


def test_settings_are_ours_inside_and_the_users_outside():
    with matplotlib.rc_context({"axes.facecolor": "red", "svg.fonttype": "path"}):
        with figure_settings():
            assert matplotlib.rcParams["axes.facecolor"] == "white"
            assert matplotlib.rcParams["svg.fonttype"] == "none"
        assert matplotlib.rcParams["axes.facecolor"] == "red"
        assert matplotlib.rcParams["svg.fonttype"] == "path"


@pytest.fixture(scope="module")
def figure():
    return figure2(ROWS, LAW)


@pytest.fixture(scope="module")
def saved(figure, tmp_path_factory):
    return save(figure, tmp_path_factory.mktemp("saved") / "figure")


def test_drawing_and_saving_leave_the_settings_alone():
    before = dict(matplotlib.rcParams)
    svg(figure2(ROWS))
    assert dict(matplotlib.rcParams) == before


def test_a_users_configuration_does_not_change_a_figure(figure):
    with matplotlib.rc_context({"axes.facecolor": "red", "font.size": 30, "lines.linewidth": 9}):
        assert svg(figure2(ROWS, LAW)) == svg(figure)


def test_files_are_the_same_bytes_every_time(figure, saved):
    vector, pixels = saved
    assert svg(figure).encode() == vector.read_bytes()
    assert png(figure) == pixels.read_bytes()
    assert svg(figure2(ROWS, LAW)).encode() == vector.read_bytes()


def test_another_resolution_does_not_move_the_axes():
    figure = figure2(ROWS, LAW)
    before = [axes.get_position().bounds for axes in figure.axes]
    png(figure)
    assert [axes.get_position().bounds for axes in figure.axes] == before


def test_other_rows_make_another_file(figure):
    assert svg(figure2(ROWS[1:], LAW)) != svg(figure)


def test_the_svg_is_well_formed_with_its_texts_as_text_and_its_description(figure, saved):
    text = saved[0].read_text(encoding="utf-8")
    root = ElementTree.fromstring(text)
    words = ["".join(node.itertext()) for node in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "Pairs in the right order (%)" in words
    assert "Borda, exact law" in words
    descriptions = list(root.iter("{http://purl.org/dc/elements/1.1/}description"))
    assert [node.text for node in descriptions] == [figure.get_label()]
    assert not list(root.iter("{http://purl.org/dc/elements/1.1/}date"))
    assert "DejaVu Sans', 'Verdana', sans-serif" in text


def test_the_png_has_300_dots_an_inch_and_the_description(figure, saved):
    with Image.open(saved[1]) as image:
        assert image.info["dpi"] == pytest.approx((300, 300), abs=0.1)
        assert image.info["Description"] == figure.get_label()
        assert image.size == pytest.approx([300 * inches for inches in figure.get_size_inches()], abs=1)


def test_a_stem_with_dots_keeps_them(tmp_path):
    with figure_settings():
        figure = finish_figure(canvas(1, 1), "")
    assert [path.name for path in save(figure, tmp_path / "noise.0.5")] == ["noise.0.5.svg", "noise.0.5.png"]
    assert {path.name for path in tmp_path.iterdir()} == {"noise.0.5.svg", "noise.0.5.png"}


def test_a_figure_without_an_alternative_has_no_description():
    with figure_settings():
        figure = finish_figure(canvas(1, 1), "")
    assert "description" not in svg(figure)
    assert b"Description" not in png(figure)


@pytest.mark.processes
def test_matplotlib_is_loaded_late_and_pyplot_never():
    code = (
        "import sys\n"
        "from peerorder.studies import figures, figure_style\n"
        "print('matplotlib' in sys.modules)\n"
        "row = {'k': 2, 'rule': 'borda', 'recovered': 70.0, 'stderr': None}\n"
        "figure_style.svg(figures.figure2([row]))\n"
        "print('matplotlib' in sys.modules, 'matplotlib.pyplot' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True", "False"]
    assert done.stderr == ""
