"""The record in words: a sentence for every verb, with names that are looked up when somebody reads it."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.exceptions import FieldDoesNotExist
from django.utils import formats, timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from peerorder.web.courses.models import Member
from peerorder.web.log.models import Event
from peerorder.web.papers.models import Paper
from peerorder.web.people.models import Person
from peerorder.web.ranking.models import Problem
from peerorder.web.rounds.models import Assignment, Stage

__all__ = ["KINDS", "SENTENCES", "Line", "Told", "lines", "told"]

MANY = 4
"""So many events of one kind on one day become one line."""

SENTENCES = {
    "assignment made": gettext_lazy("made the assignment"),
    "assignment deleted": gettext_lazy("deleted a draft"),
    "assignment changed": gettext_lazy("changed the settings: %(fields)s"),
    "moved": gettext_lazy("moved it from “%(was)s” to “%(to)s”"),
    "hand-out asked again": gettext_lazy("asked once more for the papers to be handed out"),
    "handed out": gettext_lazy("%(slots)s papers were given out to be ranked"),
    "hand-out withdrawn": gettext_lazy("took back the papers that were given out"),
    "extension granted": gettext_lazy("gave %(member)s more time (handing in: %(hand_in_by)s; ranking: %(rank_by)s)"),
    "extension changed": gettext_lazy(
        "changed the extension of %(member)s (handing in: %(hand_in_by)s; ranking: %(rank_by)s)"
    ),
    "extension withdrawn": gettext_lazy("withdrew the extension of %(member)s"),
    "exported": gettext_lazy("exported everything"),
    "account changed": gettext_lazy("changed their own %(fields)s"),
    "password set": gettext_lazy("set a password"),
    "course made": gettext_lazy("made the course"),
    "course archived": gettext_lazy("archived the course"),
    "course brought back": gettext_lazy("brought the course back from the archive"),
    "course deleted": gettext_lazy("deleted the course"),
    "course changed": gettext_lazy("changed the course"),
    "link made": gettext_lazy("made a personal link for %(member)s"),
    "links exported": gettext_lazy("exported %(links)s personal links"),
    "links sent": gettext_lazy("sent personal links in %(mails)s mails"),
    "links revoked": gettext_lazy("revoked %(links)s personal links"),
    "student added": gettext_lazy("added %(member)s"),
    "staff added": gettext_lazy("added %(member)s to the staff"),
    "staff changed": gettext_lazy("changed the role of %(member)s"),
    "roster uploaded": gettext_lazy("uploaded a roster"),
    "roster applied": gettext_lazy("applied a roster"),
    "member changed": gettext_lazy("changed the entry of %(member)s"),
    "member removed": gettext_lazy("removed %(member)s from the course"),
    "member put back": gettext_lazy("put %(member)s back into the course"),
    "person erased": gettext_lazy("erased %(member)s"),
    "mails tried again": gettext_lazy("had %(mails)s mails tried again"),
    "paper handed in": gettext_lazy("handed in paper %(paper)s"),
    "paper withdrawn": gettext_lazy("withdrew paper %(paper)s"),
    "paper put back": gettext_lazy("put paper %(paper)s back"),
    "author joined": gettext_lazy("made %(member)s an author of paper %(paper)s"),
    "ranking handed in": gettext_lazy("handed in a ranking"),
    "problem reported": gettext_lazy("reported a problem with a paper (%(kind)s)"),
    "problem answered": gettext_lazy("answered a reported problem"),
    "reminder sent": gettext_lazy("reminded %(member)s"),
    "reminders asked for": gettext_lazy("had everybody reminded who has not finished"),
    "offers asked for": gettext_lazy("had students asked to rank more papers"),
    "late papers let join": gettext_lazy("let late papers join"),
    "offers made": gettext_lazy("%(people)s students were asked to rank more papers"),
    "offer answered": gettext_lazy("answered whether to rank more papers (%(accepted)s)"),
    "password made": gettext_lazy("a password was made"),
    "sample made": gettext_lazy("the sample course was made"),
}
"""What follows the name of whoever did it. A verb that is not here is shown as it is, with its numbers."""

KINDS = {
    "assignment made": gettext_lazy("assignments made"),
    "assignment deleted": gettext_lazy("drafts deleted"),
    "assignment changed": gettext_lazy("settings changed"),
    "moved": gettext_lazy("steps from one stage to the next"),
    "hand-out asked again": gettext_lazy("hand-outs asked for once more"),
    "handed out": gettext_lazy("papers given out"),
    "late papers let join": gettext_lazy("late papers let join"),
    "hand-out withdrawn": gettext_lazy("papers taken back"),
    "extension granted": gettext_lazy("more time given"),
    "extension changed": gettext_lazy("extensions changed"),
    "extension withdrawn": gettext_lazy("extensions withdrawn"),
    "exported": gettext_lazy("exports of everything"),
    "account changed": gettext_lazy("own names and addresses changed"),
    "password set": gettext_lazy("passwords set"),
    "course made": gettext_lazy("course made"),
    "course archived": gettext_lazy("course archived"),
    "course brought back": gettext_lazy("course brought back"),
    "course deleted": gettext_lazy("course deleted"),
    "course changed": gettext_lazy("course changed"),
    "link made": gettext_lazy("personal links made"),
    "links exported": gettext_lazy("personal links exported"),
    "links sent": gettext_lazy("personal links sent"),
    "links revoked": gettext_lazy("personal links revoked"),
    "student added": gettext_lazy("students added"),
    "staff added": gettext_lazy("staff added"),
    "staff changed": gettext_lazy("roles changed"),
    "roster uploaded": gettext_lazy("rosters uploaded"),
    "roster applied": gettext_lazy("rosters applied"),
    "member changed": gettext_lazy("entries of people changed"),
    "member removed": gettext_lazy("people removed"),
    "member put back": gettext_lazy("people put back"),
    "person erased": gettext_lazy("people erased"),
    "mails tried again": gettext_lazy("mails tried again"),
    "paper handed in": gettext_lazy("papers handed in"),
    "paper withdrawn": gettext_lazy("papers withdrawn"),
    "paper put back": gettext_lazy("papers put back"),
    "author joined": gettext_lazy("authors added to a paper"),
    "ranking handed in": gettext_lazy("rankings handed in"),
    "problem reported": gettext_lazy("problems reported"),
    "problem answered": gettext_lazy("problems answered"),
    "reminder sent": gettext_lazy("single reminders"),
    "reminders asked for": gettext_lazy("reminders to all"),
    "offers asked for": gettext_lazy("questions for more rankings asked for"),
    "offers made": gettext_lazy("questions for more rankings"),
    "offer answered": gettext_lazy("answers whether to rank more"),
    "password made": gettext_lazy("passwords made"),
    "sample made": gettext_lazy("sample course made"),
}
"""What many events of one verb are called together."""


@dataclass(frozen=True)
class Told:
    """An event as people read it."""

    at: datetime
    who: str
    what: str
    assignment: Assignment | None
    verb: str = ""

    @property
    def kind(self) -> str:
        """What such events are called together."""
        return str(KINDS.get(self.verb, self.verb))


@dataclass(frozen=True)
class Line:
    """One event, or many of the same kind, which say little one by one."""

    events: list[Told]

    @property
    def first(self) -> Told:
        """The newest."""
        return self.events[0]

    @property
    def last(self) -> Told:
        """The oldest."""
        return self.events[-1]

    @property
    def folded(self) -> bool:
        """Whether there are too many to be read."""
        return len(self.events) >= MANY

    @property
    def people(self) -> list[str]:
        """Who they are by, each once."""
        return list(dict.fromkeys(event.who for event in self.events))


def lines(events: Iterable[Told]) -> list[Line]:
    """Where a day has many events of one kind in one assignment, they go together, where the newest of them stands."""
    found: dict[object, list[Told]] = {}
    events = list(events)
    for event in events:
        found.setdefault(_kind(event), []).append(event)
    result = []
    for event in events:
        same = found[_kind(event)]
        if len(same) < MANY:
            result.append(Line([event]))
        elif event is same[0]:
            result.append(Line(same))
    return result


def _kind(event: Told) -> object:
    return timezone.localdate(event.at), event.verb, event.assignment


class _Details(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return _("somebody") if key == "member" else "?"


def told(events: Iterable[Event]) -> list[Told]:
    """Events in words, with as few questions to the database as there are kinds of names."""
    found = list(events)
    people = Person.objects.in_bulk({event.person_id for event in found if event.person_id is not None})
    assignments = Assignment.objects.in_bulk(
        {event.assignment_id for event in found if event.assignment_id is not None}
    )
    members = Member.objects.select_related("person").in_bulk(_numbers(found, "member"))
    papers = Paper.objects.in_bulk(_numbers(found, "paper"))
    result = []
    for event in found:
        if event.person_id is None:
            who = _("By itself")
        else:
            who = str(people[event.person_id]) if event.person_id in people else _("Somebody")
        details = _Details({key: _in_words(key, value, members, papers) for key, value in event.details.items()})
        sentence = SENTENCES.get(event.verb)
        if sentence is not None:
            what = str(sentence) % details
        else:
            what = ", ".join([event.verb, *(f"{key}: {value}" for key, value in details.items())])
        result.append(Told(event.at, who, what, assignments.get(event.assignment_id or 0), event.verb))
    return result


def _numbers(events: list[Event], key: str) -> set[int]:
    return {event.details[key] for event in events if isinstance(event.details.get(key), int)}


def _in_words(key: str, value: Any, members: dict[Any, Member], papers: dict[Any, Paper]) -> str:
    if value is None or value == "":
        return _("as everybody else") if key in ("hand_in_by", "rank_by") else "?"
    if key == "member":
        return _name(members[value]) if value in members else _("somebody")
    if key == "paper":
        return str(papers[value]) if value in papers else str(value)
    if key in ("was", "to") and value in Stage.values:
        return str(Stage(value).label)
    if key == "kind" and value in Problem.Kind.values:
        return str(Problem.Kind(value).label).lower()
    if key == "accepted":
        return _("yes") if value else _("no")
    if key == "fields" and isinstance(value, list):
        return ", ".join(_field(name) for name in value)
    if isinstance(value, str) and (moment := _moment(value)) is not None:
        return formats.date_format(timezone.localtime(moment), "DATETIME_FORMAT")
    return str(value)


def _name(member: Member) -> str:
    """Whoever was erased has only a code left."""
    return member.person.name or member.student or str(member)


def _field(name: str) -> str:
    try:
        field = Assignment._meta.get_field(name)
    except FieldDoesNotExist:
        return name
    return str(getattr(field, "verbose_name", name))


def _moment(text: str) -> datetime | None:
    try:
        moment = parse_datetime(text)
    except ValueError:
        return None
    return moment if moment is not None and timezone.is_aware(moment) else None
