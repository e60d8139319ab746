"""The first words of papers in the list of rows."""

import pytest

from peerorder.web.markdown import RULES, as_html
from peerorder.web.papers.models import Page, Version
from peerorder.web.ranking.excerpts import SHOWN, first_words, html_text
from peerorder.web.ranking.models import Slot
from peerorder.web.ranking.queries import bundle_of


@pytest.fixture
def excerpt(round_, grader, tokens):
    """Change the first paper of the grader; gives its excerpt."""
    version = Version.objects.get(paper__slots__token=tokens[0])

    def changed(pages=(), **fields):
        Version.objects.filter(pk=version.pk).update(**fields)
        for number, text in enumerate(pages, 1):
            Page.objects.create(version=version, number=number, image="a.png", width=1, height=1, text=text)
        return bundle_of(round_, grader)[0].excerpt

    return changed


def test_a_text(excerpt):
    text = "# Searching\n\nWith **x** < 3 and [a link](https://example.org)\nof two lines."
    assert excerpt(html=as_html(text), rules=RULES) == "Searching With x < 3 and a link of two lines."


def test_a_text_whose_html_is_not_there_yet(excerpt):
    assert excerpt(html="", text="Never shown <!-- by Anna -->") == "Text"


def test_a_pdf_an_image_and_a_link(excerpt):
    assert excerpt(kind="pdf", pages=["", "Later words"]) == "PDF, 2 pages"
    Page.objects.filter(number=1).update(text="First\n words")
    assert excerpt(kind="pdf") == "First words"
    assert excerpt(kind="image") == "Image"
    assert excerpt(kind="link", text="https://example.org/anna") == "Link"


@pytest.mark.parametrize("state", ["broken", "preparing"])
def test_a_paper_that_graders_cannot_read(excerpt, state):
    assert "secret" not in excerpt(html="<p>secret</p>", state=state)


def test_long_ones_are_cut():
    assert len(first_words("word " * 100)) <= SHOWN
    assert html_text("<p>Some <em>words") == "Some words"
    assert html_text('<p>Some <a href="https://exam') == "Some "
    assert html_text("<p>3 &lt; 4 &am") == "3 < 4 "


def test_showing_them_opens_no_paper_and_takes_two_queries(round_, grader, django_assert_num_queries):
    with django_assert_num_queries(2):
        bundle_of(round_, grader)
    assert not Slot.objects.exclude(opened_at=None).exists()
