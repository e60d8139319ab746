"""Secrets of a site that are kept in its folder."""

import os
import secrets
import tempfile
from contextlib import suppress
from pathlib import Path


def make_secret(path: Path) -> str:
    """Return the secret in a file that only its owner can read, and make both where there is none."""
    with suppress(FileNotFoundError):
        return path.read_text()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=path.parent, prefix=f"{path.name}.") as stream:
        stream.write(secrets.token_urlsafe(64))
        stream.flush()
        os.fsync(stream.fileno())
        # Two processes that start together must agree: the first one wins, with the whole secret.
        with suppress(FileExistsError):
            os.link(stream.name, path)
    return path.read_text()
