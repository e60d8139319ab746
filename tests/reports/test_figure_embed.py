from peerorder.reports.figure_embed import drawing

SVG = '<svg viewBox="0 0 1 1"><g id="figure_1"/></svg>'


def test_a_figure_has_its_caption_and_can_be_scrolled_to():
    html = drawing("robustness", {"robustness": SVG}, "Dark & light")
    assert 'id="drawing-robustness"' in html
    assert 'aria-label="Figure, may scroll: robustness"' in html
    assert "<figcaption>Dark &amp; light</figcaption>" in html


def test_no_figure_is_nothing():
    assert drawing("robustness", {}, "Dark") is None
