"""Whether a paper says who wrote it.

What identifies somebody is the whole name, the surname, the id and the e-mail address. A first name alone stands in
many texts for many reasons, so it counts only where a text is signed with it.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator

from peerorder.web.courses.models import Member
from peerorder.web.courses.search import plain

# Shorter ones are parts of ordinary texts too.
SHORTEST_NAME, SHORTEST_FIRST = 4, 3
PARTICLES = frozenset(
    ("al", "bin", "da", "de", "del", "den", "der", "di", "dos", "du", "el", "ibn", "la", "van", "von")
)
"""Small words that belong to the surname behind them."""
LONG = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "Å": "Aa", "Ø": "Oe"}
)
"""Letters that are written as two where keyboards lack them; others lose their accents (``plain``)."""
SHORT = re.compile("ae|oe|ue|aa", re.IGNORECASE)


def find_identities(words: str, authors: Iterable[Member]) -> list[str]:
    """Return what of its authors can be read in a paper: names, ids, e-mail addresses, as on the roster."""
    text = plain(words)
    result: list[str] = []
    for author in authors:
        person = author.person
        result += _names(person.name, words, text)
        if person.email and plain(person.email) in text:
            result.append(person.email)
        student = plain(author.student)
        if (len(student) >= 5 or (len(student) >= 3 and any(map(str.isdigit, student)))) and _contains(student, text):
            result.append(author.student)
    return list(dict.fromkeys(result))


def _names(name: str, words: str, text: str) -> Iterator[str]:
    """Yield the whole name if it is there, or else the surname, or else a signature with the first name."""
    parts = {_find_part(spelling, words, text) for spelling in _spellings(name)}
    before, comma, after = (part.strip() for part in name.partition(","))
    if "name" in parts:
        yield name
    elif "surname" in parts:
        yield before if comma else name.split()[-1]
    elif "first" in parts:
        yield (after or before).split()[0]


def _spellings(name: str) -> set[str]:
    """Return a name as it stands, as people write it who lack some letters, and as those do who have them."""
    long = name.translate(LONG)
    return {name, long, SHORT.sub(lambda pair: pair[0][0], long)}


def _find_part(name: str, words: str, text: str) -> str:
    """Return which part of a name is there in this spelling."""
    first, surname = _parts(name)
    whole = {
        " ".join(order) for order in ((*first, *surname), (*surname, *first), (*surname[-1:], *first, *surname[:-1]))
    }
    if first and surname:
        whole |= {f"{first[0]} {surname[-1]}", f"{surname[-1]} {first[0]}", f"{first[0]} {' '.join(surname)}"}
    if first and surname and any(len(each) >= SHORTEST_NAME and _contains(each, text) for each in whole):
        return "name"
    if surname and _contains_capitalised(surname[-1], words):
        return "surname"
    return "first" if first and _is_signature(first[0], words) else ""


def _parts(name: str) -> tuple[list[str], list[str]]:
    """Return first names and surname, in plain letters; a single name counts as a first name."""
    before, comma, after = name.partition(",")
    if comma and after.strip():
        return plain(after).split(), plain(before).split()
    words = plain(name).split()
    if len(words) < 2:
        return words, []
    index = len(words) - 1
    while index > 1 and words[index - 1] in PARTICLES:
        index -= 1
    return words[:index], words[index:]


def _contains(name: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _contains_capitalised(surname: str, words: str) -> bool:
    """Return whether a word stands with a large letter: many surnames are ordinary words in small ones."""
    if len(surname) < SHORTEST_NAME:
        return False
    apart = unicodedata.normalize("NFKD", words.replace("\u2019", "'"))
    bare = "".join(letter for letter in apart if not unicodedata.combining(letter))
    # Of "Smith-Jones's" the whole, without the ending, and its parts.
    written = {
        each for word in re.findall(r"\w+(?:[-']\w+)*", bare) for each in (word.removesuffix("'s"), *_split(word))
    }
    return any(word[:1].isupper() and plain(word) == surname for word in written)


def _split(word: str) -> list[str]:
    return re.split("[-']", word)


def _is_signature(first: str, words: str) -> bool:
    """Return whether the name stands on a line of its own, alone or after "by" or something with a colon."""
    if len(first) < SHORTEST_FIRST:
        return False
    signature = re.compile(rf"(?:[\w ]{{1,20}}: ?|by )?{re.escape(first)}(?: \w)?")
    return any(
        signature.fullmatch(plain(line).strip(" .!#*_-\u2013\u2014")) for line in words.splitlines() if len(line) < 80
    )
