"""Find people by what somebody types: any part of a name, an id or an address, without minding accents and case.

Databases differ in what they take for the same letter, so this is done here; a class is small enough for it. Here is
also the order in which people are listed.
"""

import unicodedata

from django.db.models import Case, Expression, QuerySet, Value, When
from django.db.models.functions import Lower, Reverse, Right, StrIndex, Trim
from django.db.models.lookups import GreaterThan
from django.utils.translation import gettext as _

from peerorder.web.courses.models import Course, Member
from peerorder.web.tables import Filter

# Letters that are no others with an accent, and that people without them on their keyboard write so.
WRITTEN = str.maketrans(
    {
        "ø": "o",
        "ł": "l",
        "đ": "d",
        "ħ": "h",
        "\u0131": "i",
        "æ": "ae",
        "œ": "oe",
        "ð": "d",
        "þ": "th",
        "ŋ": "n",
        ",": " ",
    }
)
MOST = 5000


def plain(text: str) -> str:
    """Return a text in lower case without accents, with one space between words and no commas, as in "Doe, Jane"."""
    if text.isascii():
        return " ".join(text.lower().replace(",", " ").split())
    # Few words of a long text have accents.
    text = " ".join(word if word.isascii() else _without_accents(word) for word in text.split())
    return " ".join(text.casefold().translate(WRITTEN).split())


def _without_accents(word: str) -> str:
    apart = unicodedata.normalize("NFKD", word)
    return "".join(letter for letter in apart if not unicodedata.combining(letter))


def by_surname(member: str = "") -> tuple[Expression | str, ...]:
    """Return what members are ordered by: the last word of a name, unless that is written as "Doe, Jane".

    Rows that are not members have the way to one before it, as in ``member__``.
    """
    name = Lower(Trim(f"{member}person__name"))
    space = StrIndex(Reverse(name), Value(" "))
    surname = Case(
        When(**{f"{member}person__name__contains": ","}, then=name),
        When(GreaterThan(space, 0), then=Right(name, space - 1)),
        default=name,
    )
    return surname, name, f"{member}student", f"{member}pk"


def section_filters(course: Course) -> list[Filter]:
    """Return the filter of a list by section, where a course has some."""
    sections = [(str(each.pk), each.name) for each in course.sections.order_by("name")]
    return [Filter("section", _("Section"), sections, _("All sections"))] if sections else []


def find_members(members: QuerySet[Member], typed: str, most: int = MOST) -> list[int]:
    """Return the ids of the members whose name, id, address or team holds every typed word, in their order."""
    words = plain(typed.replace("\0", "")).split()[:10]
    matches: list[int] = []
    for number, *texts in members.values_list("pk", "person__name", "student", "person__email", "team").iterator():
        text = plain(" ".join(texts))
        if all(word in text for word in words):
            matches.append(number)
            if len(matches) == most:
                break
    return matches
