"""Markdown as people write it, shown so that nothing in it can do anything."""

import re
from functools import lru_cache

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

from peerorder.web.secret_addresses import leads_to_secret

# Pictures would be fetched from elsewhere, and tell who reads when; they become links.
READER = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable(["table", "strikethrough"]).disable("image")
TAGS = {
    *("p", "br", "hr", "em", "strong", "s", "code", "pre", "blockquote", "ul", "ol", "li", "a"),
    *("h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td"),
}
ELSEWHERE = re.compile(r'href="(?:https?:)?//', re.IGNORECASE)
RULES = 1
"""To be counted up with every change of what comes out here: HTML that was kept is then made anew."""
# So short a text is rendered within a twentieth of a second whatever is in it, unless there are tables in it.
SHORT = 4000


def is_quick(text: str) -> bool:
    """Return whether a text takes next to no time to render, whatever is in it."""
    return len(text) <= SHORT and "|" not in text


@lru_cache(maxsize=32)
def as_html_again(text: str) -> SafeString:
    """The text as HTML, for texts of staff that many people look at."""
    return as_html(text)


def as_html(text: str) -> SafeString:
    """The text as HTML: without HTML of its own, scripts, styles or pictures, its headings below those of the page."""
    tokens = READER.parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) + 2)}"
    page = READER.renderer.render(tokens, READER.options, {})
    clean = nh3.clean(
        page,
        tags=TAGS,
        attributes={"a": {"href", "title"}, "ol": {"start"}},
        url_schemes={"http", "https", "mailto"},
        attribute_filter=_without_secrets,
        link_rel="noopener noreferrer nofollow",
    )
    return mark_safe(clean)


def leads_elsewhere(html: str) -> bool:
    """Return whether HTML of ours has links to other sites, which learn who follows them."""
    return ELSEWHERE.search(html) is not None


def _without_secrets(_tag: str, attribute: str, value: str) -> str | None:
    """Leave out links to personal links: a reader who follows one would be asked to go on as its owner."""
    return None if attribute == "href" and leads_to_secret(value) else value
