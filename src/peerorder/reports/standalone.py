"""A report in one file that needs nothing else: no server, no network."""

import base64
import hashlib
from collections.abc import Sequence
from importlib.resources import files

from peerorder.reports.markup import Markup, element
from peerorder.reports.sections import Section, arrange

__all__ = ["standalone"]

STYLES = ("base.css", "charts.css", "report.css")
SCRIPT = "report.js"
# The same mark as in the pages of the app: bars in order, the longest first.
BARS = ((3, 16, "1"), (8.5, 11, ".65"), (14, 6, ".4"))


def standalone(title: str, heading: str, sections: Sequence[Section], *, note: str = "", script: bool = False) -> str:
    """Write the page: its styles and its script inside, and a policy by which nothing else is loaded or run.

    Parameters
    ----------
    title
        What the browser calls the page.
    heading
        What stands at its top, and below it the ``note``.
    script
        Whether there is a table to search and sort.
    """
    css, code = "\n".join(map(_asset, STYLES)), _asset(SCRIPT) if script else ""
    policy = f"default-src 'none'; style-src {_digest(css)}; script-src {_digest(code)}"
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", title),
        element("style", Markup(css)),
    )
    body = element(
        "body",
        element("header", _mark(), "peerorder", class_="masthead"),
        element(
            "main", element("h1", heading), element("p", note, class_="quiet") if note else None, arrange(sections)
        ),
        element("script", Markup(code)) if script else None,
    )
    return f"<!DOCTYPE html>\n{element('html', head, body, lang='en')}\n"


def _mark() -> Markup:
    bars = [
        element("rect", x=2, y=str(y), width=width, height=3, rx="1.5", opacity=opacity) for y, width, opacity in BARS
    ]
    return element("svg", *bars, width=20, height=20, viewBox="0 0 20 20", fill="currentColor", aria_hidden="true")


def _asset(name: str) -> str:
    return (files("peerorder.reports") / "static" / "peerorder" / name).read_text("utf-8")


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
