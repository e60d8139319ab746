"""The drawing of the layers shows the contracts that the linter holds them to."""

import runpy
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_the_drawing_is_that_of_the_contracts():
    made = runpy.run_path(str(DOCS / "layers.py"))
    assert made["drawing"]() == made["PICTURE"].read_text("utf-8"), "run `python docs/layers.py`"
