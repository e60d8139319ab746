"""Markdown and TeX formulas as people write them, shown so that nothing in them can do anything."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any
from xml.etree.ElementTree import tostring

import nh3
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin

from peerorder.web.secret_addresses import leads_to_secret

LONGEST_FORMULA, MOST_FORMULAS, EACH_FORMULA = 2000, 30_000, 10
"""Characters of a formula, and of all formulas of a text, where each counts as this many more; the rest stays TeX."""
# Commands that define others: a few make a formula of any length.
DEFINES = re.compile(r"\\(?:(?:re)?new|provide|[egx]?def|let|Declare)")
NUMBERED = re.compile(r"&amp;#x([0-9A-Fa-f]{1,6});")
TAGS = {
    *("p", "br", "hr", "em", "strong", "s", "code", "pre", "blockquote", "ul", "ol", "li", "a"),
    *("h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td"),
}
# Of MathML, what draws formulas: no links, and nothing in which HTML could stand.
FORMULA_TAGS = {
    *("math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "mfrac", "msqrt", "mroot", "msub", "msup", "msubsup"),
    *("munder", "mover", "munderover", "mmultiscripts", "mprescripts", "mtable", "mtr", "mtd", "mpadded", "mphantom"),
    *("mstyle", "menclose"),
}
# None that moves things up or down, out of the paper.
FORMULA_ATTRIBUTES = {
    *("display", "displaystyle", "scriptlevel", "mathvariant", "stretchy", "fence", "separator", "form", "accent"),
    *("accentunder", "largeop", "movablelimits", "symmetric", "lspace", "rspace", "minsize", "maxsize"),
    *("linethickness", "width", "columnalign", "rowspacing", "columnspacing", "notation"),
}
ATTRIBUTES = {"a": {"href", "title"}, "ol": {"start"}, **dict.fromkeys(FORMULA_TAGS, FORMULA_ATTRIBUTES)}
# A long formula scrolls on its own, also with the keyboard.
BLOCK = '<div class="formula" tabindex="0">{}</div>\n'
BLOCK_ATTRIBUTES = {"div": {"class": {"formula"}, "tabindex": {"0"}}}
ELSEWHERE = re.compile(r'href="(?:https?:)?//', re.IGNORECASE)
RULES = 2
"""To be counted up with every change of what comes out here: HTML that was kept is then made anew."""
# A text this short is rendered within a twentieth of a second whatever is in it, unless it has tables or formulas.
SHORT, SHORT_WITH_FORMULAS = 4000, 1000


def is_quick(text: str) -> bool:
    """Return whether a text takes next to no time to render, whatever is in it."""
    return len(text) <= (SHORT_WITH_FORMULAS if "$" in text else SHORT) and "|" not in text


@lru_cache(maxsize=32)
def as_html_cached(text: str) -> SafeString:
    """Return the text as HTML, for texts of staff that many people look at."""
    return as_html(text)


def as_html(text: str) -> SafeString:
    """Return the text as HTML without scripts, styles or pictures, its headings below those of the page.

    HTML in the text is shown as it was typed. Formulas become MathML, and addresses links.
    """
    tokens = READER.parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) + 2)}"
    page = READER.renderer.render(tokens, READER.options, {"left": MOST_FORMULAS})
    clean = nh3.clean(
        page,
        tags=TAGS | FORMULA_TAGS | {"div"},
        attributes=ATTRIBUTES,
        tag_attribute_values=BLOCK_ATTRIBUTES,
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


def _reader() -> MarkdownIt:
    reader = MarkdownIt("commonmark", {"html": False, "linkify": True}).enable(["table", "strikethrough"])
    # Pictures would be fetched from elsewhere, and tell who reads when; they become links.
    reader.disable("image")
    # The rule within lines takes minutes for a text of nothing but "://"; the one for whole texts finds the same links.
    reader.core.ruler.enable("linkify")
    reader.inline.ruler.disable("linkify")
    # Only whole addresses: "notes.py" and "//" are none.
    reader.linkify.set({"fuzzy_link": False, "fuzzy_email": False, "fuzzy_ip": False})  # type: ignore[union-attr]
    reader.linkify.add("//", None)  # type: ignore[union-attr]
    # "$5 and $10" are prices.
    reader.use(dollarmath_plugin, allow_labels=False, allow_space=False, allow_digits=False, double_inline=True)
    reader.add_render_rule("math_inline", _inline_formula)
    reader.add_render_rule("math_inline_double", _inline_formula)
    reader.add_render_rule("math_block", _block_formula)
    return reader


def _inline_formula(_renderer: Any, tokens: Sequence[Token], index: int, _options: Any, env: dict[str, int]) -> str:
    token = tokens[index]
    formula = _formula(token.content, env, display=token.type == "math_inline_double")
    return formula or f"<code>{escape(token.markup + token.content + token.markup)}</code>"


def _block_formula(_renderer: Any, tokens: Sequence[Token], index: int, _options: Any, env: dict[str, int]) -> str:
    source = tokens[index].content.strip()
    return BLOCK.format(_formula(source, env, display=True) or f"<code>$${escape(source)}$$</code>")


def _formula(source: str, env: dict[str, int], *, display: bool) -> str:
    """Return a formula as MathML, or nothing where it is too long or cannot be read."""
    env["left"] -= len(source) + EACH_FORMULA
    if len(source) > LONGEST_FORMULA or env["left"] < 0 or DEFINES.search(source):
        return ""
    # Most pages have no formulas, and loading this takes as long as loading all else here.
    from latex2mathml.converter import convert_to_element

    try:
        # It knows one of the two, which mean the same here.
        tree = convert_to_element(source.replace("{aligned}", "{split}"), display="block" if display else "inline")
        if any((each.text or "").startswith("\\") for each in tree.iter("mi")):
            # A command that it does not know.
            return ""
        # It writes characters as numbers, in what counts as text.
        return NUMBERED.sub(r"&#x\1;", tostring(tree, encoding="unicode"))
    # It raises whatever goes wrong in it, RecursionError among them.
    except Exception:
        return ""


READER = _reader()
