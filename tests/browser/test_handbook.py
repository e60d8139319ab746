"""The handbook in a browser, as `make docs` built it."""

from pathlib import Path

import pytest

BUILT = Path(__file__).parents[2] / "docs" / "_build" / "html"


@pytest.mark.parametrize("name", ["index", "commands", "theory", "tutorial", "marks"])
def test_pages_fit_a_phone_and_axe_finds_nothing_serious(name, fit_to_be_seen):
    page = BUILT / f"{name}.html"
    if not page.exists():
        pytest.skip("the handbook is not built; run `make docs`")
    fit_to_be_seen(page)
