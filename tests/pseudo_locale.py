"""English that looks foreign: accented, longer and in brackets, so that a text which nobody can translate stands out.

The catalogues are made from the messages that translators get, and from Django's own.
"""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path

import django
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from django.test import override_settings

from peerorder.core import translation
from translations.extraction import library_messages, new_catalog, web_messages

LOCALE, LANGUAGE = "en_XA", "en-xa"
OPEN, CLOSE = "⟦⟧"
ACCENTS = str.maketrans("ACDEGHIJKLNOSTUWYZacdeghijklnostuwyz", "ÅÇÐÉĜĤÎĴĶĻÑÖŠŢÛŴÝŽåçðéĝĥîĵķļñöšţûŵýž")
# Placeholders, tags and entities, and what stands in backticks: names of parameters and commands.
KEPT = re.compile(r"(%\(\w+\)[-+ #.\d]*\w|%[-.\d]*[sdfg%]|\{[^{}]*\}|<[^<>]+>|&\w+;|`[^`]*`)")

SPOKEN = ("alt", "title", "placeholder", "aria-label", "data-label", "data-logout", "data-copied")
"""Attributes that people read or hear."""
# What people wrote is shown in these, as they wrote it.
WRITTEN = {"excerpt", "paper-text", "prose"}


def pseudo(message: str) -> str:
    """Return a message as a translator might, with vowels twice, which makes it some 40% longer."""
    if message == "yes,no,maybe":  # which Django takes apart again
        return ",".join(map(pseudo, message.split(",")))
    if not re.search(r"[^\W\d_]", KEPT.sub("", message)):
        return message
    pieces = KEPT.split(message)
    pieces[::2] = [re.sub(r"([aeiouAEIOU])", r"\1\1", piece).translate(ACCENTS) for piece in pieces[::2]]
    return f"{OPEN}{''.join(pieces)}{CLOSE}"


def compile_catalogues(folder: Path) -> None:
    """Write the catalogues of both domains into a folder."""
    for domain, messages in (("peerorder", library_messages()), ("django", _with_django(web_messages()))):
        path = folder / LOCALE / "LC_MESSAGES" / f"{domain}.mo"
        path.parent.mkdir(parents=True, exist_ok=True)
        translated = new_catalog("en")
        for message in messages:
            if message.id:
                ids = message.id if isinstance(message.id, tuple) else (message.id,)
                strings = tuple(map(pseudo, ids))
                translated.add(message.id, strings if message.pluralizable else strings[0], context=message.context)
        with path.open("wb") as file:
            write_mo(file, translated)


def _with_django(messages: Catalog) -> Catalog:
    """Add the texts of Django, such as names of months and complaints of forms."""
    root = Path(django.__file__).parent
    for path in (root / "conf", root / "contrib" / "auth", root / "contrib" / "humanize"):
        with (path / "locale" / "en" / "LC_MESSAGES" / "django.po").open("rb") as file:
            for message in read_po(file):
                if message.id and messages.get(message.id, message.context) is None:
                    messages.add(message.id, context=message.context)
    return messages


@contextmanager
def speaking(folder: Path, language=lambda: LOCALE) -> Iterator[None]:
    """Let the library, and click, speak the language of the catalogues in a folder."""
    before = translation.CATALOGUES, translation._language
    translation.CATALOGUES = folder
    translation._catalogue.cache_clear()
    translation.translate_into(language)
    try:
        yield
    finally:
        translation.CATALOGUES, translation._language = before
        translation._catalogue.cache_clear()


@contextmanager
def spoken_by_django(folder: Path) -> Iterator[None]:
    """Let the web app speak it too, and the library in pages of the app."""
    languages = [("en", "English"), (LANGUAGE, "Pseudo")]
    settings = override_settings(LANGUAGE_CODE=LANGUAGE, LANGUAGES=languages, LOCALE_PATHS=[folder])
    with settings, speaking(folder, translation._language):
        yield


def outside(text: str) -> str:
    """Return what stands outside all brackets; raise ValueError if one is never closed."""
    depth, result = 0, []
    # The beginning of a text, with an ellipsis for the rest.
    text = re.sub(f"({OPEN}[^{OPEN}{CLOSE}]*…)$", rf"\1{CLOSE}", text, flags=re.MULTILINE)
    for piece in re.split(f"([{OPEN}{CLOSE}])", text):
        if piece in (OPEN, CLOSE):
            depth += 1 if piece == OPEN else -1
        elif not depth:
            result.append(piece)
    if depth:
        raise ValueError(f"{depth} brackets are open at the end of {text[-200:]!r}")
    return " ".join(result)


def untranslated_lines(page: str) -> list[str]:
    """Return the lines of an HTML page, and its attributes, that have words outside of all brackets."""
    words = Words()
    words.feed(page)
    texts = (outside("\n".join(words.texts)), *map(outside, words.attributes))
    lines = (line.strip() for text in texts for line in text.split("\n"))
    return [line for line in lines if re.search(r"[^\W\d_]{2}", line)]


class Words(HTMLParser):
    """What somebody reads or hears on a page: texts in their order, and attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.attributes: list[str] = []
        self._silent: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.attributes += [found[name] for name in SPOKEN if name in found]
        self.attributes += json.loads(found.get("data-texts", "{}")).values()
        # Code and what somebody typed are no texts of ours.
        silent = tag in ("script", "style", "code", "kbd", "textarea") or WRITTEN & set(found.get("class", "").split())
        if silent or tag in self._silent:
            self._silent.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._silent and self._silent[-1] == tag:
            self._silent.pop()

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.texts.append(data)
