"""An instructor's report inside a page of the web app, under its policy. The page is only here, for these tests."""

import re
from functools import partial

import numpy as np
import pypdfium2
import pytest
from django.http import HttpResponse
from django.template import engines
from django.test import Client
from django.urls import path

from peerorder.reports import instructor
from peerorder.reports.sections import arrange
from peerorder.web.urls import urlpatterns as pages_of_the_app
from tests.chromium import DESK, PHONE
from tests.reports.instructor.rounds import graded
from tests.web.visiting import visited

TEMPLATE = (
    '{% extends "report.html" %}{% block title %}Report{% endblock %}{% block heading %}<h1>Report</h1>{% endblock %}'
)
SHOWN = {}


def report(request):
    return HttpResponse(engines["django"].from_string(TEMPLATE).render(SHOWN, request))


urlpatterns = [*pages_of_the_app, path("report/", report)]


@pytest.fixture(scope="module")
def sections(tmp_path_factory):
    """All sections of a round with flags, missing ballots, marks, anchors and explanations."""
    found = graded(tmp_path_factory.mktemp("round"), n=40, k=6)
    marks = np.empty(40)
    marks[found.outcome.order] = np.linspace(97.5, 31.25, 40)
    marking = instructor.Marking(marks, marks - 4, marks + 4, "curve:mean=70,sd=10", {0: 80.0})
    return instructor.sections(found, marking, instructor.explain(found, [3, 4]))


@pytest.fixture
def visit(browser, sections, settings):
    """Open the page as the app answers, without a server: ``visit(width, scheme)``."""
    settings.ROOT_URLCONF = __name__
    SHOWN["report"] = arrange(sections)
    return partial(visited, browser, Client(), "/report/")


@pytest.mark.parametrize(("width", "scheme"), [(DESK, "light"), (PHONE, "dark")])
def test_all_sections_show_under_the_policy_of_the_app(visit, sections, width, scheme):
    seen = visit(width, scheme)
    page = seen.page
    assert [each.get_attribute("id") for each in page.locator(".sections > section").all()] == [
        *("summary", "order", "marks", "graders", "coverage", "borda", "why", "sampler", "provenance")
    ]
    for section in sections[1:]:
        assert page.get_by_role("heading", name=section.title, exact=True).is_visible()
    assert seen.width <= width
    assert seen.violations() == []
    # Its styles and its script are at work.
    assert page.locator(".plot .dots").evaluate("part => getComputedStyle(part).strokeWidth") == "5px"
    page.get_by_role("searchbox", name="Find a paper").fill("s003")
    assert page.get_by_role("status").filter(has_text="10").is_visible()
    assert seen.complaints == []


def test_it_prints_whole_and_without_what_is_for_a_screen(visit):
    page = visit(DESK, "dark").page
    page.emulate_media(media="print")
    assert page.locator(".top, .sections nav, .search").filter(visible=True).count() == 0
    assert page.locator(".tall").evaluate("box => box.scrollHeight - box.clientHeight") == 0
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_the_head_of_the_order_is_on_every_page_of_paper(visit):
    with pypdfium2.PdfDocument(visit(DESK, "light").page.pdf(format="A4")) as pages:
        text = [re.sub(r"\s", "", page.get_textpage().get_text_range()) for page in pages]
    assert [page for page in text if "s0" in page][1].startswith("PlacePaperMarkLikelyplacesRankings")


def test_sections_bring_no_styles_or_scripts_of_their_own(sections):
    for section in sections:
        assert not any(banned in section.html for banned in (" style=", "<style", "<script", " onclick=", "url("))
