"""Filters and tags for all templates."""

from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from django import template
from django.conf import settings
from django.forms import BaseForm
from django.utils import formats, timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _, ngettext

from peerorder.web.mail.services import is_set_up
from peerorder.web.markdown import as_html_again, leads_elsewhere

register = template.Library()
register.filter(leads_elsewhere)


@register.filter
def markdown(text: str) -> SafeString:
    """Markdown as safe HTML."""
    return as_html_again(text)


@register.filter
def mark(value: float | str | None) -> str:
    """A mark as people write it: a number, a letter, or a dash for none."""
    from peerorder.rounds.marking import as_mark

    return as_mark(value)


@register.filter
def over(moment: datetime | None) -> bool:
    """Whether a time has passed; one that there is none of never does."""
    return moment is not None and moment <= timezone.now()


@register.inclusion_tag("mail/nowhere.html")
def mail_goes_nowhere() -> dict[str, bool]:
    """A warning where no mail server is set up, or where links work on this machine alone."""
    host = urlsplit(settings.PUBLIC_URL).hostname
    return {
        "printed": not is_set_up(),
        "local": host in ("127.0.0.1", "localhost", "::1"),
    }


@register.inclusion_tag("error_summary.html")
def error_summary(form: BaseForm, title: str, note: str = "") -> dict[str, Any]:
    """All problems of a form that was refused, each with a link to its field."""
    problems = [{"what": error, "where": ""} for error in form.non_field_errors()]
    for field in form:
        # A group of buttons has no id of its own.
        where = field.id_for_label or field.subwidgets[0].id_for_label
        problems += [{"what": f"{field.label}: {error}", "where": where} for error in field.errors]
    return {"title": title, "note": note, "problems": problems}


@register.simple_tag
def mails_are_sent() -> bool:
    """Whether a mail server is set up, so that mails reach people."""
    return is_set_up()


@register.filter
def clock(moment: datetime) -> str:
    """A time of today in the time zone of the course, with its name; of another day with its date."""
    local = timezone.localtime(moment)
    today = local.date() == timezone.localdate()
    return f"{formats.date_format(local, 'TIME_FORMAT' if today else 'SHORT_DATETIME_FORMAT')} {local.tzname()}"


@register.filter
def when(moment: datetime | None) -> SafeString | str:
    """A time in the time zone of the course, with its name, which may be another than the reader's."""
    return "" if moment is None else _time(moment, "DATETIME_FORMAT")


@register.filter
def deadline(moment: datetime | None) -> SafeString | str:
    """A time as ``when`` has it, and how long there is until then."""
    if moment is None:
        return ""
    left = time_left(moment - timezone.now())
    return format_html("{} ({})", _time(moment, "DATETIME_FORMAT"), left) if left else _time(moment, "DATETIME_FORMAT")


def time_left(left: timedelta) -> str:
    """How long that is, in days, hours or minutes; empty where it is over."""
    minutes = int(left.total_seconds() // 60)
    if minutes < 0:
        return ""
    if minutes < 2 * 60:
        return ngettext("in %(many)d minute", "in %(many)d minutes", minutes) % {"many": minutes}
    if minutes < 2 * 24 * 60:
        return _("in %(many)d hours") % {"many": minutes // 60}
    return _("in %(many)d days") % {"many": minutes // (24 * 60)}


@register.filter
def when_exactly(moment: datetime) -> SafeString:
    """The same to the second, where two may come within a minute."""
    return _time(moment, "j M Y, H:i:s")


def _time(moment: datetime, how: str) -> SafeString:
    local = timezone.localtime(moment)
    return format_html(
        '<time datetime="{}">{} <abbr title="{}">{}</abbr></time>',
        local.isoformat(),
        formats.date_format(local, how),
        timezone.get_current_timezone_name(),
        local.tzname(),
    )
