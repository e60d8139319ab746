"""Verify the audit log from the command line, against its seals and the copies of these elsewhere."""

import json
import re
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from peerorder.core.errors import InputError
from peerorder.core.translation import gettext as _
from peerorder.web.audit.registrations import ENTRY
from peerorder.web.audit.seals import Head
from peerorder.web.audit.verification import SHORTEST_HEAD, Report, verify
from peerorder.web.operations.archive import MANIFEST
from peerorder.web.operations.audit_log import log_database


def verify_log(head: str | None, manifest: Path | None, progress: Callable[[int, int], None]) -> Report:
    """Compare the log with its seals, and these with a head from the server log, and with one from a backup."""
    expected = {}
    if head is not None:
        if not re.fullmatch(rf"[0-9a-f]{{{SHORTEST_HEAD},64}}", head.lower()):
            text = _("{head!r} is not a head; it needs {least} to 64 hexadecimal digits, as the server log shows it")
            raise InputError(text.format(head=head, least=SHORTEST_HEAD))
        expected["--head"] = Head(0, head.lower())
    if manifest is not None and (noted := read_head(manifest)) is not None:
        expected[str(manifest)] = noted
    with log_database():
        return verify(expected, progress)


def read_head(file: Path) -> Head | None:
    """Return the newest seal that a backup names, None if nothing was sealed; the file is a backup or its manifest."""
    try:
        about = json.loads(_manifest(file))
        seal = about[ENTRY]
        return None if seal is None else Head(int(seal["number"]), str(seal["digest"]))
    except OSError as error:
        text = _("{file} cannot be read ({reason})")
        raise InputError(text.format(file=file, reason=error.strerror or error)) from None
    except KeyError:
        text = _("{file} has no seal: it was made before the log was sealed, or by an older version")
        raise InputError(text.format(file=file)) from None
    except (ValueError, TypeError, tarfile.TarError, EOFError):
        text = _("{file} is neither a backup of peerorder nor the {manifest} of one")
        raise InputError(text.format(file=file, manifest=MANIFEST)) from None


def _manifest(file: Path) -> Any:
    with file.open("rb") as stream:
        if stream.read(2) != b"\x1f\x8b":
            return file.read_text("utf-8")
    with tarfile.open(file, "r:gz") as archive:
        # It comes first; nothing else of a large archive is read.
        content = next((archive.extractfile(each) for each in archive if each.name == MANIFEST), None)
        return "" if content is None else content.read()
