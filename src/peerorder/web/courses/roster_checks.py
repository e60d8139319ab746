"""What may be wrong with a roster, though it can be used: for somebody who knows the people to look at."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from django.utils.translation import gettext as _, ngettext

from peerorder.files.tables.roster_columns import bare
from peerorder.web.courses.models import Member
from peerorder.web.courses.roster import Reading, Row

NAMED = 10
# What is left of a letter that a program could not write.
LOST = re.compile("[?\ufffd]")


def doubtful(reading: Reading, members: Iterable[Member], sections: Iterable[str]) -> tuple[str, ...]:
    """Return a sentence on everything that should be looked at: in the rows, and against the course as it is."""
    rows = reading.rows
    ids = {row.student for row in rows}
    known = {member.student: member.person.email for member in members if member.removed_at is None and member.student}
    others = [(student, email) for student, email in known.items() if student not in ids]
    # Where the file says nothing about addresses, people keep those that they have.
    addresses = [(row.student, known.get(row.student, "") if row.email is None else row.email) for row in rows]
    return (
        *_shared(addresses, others),
        *_missing(student for student, email in addresses if not email),
        *_odd_ids(row.student for row in rows),
        *_alike(_("Sections"), [*(row.section for row in rows if row.section), *sections], bare),
        *_alike(_("Teams"), [*(row.team for row in rows if row.team), *dict(reading.alone)], _folded),
        *_teams_of_one(reading.alone),
        *_alike(_("IDs"), [*(row.student for row in rows), *known], _folded),
        *_lost_letters(rows),
    )


def _shared(addresses: Sequence[tuple[str, str]], others: Sequence[tuple[str, str]]) -> Iterator[str]:
    by_address: dict[str, list[str]] = {}
    for student, email in addresses:
        if email:
            by_address.setdefault(email.casefold(), []).append(student)
    for student, email in others:
        if email.casefold() in by_address:
            by_address[email.casefold()].append(student)
    for email, students in by_address.items():
        if len(students) > 1:
            sentence = _(
                "%(students)s share the address %(email)s, so each would receive the personal link of the other."
            )
            yield sentence % {"students": _some(students), "email": email}


def _missing(students: Iterable[str]) -> Iterator[str]:
    if named := [*students]:
        sentence = ngettext(
            "%(count)d person has no e-mail address and will receive no e-mails: %(students)s",
            "%(count)d people have no e-mail address and will receive no e-mails: %(students)s",
            len(named),
        )
        yield sentence % {"count": len(named), "students": _some(named)}


def _odd_ids(students: Iterable[str]) -> Iterator[str]:
    if odd := [student for student in students if re.search(r"[\s,;]", student)]:
        sentence = _(
            "IDs with spaces or commas: %(students)s. If these are names, choose another column for the student ID."
        )
        yield sentence % {"students": _some(odd, "; ")}


def _folded(name: str) -> str:
    return re.sub(r"\s+", "", name.casefold())


def _alike(what: str, names: Iterable[str], key: Callable[[str], str]) -> Iterator[str]:
    alike: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        alike.setdefault(key(name), []).append(name)
    for several in alike.values():
        if len(several) > 1:
            shown = " / ".join(f"“{name}”" for name in several[:NAMED])
            sentence = _("%(what)s that differ only in case or punctuation are treated as different: %(names)s")
            yield sentence % {"what": what, "names": shown}


def _teams_of_one(alone: Iterable[tuple[str, str]]) -> Iterator[str]:
    if named := [f"{team} ({student})" for team, student in alone]:
        sentence = _("Teams with only one student, who hands in alone: %(teams)s")
        yield sentence % {"teams": _some(named)}


def _lost_letters(rows: Iterable[Row]) -> Iterator[str]:
    if lost := [f"{row.name} ({row.student})" for row in rows if row.name and LOST.search(row.name)]:
        sentence = _("Names that may have lost characters: %(names)s. Save the file as CSV UTF-8 or XLSX.")
        yield sentence % {"names": _some(lost)}


def _some(names: Sequence[str], between: str = ", ") -> str:
    more = _(" and %(count)d more") % {"count": len(names) - NAMED} if len(names) > NAMED else ""
    return between.join(names[:NAMED]) + more
