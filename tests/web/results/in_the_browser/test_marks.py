"""The pages about marks in the browser: the preview follows the form, and all of them are fit to be seen."""

import pytest
from django.test import Client
from playwright.sync_api import expect

from peerorder.web.results import services
from peerorder.web.results.models import Basis, Decision
from tests.chromium import DESK, PHONE, Visit, settle
from tests.web.ranking.in_the_browser.conftest import cleanable, site  # noqa: F401
from tests.web.results.conftest import compute, set_scale


@pytest.fixture
def page(browser, site, ranked, instructor):  # noqa: F811
    """The page of marks, as an instructor sees it; by the default rule, which has intervals."""
    compute(ranked, instructor.person, "posterior")
    set_scale(ranked, instructor.person, marks="percentile")
    client = Client()
    client.force_login(instructor.person)
    context = browser.new_context(viewport={"width": DESK, "height": 900})
    context.add_cookies([{"name": "peerorder", "value": client.cookies["peerorder"].value, "url": site.url}])
    found = context.new_page()
    found.complaints = []
    found.on("console", lambda said: said.type in ("error", "warning") and found.complaints.append(said.text))
    found.goto(f"{site.url}/assignments/{ranked.pk}/marks/")
    yield found
    context.close()


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


def test_from_a_scale_to_a_decision(page, ranked, papers, instructor):
    look(page)
    page.get_by_label("Bands: letters").check()
    expect(page.locator("#preview")).to_contain_text("A: 1 student")
    expect(page.get_by_label("Mean", exact=True)).to_be_hidden()
    page.get_by_label("Letters, from the best").fill("A=50, B=60")
    expect(page.locator("#preview .errorlist")).to_contain_text("110")
    page.get_by_label("Curve: a mean").check()
    expect(page.locator("#preview")).to_contain_text("cross")
    look(page)
    assert Basis.objects.get(assignment=ranked).settings == {"marks": "percentile"}
    page.get_by_role("button", name="Save the scale").click()
    expect(page.locator("#messages")).to_contain_text("saved")
    # The table is searched and sorted in place.
    page.get_by_label("Name, id, e-mail or team").fill("fay")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("#students tbody tr")).to_have_count(1)
    page.get_by_role("link", name="Fay").click()
    look(page)
    card = page.get_by_role("region", name="Set this mark")
    card.get_by_label("Mark").fill("12")
    card.get_by_label("Reason").fill("It answers another question.")
    card.get_by_role("button").click()
    expect(page.get_by_role("row", name="Fay")).to_contain_text("12.0")
    look(page)
    page.get_by_role("button", name="Set this mark").click()
    expect(page.locator("#messages")).to_contain_text("Decided")
    look(page)
    made = Decision.objects.get()
    services.decide(ranked, Decision.Kind.MARK, papers[4], "13", "Two of us.", instructor.person, seen=made.pk)
    for where in ("decisions/", f"decisions/{Decision.objects.latest('pk').pk}/undo/", "files/"):
        page.goto(page.url.partition("/marks/")[0] + f"/marks/{where}")
        look(page)
    assert page.complaints == []
