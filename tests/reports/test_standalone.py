import base64
import hashlib

from peerorder.reports.markup import element
from peerorder.reports.sections import Section, arrange
from peerorder.reports.standalone import standalone
from tests.reports.test_markup import Reader

SECTIONS = [
    Section("summary", "Summary", element("p", "In short.")),
    Section("order", "The order & more", element("p", "At length.")),
]


def test_a_page_has_language_viewport_and_both_colour_schemes():
    page = standalone("A & B", "A", SECTIONS, note="Made today.")
    read = Reader(page)
    assert page.startswith("<!DOCTYPE html>\n")
    assert ("html", {"lang": "en"}) in read.tags
    metas = {attributes.get("name"): attributes.get("content") for tag, attributes in read.tags if tag == "meta"}
    assert metas["viewport"] == "width=device-width, initial-scale=1"
    assert metas["color-scheme"] == "light dark"
    assert {"A & B", "A", "Made today.", "In short.", "At length."} <= set(read.texts)


def test_its_policy_allows_the_styles_and_the_script_inside_and_nothing_else():
    read = Reader(standalone("A", "A", SECTIONS, script=True))
    (policy,) = [attributes["content"] for tag, attributes in read.tags if "http-equiv" in attributes]
    (css,) = [text for text in read.texts if "--ink" in text]
    (script,) = [text for text in read.texts if "use strict" in text]
    digests = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (css, script)]
    assert policy == "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'".format(*digests)


def test_sections_follow_a_summary_and_links_to_them():
    read = Reader(arrange(SECTIONS))
    assert [attributes["id"] for tag, attributes in read.tags if tag == "section"] == ["summary", "order"]
    assert [attributes["href"] for tag, attributes in read.tags if tag == "a"] == ["#order"]
    assert read.texts == ["Summary", "In short.", "The order & more", "The order & more", "At length."]
