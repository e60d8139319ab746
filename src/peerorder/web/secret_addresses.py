"""Addresses of this app that hold a secret: who has one can act as somebody. They belong into no log and no text."""

import re
import unicodedata
from urllib.parse import unquote

PREFIXES = ("in", "reset", "confirm", "invitations")
"""The first parts of their paths; what follows is the token."""

HIDDEN = "[secret]"
_PATH = re.compile(rf"(?<![\w-])({'|'.join(PREFIXES)})((?:/|%2f)+)[^\s/?#\"'<>]+", re.IGNORECASE | re.ASCII)
# As tokens look, wherever they stand: in a path that somebody mistyped, for example.
_TOKEN = re.compile(r"(?<![\w-])(?=[\w-]*[a-z])(?=[\w-]*[A-Z])(?=[\w-]*[0-9])[\w-]{30,}", re.ASCII)
_LONG = re.compile(r"[\w-]{30,}", re.ASCII)


def redact(text: str) -> str:
    """Hide the tokens in a text for a log."""
    return _TOKEN.sub(HIDDEN, _PATH.sub(rf"\1\2{HIDDEN}", text))


def leads_to_secret(address: str) -> bool:
    """Return whether a link, however it is written, may lead to such an address of this site.

    Links to other sites may have the same prefix, but then something else follows than a token of ours.
    """
    for _ in range(5):
        address = unquote(address)
    # Browsers leave out control characters, and read backslashes as slashes.
    address = "".join(character for character in address if character > " ").replace("\\", "/")
    address = unicodedata.normalize("NFKC", address)
    is_relative = re.match(r"(?:[a-z][a-z0-9+.-]*:)?//|mailto:", address, re.IGNORECASE) is None
    parts = [part for part in re.split(r"[/?#&=:;]+", address) if part not in ("", ".")]
    return any(
        first.lower() in PREFIXES and (is_relative or _LONG.fullmatch(second) is not None)
        for first, second in zip(parts, parts[1:], strict=False)
    )
