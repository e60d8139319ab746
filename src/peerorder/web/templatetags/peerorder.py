"""Filters and tags for all templates."""

from datetime import datetime, timedelta
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from django import template
from django.conf import settings
from django.forms import BaseForm
from django.utils import formats, timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _, ngettext
from heroicons.templatetags.heroicons import heroicon_outline

from peerorder.web import navigation
from peerorder.web.mail.services import is_set_up
from peerorder.web.markdown import as_html_cached, leads_elsewhere

register = template.Library()
register.filter(leads_elsewhere)


@register.filter
def markdown(text: str) -> SafeString:
    """Markdown as safe HTML."""
    return as_html_cached(text)


@register.filter
def mark(value: float | str | None) -> str:
    """A mark as people write it: a number, a letter, or a dash for none."""
    from peerorder.rounds.marking import as_mark

    return as_mark(value)


@register.filter
def over(moment: datetime | None) -> bool:
    """Whether a time has passed; one that there is none of never does."""
    return moment is not None and moment <= timezone.now()


@register.inclusion_tag("mail/nowhere.html", takes_context=True)
def mail_goes_nowhere(context: template.Context) -> dict[str, Any]:
    """Say in one line that no mail server is set up, or that links work only on this computer."""
    member = getattr(context["request"], "member", None)
    return mail_warning() | {"course": member and member.course}


@register.inclusion_tag("mail/warning.html")
def mail_warning() -> dict[str, Any]:
    """Say the same and what to do about it, once in a course."""
    local = urlsplit(settings.PUBLIC_URL).hostname in ("127.0.0.1", "localhost", "::1")
    in_terminal = settings.EMAIL_BACKEND == "django.core.mail.backends.console.EmailBackend"
    return {"printed": not is_set_up(), "in_terminal": in_terminal, "local": local}


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


@register.simple_tag
@cache
def icon(name: str) -> str:
    """Draw an icon of heroicons, which says nothing that the words beside it do not say."""
    return heroicon_outline(name, size=20, **{"class": "icon"})


@register.filter
def initials(name: object) -> str:
    """Return the first characters of the first and the last word."""
    words = str(name).split()
    return "".join(word[0] for word in (words if len(words) < 2 else (words[0], words[-1]))).upper()


@register.inclusion_tag("tabs.html", takes_context=True)
def course_tabs(context: template.Context) -> dict[str, Any]:
    """Show the tabs of the course of the page."""
    member, view = context["request"].member, context["request"].resolver_match.view_name
    tabs = navigation.course_tabs(member.course, instructs=member.role == "instructor", view=view)
    return {"tabs": tabs, "label": _("Course")}


@register.inclusion_tag("tabs.html", takes_context=True)
def assignment_tabs(context: template.Context) -> dict[str, Any]:
    """Show the tabs of the assignment of the page."""
    member, view = context["request"].member, context["request"].resolver_match.view_name
    tabs = navigation.assignment_tabs(context["assignment"], instructs=member.role == "instructor", view=view)
    return {"tabs": tabs, "label": _("Assignment")}


@register.filter
def clock(moment: datetime) -> str:
    """A time of today in the time zone of the course, with its name; of another day with its date."""
    local = timezone.localtime(moment)
    today = local.date() == timezone.localdate()
    return f"{formats.date_format(local, 'TIME_FORMAT' if today else 'SHORT_DATETIME_FORMAT')} {local.tzname()}"


@register.filter
def when(moment: datetime | None) -> SafeString | str:
    """A time as people say it; pages name its time zone once, and here it is for those who point at it or listen."""
    return "" if moment is None else _time(moment, "D, j M, H:i", "D, j M Y, H:i")


@register.filter
def deadline(moment: datetime | None) -> SafeString | str:
    """A time with its day of the week, and how long there is until then."""
    if moment is None:
        return ""
    shown = _time(moment, "l, j M, H:i", "l, j M Y, H:i")
    left = time_left(moment - timezone.now()).replace(" ", "\N{NO-BREAK SPACE}")
    return format_html("{}, {}", shown, left) if left else shown


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
    return _time(moment, "j M Y, H:i:s", "j M Y, H:i:s")


@register.filter
def days(period: tuple[datetime | None, datetime | None]) -> str:
    """The days from a time until another, of which one may be missing: 13 - 20 Nov."""
    first, last = (each and timezone.localdate(each) for each in period)
    if first is None or last is None or first == last:
        only = first or last
        return "" if only is None else formats.date_format(only, "j M")
    same_month = (first.year, first.month) == (last.year, last.month)
    return f"{formats.date_format(first, 'j' if same_month else 'j M')} \N{EN DASH} {formats.date_format(last, 'j M')}"


def _time(moment: datetime, this_year: str, other_year: str) -> SafeString:
    local = timezone.localtime(moment)
    how = this_year if local.year == timezone.localdate().year else other_year
    zone, exactly = timezone.get_current_timezone_name(), formats.date_format(local, "l, j F Y, H:i:s")
    return format_html(
        '<time datetime="{}" title="{} {} ({})">{}<span class="sr"> {}</span></time>',
        *(local.isoformat(), exactly, local.tzname(), zone, formats.date_format(local, how), local.tzname()),
    )
