"""The keys that seals are made with. They are kept in the folder of the site, and never in its database or a backup.

The file has a key on each line: the first one seals, all verify. So a new key goes above the old one.
"""

import hashlib
from pathlib import Path

from django.conf import settings

from peerorder.core.errors import InputError
from peerorder.core.translation import gettext as _
from peerorder.web.secret_files import make_secret


def key_file() -> Path:
    """Return where the keys are."""
    return Path(settings.ENVIRONMENT.home / "seal-key")


def fingerprint(key: str) -> str:
    """Return what a key is known by, which tells nothing about it."""
    return hashlib.sha256(f"peerorder seal key {key}".encode()).hexdigest()[:16]


def read_keys() -> dict[str, bytes]:
    """Return all keys by their fingerprints; none where there is no file."""
    try:
        keys = key_file().read_text("ascii", "replace").split()
    except FileNotFoundError:
        return {}
    except OSError as error:
        text = _("{file} cannot be read ({reason})")
        raise InputError(text.format(file=key_file(), reason=error.strerror)) from None
    if not keys:
        text = _("{file} is empty; put the key back, or delete the file to continue with a new one")
        raise InputError(text.format(file=key_file()))
    return {fingerprint(key): key.encode() for key in keys}


def sealing_key() -> tuple[str, bytes]:
    """Return the key for new seals, with its fingerprint. The first call of a site makes it."""
    make_secret(key_file())
    return next(iter(read_keys().items()))
