"""How every page must look, whoever sees it: checked where a round comes by, once each."""

from playwright.sync_api import Browser, BrowserContext, Page

from tests.chromium import DESK, PHONE, Visit, settle

HEIGHT = 800
# Return the width of the page while its texts have every vowel twice, as in the pseudo-locale.
LONGER_WIDTH = """() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), texts = [];
  while (walker.nextNode()) texts.push([walker.currentNode, walker.currentNode.data]);
  for (const [node, text] of texts) node.data = text.replace(/[aeiou]/gi, "$&$&");
  const width = document.scrollingElement.scrollWidth;
  for (const [node, text] of texts) node.data = text;
  return width;
}"""


class Eyes:
    """Opens pages, remembers what they complain about, and looks at each of them once, light and dark.

    Looking takes most of the time, and the pages do not know on which database they run: ``looks`` on one of them is
    enough. Their complaints are remembered on either.
    """

    def __init__(self, browser: Browser, url: str, *, looks: bool) -> None:
        self._browser = browser
        self._url = url
        self._looks = looks
        self.complaints: list[str] = []
        self.seen: list[str] = []

    def context(self, width: int = DESK, **options) -> BrowserContext:
        """A browser of somebody's own."""
        context = self._browser.new_context(viewport={"width": width, "height": HEIGHT}, **options)
        context.on("console", lambda said: said.type in ("error", "warning") and self._complain(said.text))
        context.on("weberror", lambda error: self._complain(str(error.error)))
        context.on("request", lambda asked: asked.url.startswith(f"{self._url}/") or self._complain(asked.url))
        context.on("response", lambda answer: answer.status < 400 or self._complain(f"{answer.status} {answer.url}"))
        return context

    def _complain(self, what: str) -> None:
        self.complaints.append(what)

    def look(self, page: Page, name: str) -> None:
        """It fits a phone, and axe finds nothing serious, by day and by night."""
        assert name not in self.seen
        self.seen.append(name)
        if not self._looks:
            return
        before = page.viewport_size
        for width, scheme in ((DESK, "light"), (PHONE, "dark")):
            page.set_viewport_size({"width": width, "height": HEIGHT})
            page.emulate_media(color_scheme=scheme)
            # Colours change by and by.
            settle(page)
            visit = Visit(page)
            assert visit.width <= width, f"{name} is {visit.width} pixels wide on a screen of {width}"
            longer = page.evaluate(LONGER_WIDTH)
            assert longer <= width, f"{name} would be {longer} pixels wide in a language with longer words"
            assert visit.violations() == [], f"{name}, {scheme}, {width}"
        page.set_viewport_size(before)
        page.emulate_media(color_scheme="light")
