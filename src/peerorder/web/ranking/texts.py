"""Texts for the scripts of the ranking page, and why ranking is over, in the language of the reader."""

import json
from datetime import datetime

from django.utils import timezone
from django.utils.html import strip_tags
from django.utils.translation import gettext as _

from peerorder.web.assignments.models import Assignment
from peerorder.web.templatetags.peerorder import when


def why_closed(assignment: Assignment, deadline: datetime | None) -> str:
    """Return why no ranking is taken from somebody who had time until then."""
    if assignment.course.archived_at is not None:
        return _("The course is archived, so rankings are no longer accepted.")
    if deadline is None or deadline > timezone.now():
        return _("Your instructor closed ranking.")
    moment = strip_tags(when(deadline))
    if deadline == assignment.rank_ended_at:
        return _("Your instructor closed ranking on %(when)s.") % {"when": moment}
    return _("The deadline was %(when)s.") % {"when": moment}


def texts() -> str:
    """Return the sentences by name, as JSON for an attribute of the page; the names in braces are filled in there."""
    return json.dumps(
        {
            "only": _("{paper}, now {place} of {all}"),
            "above": _("{paper}, now {place} of {all}, above {other}"),
            "below": _("{paper}, now {place} of {all}, below {other}"),
            "tied": _("{paper}, now {place} of {all}, tied with {other}"),
            "and": _("{one} and {other}"),
            "down": _("{where}. {others} moved down."),
            "up": _("{where}. {others} moved up."),
            "others": _("{count} others"),
            "unplaced": _("{paper} no longer has a place"),
            "unjudged": _("{paper}: you cannot judge it"),
            "picked": _("{where}. Picked up: arrow keys move it, Space drops it, Escape puts it back."),
            "dropped": _("Dropped. {where}"),
            "back": _("Put back. {where}"),
            "first": _("{paper} is already first"),
            "last": _("{paper} is already last"),
            "placed": _("{placed} of {all} placed"),
            "aside": _("{aside} not judged"),
            "comments": _("{written} of {all} comments"),
            "dealt": _("{dealt} of {all} done"),
            "opened": _("{opened} opened"),
            "untie": _("Take out of the tie"),
            "tie": _("Tie with the one above"),
            "saving": _("Saving…"),
            "saved": _("Saved {time}"),
            "offline": _("Offline \u2013 saved on this device"),
            "offline-why": _("You are offline. We keep your changes on this device and try again."),
            "unread": _("You are offline, so {paper} cannot be opened now. It opens when you are online again."),
            "failed": _("Not saved: server error"),
            "failed-why": _(
                "The server did not respond as expected. We keep your changes on this device and try again."
            ),
            "later": _("Not saved yet"),
            "later-why": _(
                "You saved many times in a short time. We keep your changes on this device and save them in a moment."
            ),
            "refused": _("Not saved: see top of page"),
            "refused-why": "{why}",
            "stopped": _("Not saved: see top of page"),
            "stopped-why": _("{why} We keep your changes on this device."),
            "out": _("Not saved: logged out"),
            "out-why": _("You are logged out. We keep your changes on this device: log in again and reload this page."),
            "late": _("Not saved: too late"),
            "late-why": _("{why} Your last changes are kept but do not count."),
            "new": _("You have new papers to rank. Reload the page to see them; your work is saved."),
            "again": _("You changed your ranking after you handed it in. Hand in again, or undo your changes."),
            "recovered": _("We found unsaved changes on this device and restored them."),
            "needless": _("No comment is needed on a paper that you cannot judge."),
            "characters": _("{count} characters"),
            "short": _("{count} of {least} characters"),
            "note": _("{paper}, your note: {text}"),
            "tryfirst": _("Not handed in: offline"),
            "tryfirst-why": _(
                "You are offline, so your ranking is not handed in yet. It is kept on this device: "
                "press “Hand in” again when you are online."
            ),
            "unhanded": _("Not handed in: see top of page"),
            "unhanded-why": _("{why} Your ranking is not handed in yet."),
            "saved-now": _("Your changes are saved now, but your ranking is not handed in yet. Press “Hand in”."),
            "online": _("You are online again, but your ranking is not handed in yet. Press “Hand in”."),
            "nothing": _("no papers placed"),
        }
    )
