"""Texts of the library in the language of the reader, by the standard library's gettext with a domain of its own.

``gettext``, ``ngettext`` and ``pgettext`` take literals alone, because the texts of the catalogues are extracted from
the source. They translate when they are called, so a text that is made before it is known whether somebody reads it
(a constant, a field of a registry entry) is marked by ``message`` and translated where it is shown, by ``translate``.

Nothing of a file's format is translated (columns, keys, values), and no ``repr``, which is for programmers.
"""

import gettext as standard
from collections.abc import Callable
from functools import cache
from pathlib import Path

__all__ = ["gettext", "lend_to_default_domain", "message", "ngettext", "pgettext", "translate", "translate_into"]

DOMAIN = "peerorder"
CATALOGUES = Path(__file__).parent.parent / "locale"


def _as_environment_says() -> str | None:
    return None


_language: Callable[[], str | None] = _as_environment_says


def translate_into(language: Callable[[], str | None]) -> None:
    """Choose the language of every text from now on.

    Parameters
    ----------
    language
        Called for every text, as a web server may speak another language to each reader. None is the language
        of the environment (``LANGUAGE``, ``LC_ALL``, ``LC_MESSAGES``, ``LANG``).
    """
    global _language
    _language = language


def gettext(message: str) -> str:
    """Return the translation of a message, or the message itself where there is none."""
    return _catalogue(_language()).gettext(message)


def ngettext(singular: str, plural: str, count: int) -> str:
    """Return the translation of a message in the form that a count needs."""
    # gettext warns of NumPy's numbers.
    return _catalogue(_language()).ngettext(singular, plural, int(count))


def pgettext(context: str, message: str) -> str:
    """Return the translation of a message that means different things in different places."""
    return _catalogue(_language()).pgettext(context, message)


def message(text: str) -> str:
    """Mark a text for extraction and return it unchanged; ``translate`` it where it is shown."""
    return text


def translate(text: str) -> str:
    """Return the translation of a text that ``message`` marked, or that an entry of a registry holds."""
    return gettext(text) if text else text


def lend_to_default_domain() -> None:
    """Let packages that use the default domain of the process, as click does, speak from our catalogues."""
    standard.bindtextdomain(DOMAIN, CATALOGUES)
    standard.textdomain(DOMAIN)


@cache
def _catalogue(language: str | None) -> standard.NullTranslations:
    languages = None if language is None else [language]
    return standard.translation(DOMAIN, CATALOGUES, languages, fallback=True)
