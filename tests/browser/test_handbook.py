"""The handbook in a browser, as `make docs` built it."""

from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
BUILT = DOCS / "_build" / "html"


@pytest.mark.parametrize(
    "name", ["index", "reference/commands", "explanation/theory", "tutorials/command-line", "howto/marks"]
)
def test_pages_fit_a_phone_and_axe_finds_nothing_serious(name, fit_to_be_seen):
    page = BUILT / f"{name}.html"
    sources = (DOCS / "conf.py", DOCS / f"{name}.md")
    if not page.exists() or page.stat().st_mtime < max(source.stat().st_mtime for source in sources):
        pytest.skip("the handbook is not built, or has changed since; run `make docs`")
    fit_to_be_seen(page)
