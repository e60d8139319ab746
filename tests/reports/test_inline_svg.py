import re
from xml.etree import ElementTree

import pytest

from peerorder.core.errors import InputError
from peerorder.reports.inline_svg import drawing as in_a_box, inlined
from peerorder.studies.figure_style import canvas, figure_settings, finish_figure, svg
from peerorder.studies.figures import figure_table2

ROWS = [
    {"k": k, "noise": noise, "rule": rule, "recovered": 80.0 + at, "paper": 80.1 if k == 5 else None}
    for k in (5, 12)
    for noise in (0, 50)
    for at, rule in enumerate(("borda", "rsd"))
]


@pytest.fixture(scope="module")
def drawing():
    return svg(figure_table2(ROWS))


def test_it_is_one_well_formed_element_without_a_prologue(drawing):
    made = inlined(drawing, "one", "")
    assert made.startswith("<svg ")
    assert ElementTree.fromstring(made).tag == "{http://www.w3.org/2000/svg}svg"
    assert "<metadata" not in made


def test_ids_of_two_figures_never_meet_and_every_reference_has_its_target(drawing):
    ids = []
    for prefix in ("one", "two"):
        made = inlined(drawing, prefix, "")
        here = re.findall(r'\bid="([^"]+)"', made)
        references = set(re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)', made))
        assert references
        assert {a or b for a, b in references} <= set(here)
        ids += here
    assert len(ids) == len(set(ids))


def test_the_description_becomes_the_label(drawing):
    root = ElementTree.fromstring(inlined(drawing, "one", "unused"))
    assert root.get("role") == "img"
    assert root.get("aria-label") == figure_table2(ROWS).get_label()


def test_a_description_is_unescaped_once_and_escaped_once():
    with figure_settings():
        figure = finish_figure(canvas(1, 1), "a < b & \"c\" 'd'")
    assert ElementTree.fromstring(inlined(svg(figure), "one", "")).get("aria-label") == "a < b & \"c\" 'd'"


def test_a_figure_without_a_description_has_the_fallback():
    with figure_settings():
        figure = finish_figure(canvas(1, 1), "")
    assert ElementTree.fromstring(inlined(svg(figure), "one", "the <caption>")).get("aria-label") == "the <caption>"


def test_it_scales_with_the_page_and_keeps_its_proportions(drawing):
    root, before = ElementTree.fromstring(inlined(drawing, "one", "")), ElementTree.fromstring(drawing)
    assert (root.get("width"), root.get("height")) == (None, None)
    assert root.get("viewBox") == before.get("viewBox")


def test_colours_follow_the_page_and_are_what_they_were_without_one(drawing):
    made = inlined(drawing, "one", "")
    assert "var(--blue, #3b5bdb)" in made
    assert "var(--paper, #ffffff)" in made
    back = re.sub(r"var\(--\w+, (#[0-9a-f]{6})\)", r"\1", made)
    assert sorted(re.findall(r"#[0-9a-f]{6}\b", back)) == sorted(re.findall(r"#[0-9a-f]{6}\b", drawing))


def test_styles_become_attributes_which_every_policy_allows(drawing):
    made = inlined(drawing, "one", "")
    assert "style" in drawing
    assert "style" not in made
    assert 'text-anchor="middle"' in made
    assert re.search(r'stroke-width="[\d.]+"', made)


@pytest.mark.parametrize("text", ["", "<p>no figure</p>", '<svg width="3">no viewBox</svg>'])
def test_anything_else_is_an_error_that_names_the_figure(text):
    with pytest.raises(InputError, match="figure one"):
        inlined(text, "one", "")


SVG = '<svg viewBox="0 0 1 1"><g id="figure_1"/></svg>'


def test_a_figure_has_its_caption_and_can_be_scrolled_to():
    html = in_a_box("robustness", {"robustness": SVG}, "Dark & light")
    assert 'id="drawing-robustness"' in html
    assert 'aria-label="Figure, may scroll: robustness"' in html
    assert "<figcaption>Dark &amp; light</figcaption>" in html


def test_no_figure_is_nothing():
    assert in_a_box("robustness", {}, "Dark") is None
