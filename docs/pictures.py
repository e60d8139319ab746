"""The pictures of the documentation: the report of the tutorial as a browser shows it, and the figures of two pages.

python docs/pictures.py         # needs Chromium, and the extra `dev` for playwright
"""

import doctest
import re
import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright
from typed import DOCS, played

from peerorder.cli import run

WIDTH, HEIGHT = 1000, 1000
# The names of Chromium on different systems; without any, playwright looks for its own.
BROWSERS = ("chromium", "chromium-browser", "chromium-headless-shell", "google-chrome")


def browser_path() -> str | None:
    """Return where Chromium is."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def draw_plan(folder: Path) -> None:
    """Draw the figure of the guide to planning."""
    run(["plan", "-n", "300", "--dropout", "20", "--out", str(folder)])
    shutil.copy(folder / "plan.png", DOCS / "pictures" / "plan.png")


def draw_ranking() -> None:
    """Run the notebook, and keep its figure."""
    names: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", (DOCS / "tutorials" / "notebook.md").read_text("utf-8"), re.DOTALL):
        for example in doctest.DocTestParser().get_examples(block):
            exec(example.source, names)
    (DOCS / "pictures" / "ranking.png").write_bytes(names["figure"]._repr_png_())  # type: ignore[attr-defined]


def main() -> None:
    """Play the tutorial, and take a picture of what comes of it."""
    draw_ranking()
    with tempfile.TemporaryDirectory(prefix="peerorder-") as folder, sync_playwright() as playwright:
        draw_plan(Path(folder, "plan"))
        played((DOCS / "tutorials" / "command-line.md").read_text("utf-8"), Path(folder))
        browser = playwright.chromium.launch(executable_path=browser_path(), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        page.goto(Path(folder, "report.html").as_uri())
        page.screenshot(path=DOCS / "pictures" / "report.png")
        browser.close()


if __name__ == "__main__":
    main()
