from html.parser import HTMLParser

from hypothesis import given, strategies as st

from peerorder.reports.markup import Markup, document, element, joined


class Reader(HTMLParser):
    """What a browser would see: texts and attributes, entities resolved."""

    def __init__(self, page):
        super().__init__()
        self.texts, self.tags = [], []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.texts.append(data)


def test_plain_text_is_escaped_and_markup_is_not():
    assert element("p", "a < b & c", element("b", "d")) == "<p>a &lt; b &amp; c<b>d</b></p>"
    assert joined("<", Markup("<br>"), None, ">") == "&lt;<br>&gt;"


def test_attributes_are_escaped_renamed_and_left_out():
    made = element("td", class_="x", aria_label='say "<hi>"', title=None, colspan=2)
    assert made == '<td class="x" aria-label="say &quot;&lt;hi&gt;&quot;" colspan="2"></td>'


def test_void_elements_are_not_closed():
    assert element("meta", charset="utf-8") == '<meta charset="utf-8">'
    assert element("span") == "<span></span>"


@given(st.text(st.characters(exclude_characters="\r\0", exclude_categories=["Cs"])))
def test_whatever_is_written_is_what_is_read(text):
    read = Reader(element("p", text, title=text))
    assert "".join(read.texts) == text
    assert read.tags == [("p", {"title": text})]


def test_a_document_has_language_viewport_and_both_colour_schemes():
    page = document("A & B", "p { color: red }", element("p", "x"))
    read = Reader(page)
    assert page.startswith("<!DOCTYPE html>\n")
    assert ("html", {"lang": "en"}) in read.tags
    metas = {attributes.get("name"): attributes.get("content") for tag, attributes in read.tags if tag == "meta"}
    assert metas["viewport"] == "width=device-width, initial-scale=1"
    assert metas["color-scheme"] == "light dark"
    assert "A & B" in read.texts
    assert "p { color: red }" in read.texts
