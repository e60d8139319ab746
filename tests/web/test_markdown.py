"""Markdown and formulas: what becomes HTML, what stays text, and that nothing hostile comes through or takes long."""

import re
import time

import pytest

from peerorder.web.markdown import LONGEST_FORMULA, as_html, is_quick

LONG = 100_000


@pytest.mark.parametrize(
    ("text", "mathml"),
    [
        ("$p < 0.05$", "<mi>p</mi><mo>&lt;</mo><mn>0.05</mn>"),
        (r"$\frac{1}{2}$", "<mfrac><mrow><mn>1</mn></mrow><mrow><mn>2</mn></mrow></mfrac>"),
        (r"$\begin{aligned} a &= b \end{aligned}$", '<mtd columnalign="right"><mi>a</mi></mtd>'),
        (r"$\text{if } x$", "<mtext>if&nbsp;</mtext>"),
    ],
)
def test_formulas_become_mathml(text, mathml):
    html = as_html(f"So {text}, then.")
    assert '<math display="inline">' in html
    assert mathml in html
    assert "$" not in html


def test_a_formula_of_its_own_scrolls_and_can_be_reached_by_the_keyboard():
    html = as_html("Before\n\n$$\n\\sum_{i=1}^n i\n$$\n\nafter")
    assert '<div class="formula" tabindex="0"><math display="block">' in html
    assert "<munderover>" in html


@pytest.mark.parametrize("text", ["It costs $5 and $10.", "US$ 5 or 7 $", r"\$x\$", "`$x$`", "a $ b $ c"])
def test_prices_and_code_are_no_formulas(text):
    assert "<math" not in as_html(text)


@pytest.mark.parametrize(
    "source",
    [
        r"\frac",
        r"\left(",
        r"x \nosuchcommand y",
        r"\newcommand{\a}{xx}\a",
        r"\def\a{xx}\a",
        "x" * (LONGEST_FORMULA + 1),
        "x^{" * 480 + "}" * 480,
    ],
)
def test_what_cannot_be_read_is_shown_as_it_was_typed(source):
    assert as_html(f"${source}$").strip() == f"<p><code>${source}$</code></p>"


@pytest.mark.parametrize(
    "source",
    [
        r"\href{javascript:alert(1)}{x}",
        r"\href{https://elsewhere.example}{x}",
        r"\style{position:fixed}{x}",
        r"\class{button}{x}",
        r"\cssId{messages}{x}",
        r"\color{red}{x}",
        r"\text{<script>alert(1)</script>}",
        r"\text{</mtext></math><a href='javascript:alert(1)'>x</a>}",
        r"\text{&#x3c;img src=x onerror=alert(1)&#x3e;}",
        r"\mathrm{<style>}",
    ],
)
@pytest.mark.parametrize("form", ["${}$", "$$\n{}\n$$"])
def test_formulas_bring_no_links_scripts_or_styles(source, form):
    tags = "".join(re.findall("<[^>]*>", as_html(form.format(source))))
    assert "<math" in tags or "<code>" in tags
    for forbidden in ("href=", "<a", "style=", "id=", "<script", "<style", "<img", "color="):
        assert forbidden not in tags
    assert tags.count("class=") == tags.count('<div class="formula"')


@pytest.mark.parametrize("address", ["https://example.org/a_b_c", "http://example.org/(x)"])
def test_addresses_become_links(address):
    assert f'<a href="{address}" rel="noopener noreferrer nofollow">' in as_html(f"See {address}, please.")


@pytest.mark.parametrize("text", ["notes.py", "example.org", "a@example.org", "//example.org", "`https://example.org`"])
def test_nothing_else_becomes_a_link(text):
    assert "<a" not in as_html(text)


@pytest.mark.parametrize(
    "part", ["$", "$ ", "$$\n", "$x$ ", "$$\nx\n$$\n", "$x^{", "://", "http://", "$" + "x" * 1990 + "$ ", "\\$"]
)
def test_hostile_texts_take_no_minutes(part):
    since = time.process_time()
    as_html(part * (LONG // len(part)))
    assert time.process_time() - since < 6


def test_texts_with_formulas_are_quick_only_where_they_are_short():
    assert is_quick("x" * 4000)
    assert is_quick("$x$" * 300)
    assert not is_quick("$x$" * 1000)


def test_a_formula_stays_in_its_place():
    html = as_html(r"$\raise{40em}{\text{mark 100}}$ and $\rule{200em}{200em}$")
    assert not re.search("voffset|height|depth", html)
