"""Filters and tags for all templates."""

from datetime import datetime

from django import template
from django.utils import formats, timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from peerorder.web.markdown import as_html

register = template.Library()


@register.filter
def markdown(text: str) -> SafeString:
    """Markdown as safe HTML."""
    return as_html(text)


@register.filter
def when(moment: datetime | None) -> SafeString | str:
    """A time in the time zone of the course, with its name, which may be another than the reader's."""
    if moment is None:
        return ""
    local = timezone.localtime(moment)
    return format_html(
        '<time datetime="{}">{} <abbr title="{}">{}</abbr></time>',
        local.isoformat(),
        formats.date_format(local, "DATETIME_FORMAT"),
        timezone.get_current_timezone_name(),
        local.tzname(),
    )
