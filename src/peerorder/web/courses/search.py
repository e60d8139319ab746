"""Find people by what somebody types: any part of a name, an id or an address, without minding accents and case.

Databases differ in what they take for the same letter, so this is done here; a class is small enough for it. Here is
also the order in which people are listed.
"""

import unicodedata

from django.db.models import Case, Expression, QuerySet, Value, When
from django.db.models.functions import Lower, Reverse, Right, StrIndex, Trim
from django.db.models.lookups import GreaterThan

from peerorder.web.courses.models import Member

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
    """In small letters without accents; one space between words, and no commas, as in "Doe, Jane"."""
    if text.isascii():
        return " ".join(text.lower().replace(",", " ").split())
    # Few words of a long text have accents.
    text = " ".join(word if word.isascii() else _without_accents(word) for word in text.split())
    return " ".join(text.casefold().translate(WRITTEN).split())


def _without_accents(word: str) -> str:
    apart = unicodedata.normalize("NFKD", word)
    return "".join(letter for letter in apart if not unicodedata.combining(letter))


def by_surname() -> tuple[Expression | str, ...]:
    """Return what members are ordered by: the last word of a name, unless that is written as "Doe, Jane"."""
    name = Lower(Trim("person__name"))
    space = StrIndex(Reverse(name), Value(" "))
    surname = Case(
        When(person__name__contains=",", then=name),
        When(GreaterThan(space, 0), then=Right(name, space - 1)),
        default=name,
    )
    return surname, name, "student", "pk"


def matching(members: QuerySet[Member], typed: str, most: int = MOST) -> list[int]:
    """The numbers of the members in whose name, id, address and team every typed word stands, in their order."""
    words = plain(typed.replace("\0", "")).split()[:10]
    found: list[int] = []
    for number, *texts in members.values_list("pk", "person__name", "student", "person__email", "team").iterator():
        there = plain(" ".join(texts))
        if all(word in there for word in words):
            found.append(number)
            if len(found) == most:
                break
    return found
