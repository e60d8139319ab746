"""Pages of results in the browser."""

import pytest
from django.test import Client

from tests.chromium import DESK, PHONE, Visit, settle
from tests.web.ranking.in_the_browser.conftest import cleanable, site  # noqa: F401
from tests.web.results.conftest import compute, set_scale


@pytest.fixture
def enter_browser(browser, site):  # noqa: F811
    """Open a page of the app as a member: ``enter_browser(member)``."""
    contexts = []

    def opened(member):
        client = Client()
        client.force_login(member.person)
        contexts.append(browser.new_context(viewport={"width": DESK, "height": 900}, base_url=site.url))
        contexts[-1].add_cookies([{"name": "peerorder", "value": client.cookies["peerorder"].value, "url": site.url}])
        page = contexts[-1].new_page()
        page.complaints = []
        page.on("console", lambda said: said.type in ("error", "warning") and page.complaints.append(said.text))
        return page

    yield opened
    for context in contexts:
        context.close()


@pytest.fixture
def page(enter_browser, ranked, instructor):
    """The page of marks, as an instructor sees it; by the default rule, which has intervals."""
    compute(ranked, instructor.person, "posterior")
    set_scale(ranked, instructor.person, marks="percentile")
    found = enter_browser(instructor)
    found.goto(f"/assignments/{ranked.pk}/marks/")
    return found


def look(page):
    for width, scheme in ((DESK, "light"), (PHONE, "dark")):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)
        settle(page)
        seen = Visit(page)
        assert seen.width <= width, page.url
        assert seen.violations() == [], page.url
    page.set_viewport_size({"width": DESK, "height": 900})
    page.emulate_media(color_scheme="light")
