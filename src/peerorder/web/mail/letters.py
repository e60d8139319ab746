"""What mails to students say about an assignment, in plain words.

All have the same shape: whom it is for, what happened and what is to do, until when, and the personal link.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from django.utils import formats, timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from peerorder.web.people.models import Person
from peerorder.web.rounds.models import Assignment

__all__ = ["LINK", "Letter", "letter", "time_until"]

LINK = "{link}"
"""Stands in a body where the personal link goes, which is made when the mail is sent."""


@dataclass(frozen=True)
class Letter:
    """A subject and a body."""

    subject: str
    body: str

    @property
    def shown(self) -> str:
        """The body for staff to look at before anything is sent."""
        return self.body.replace(LINK, _("(here is the personal link)"))


TEXTS: dict[str, tuple[str | Promise, str | Promise]] = {
    "opened": (
        gettext_lazy("You can hand in: %(title)s"),
        gettext_lazy("you can hand in your paper for “%(title)s” (%(course)s) now."),
    ),
    "handed out": (
        gettext_lazy("Papers wait for you: %(title)s"),
        gettext_lazy(
            "ranking has begun for “%(title)s” (%(course)s). %(papers)d papers by others wait for you: please read "
            "them, put them in order, the best one first, and hand that in."
        ),
    ),
    "more papers": (
        gettext_lazy("More papers wait for you: %(title)s"),
        gettext_lazy(
            "there are more papers for you to rank in “%(title)s” (%(course)s): %(papers)d. Please give them their "
            "places, and hand in your ranking once more."
        ),
    ),
    "go on": (
        gettext_lazy("You can go on ranking: %(title)s"),
        gettext_lazy("you can rank again for “%(title)s” (%(course)s), and your ranking is not handed in yet."),
    ),
    "more time": (
        gettext_lazy("You have more time: %(title)s"),
        gettext_lazy("you have more time for “%(title)s” (%(course)s)."),
    ),
    "answered": (
        gettext_lazy("Your report is answered: %(title)s"),
        gettext_lazy(
            "you reported a problem with paper %(letter)s of “%(title)s” (%(course)s). This is the answer:\n\n"
            "%(answer)s\n"
        ),
    ),
    "please hand in": (
        gettext_lazy("Please hand in: %(title)s"),
        gettext_lazy("your paper for “%(title)s” (%(course)s) is not here yet."),
    ),
    "please rank": (
        gettext_lazy("Please rank: %(title)s"),
        gettext_lazy(
            "your ranking for “%(title)s” (%(course)s) is not here yet. Others wait for it as you do for theirs."
        ),
    ),
    "offer": (
        gettext_lazy("A few more papers? %(title)s"),
        gettext_lazy(
            "you have ranked all your papers for “%(title)s” (%(course)s): thank you. Some papers have few rankings "
            "yet, and %(papers)d more from you would help. Say yes or no on your page."
        ),
    ),
}


def letter(kind: str, assignment: Assignment, person: Person, lines: Iterable[str] = (), **about: str | int) -> Letter:
    """A mail to one person; ``lines`` follow what it is about, as until when there is time."""
    words: dict[str, str | int] = {"title": assignment.title, "course": assignment.course.name, **about}
    # The link must stand where we put it, and nowhere else.
    words = {key: value.replace(LINK, "") if isinstance(value, str) else value for key, value in words.items()}
    subject, what = TEXTS[kind]
    name = person.name.replace(LINK, "")
    body = [_("Hello %(name)s,") % {"name": name} if name else _("Hello,"), "", str(what) % words, *lines]
    body += ["", _("This is your personal link; please do not pass it on:"), LINK, ""]
    return Letter(str(subject) % words, "\n".join(body))


def time_until(assignment: Assignment, moment: datetime | None, said: str = "") -> list[str]:
    """The line that says until when there is time, on the clocks of the course; none where there is no end."""
    if moment is None:
        return []
    zone = ZoneInfo(assignment.course.time_zone)
    when = f"{formats.date_format(timezone.localtime(moment, zone), 'DATETIME_FORMAT')} ({zone.key})"
    return [(said or _("There is time until %(when)s.")) % {"when": when}]
