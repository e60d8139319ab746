from html.parser import HTMLParser

from hypothesis import given, strategies as st

from peerorder.reports.markup import Markup, element, joined


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


def test_templates_of_django_take_it_as_it_is():
    from django.template import Context, Engine

    template = Engine().from_string("{{ html }}{{ text }}")
    assert template.render(Context({"html": element("b", "<"), "text": "<"})) == "<b>&lt;</b>&lt;"
