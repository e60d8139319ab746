"""The first words of papers, for the list in which graders order them.

They come from what was stored when a paper was prepared, so that a page needs one query for all, opens no
paper, and shows nothing that graders could not read in the paper itself.
"""

import html
import re

from django.db.models import OuterRef, QuerySet, Subquery
from django.db.models.functions import Left
from django.utils.html import strip_tags
from django.utils.text import Truncator
from django.utils.translation import gettext as _, ngettext, pgettext

from peerorder.web.papers.models import Kind, Page, State
from peerorder.web.ranking.models import Slot

SHOWN = 90
"""Characters; a row shows as many as fit."""
READ = 600
"""Characters of what is stored, in which they are looked for: HTML has tags in between."""
CUT_TAG = re.compile(r"<[^>]*$|&[^;\s]{0,9}$")
BLOCK_END = re.compile(r"</(?:p|li|h\d|t[hdr]|pre|blockquote)>|<br ?/?>")


def with_excerpts(slots: QuerySet[Slot]) -> QuerySet[Slot]:
    """Return slots with what ``excerpt_of`` needs."""
    pages = Page.objects.filter(version=OuterRef("paper__current"))
    return (
        slots.annotate(
            beginning=Left("paper__current__html", READ),
            first_page=Subquery(pages.filter(number=1).values(start=Left("text", READ))[:1]),
            page_count=Subquery(pages.order_by("-number").values("number")[:1]),
        )
        .select_related("paper__current")
        .only("token", "position", "part", "opened_at", "paper__current__kind", "paper__current__state")
    )


def excerpt_of(slot: Slot) -> str:
    """Return the first words of a paper, or what it is where it has none."""
    version = slot.paper.current
    if version is None or version.state == State.BROKEN:
        return _("Cannot be shown")
    if version.state != State.READY:
        return _("Being prepared")
    # Annotations of the query; types of models do not know them.
    beginning, first_page, count = (getattr(slot, name) for name in ("beginning", "first_page", "page_count"))
    if version.kind == Kind.LINK:
        return pgettext("a paper", "Link")
    if version.kind == Kind.IMAGE:
        return pgettext("a paper", "Image")
    if version.kind == Kind.PDF:
        count = count or 0
        size = ngettext("PDF, %(count)d page", "PDF, %(count)d pages", count) % {"count": count}
        return first_words(first_page or "") or size
    return first_words(html_text(beginning)) or pgettext("a paper", "Text")


def html_text(beginning: str) -> str:
    """Return the text of the beginning of sanitised HTML, which may end within a tag."""
    return html.unescape(strip_tags(BLOCK_END.sub(" ", CUT_TAG.sub("", beginning))))


def first_words(text: str) -> str:
    """Return the beginning of a text on one line."""
    line = " ".join(text.split())
    return Truncator(line).chars(SHOWN, truncate="…")
