"""The pages about marks in the browser: the preview follows the form, and all of them are fit to be seen."""

import re

from playwright.sync_api import expect

from peerorder.web.results import services
from peerorder.web.results.models import Basis, Decision
from tests.web.results.in_the_browser.conftest import look


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
    page.get_by_role("button", name="Save scale").click()
    expect(page.locator("#messages")).to_contain_text("saved")
    # The table is searched and sorted in place.
    page.locator("#sort-name").click()
    expect(page.locator("th[aria-sort=ascending]")).to_have_text("Name")
    page.locator("#q").fill("fay")
    expect(page.locator("#rows tbody tr")).to_have_count(1)
    expect(page).to_have_url(re.compile("q=fay.*sort=name"))
    page.locator("#rows summary").press("Enter")
    look(page)
    page.keyboard.press("Escape")
    expect(page.locator("#rows details[open]")).to_have_count(0)
    expect(page.locator("#rows summary")).to_be_focused()
    page.locator("#rows summary").click()
    page.get_by_role("link", name="Change mark", exact=True).click()
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
