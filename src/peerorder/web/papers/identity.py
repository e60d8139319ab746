"""Whether a paper says who wrote it."""

import re
import unicodedata
from collections.abc import Iterable

from peerorder.web.courses.models import Member

__all__ = ["shown"]


def shown(words: str, authors: Iterable[Member]) -> list[str]:
    """What of its authors can be read in a paper: names, ids, e-mail addresses, as they stand on the roster."""
    text = _plain(words)
    found = []
    for author in authors:
        person = author.person
        parts = _plain(person.name).split()
        names = {" ".join(parts), " ".join([*parts[1:], *parts[:1]]), " ".join([*parts[-1:], *parts[:-1]])}
        # Short names and ids are parts of ordinary texts too.
        if any(len(name) >= 4 and _stands(name, text) for name in names):
            found.append(person.name)
        if person.email and _plain(person.email) in text:
            found.append(person.email)
        student = _plain(author.student)
        if (len(student) >= 5 or (len(student) >= 3 and any(map(str.isdigit, student)))) and _stands(student, text):
            found.append(author.student)
    return list(dict.fromkeys(found))


def _plain(text: str) -> str:
    """In small letters without accents; one space between words, and no commas, as in "Doe, Jane"."""
    bare = "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))
    return " ".join(bare.casefold().replace(",", " ").split())


def _stands(name: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None
