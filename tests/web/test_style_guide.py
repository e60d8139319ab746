"""Every part of the design system, in a browser: contrast, names, and no scrolling sideways."""

import pytest

from tests.chromium import DESK, PHONE
from tests.web.visiting import visited


@pytest.fixture
def guide(instructor, enter):
    # Playwright runs an event loop in this thread, in which Django asks the database only if it is told to.
    client = enter(instructor)
    page = client.get("/style-guide/")

    class Kept:
        """Answers with the page that was fetched."""

        def get(self, _path):
            return page

    return Kept()


@pytest.mark.parametrize("width", [DESK, PHONE])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_part_can_be_read_by_everybody(browser, guide, width, scheme):
    seen = visited(browser, guide, "/style-guide/", width, scheme)
    assert seen.violations() == []
    assert seen.width <= width
    assert seen.complaints == []
    asks = seen.page.get_by_role("button", name="Delete draft")
    asks.click()
    dialog = seen.page.get_by_role("dialog", name="Delete this draft?")
    assert seen.violations() == []
    assert seen.width <= width
    assert dialog.get_by_role("button").all_inner_texts() == ["Delete draft", "Cancel"]
    seen.page.keyboard.press("Escape")
    assert dialog.count() == 0
    assert asks.evaluate("button => button === document.activeElement")
    assert seen.page.locator(".stages li").filter(visible=True).count() == (5 if width == DESK else 1)
