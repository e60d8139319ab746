"""``peerorder verify-receipt``: check a receipt against the file that the web app keeps."""

import hashlib
import re
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from peerorder.cli import options
from peerorder.cli.web_extra import web
from peerorder.core.translation import gettext as _

__all__ = ["verify_receipt"]


@click.command("verify-receipt", short_help="Check a receipt against the file that was kept.")
@click.argument("sha256", required=False)
@click.option("--file", type=options.FILE, help="A file that somebody says they submitted; its SHA-256 is looked up.")
def verify_receipt(sha256: str | None, file: Path | None) -> None:
    """Compare the SHA-256 of a receipt with the original that was kept, and say whose it is and whether it counts.

    Exit code 0 if the original of every match has this SHA-256, 2 if no paper has it or an original differs, 3 if no
    original was kept to compare with.

    Example: peerorder verify-receipt --file essay.pdf
    """
    from peerorder.core.errors import InputError, PartlyDone

    digest = _digest(sha256, file)
    web("operations.serving").prepare(pages=False)
    originals = web("papers.originals")
    result = originals.verify_receipt(digest)
    if not result:
        text = _("no paper with the SHA-256 {digest} was submitted, or its authors were erased")
        raise InputError(text.format(digest=digest))
    for each in result:
        click.echo(_describe(each, originals.authors_of(each.version.paper)) + "\n")
    wrong = [each for each in result if each.check in (originals.Check.DIFFERENT, originals.Check.LOST)]
    if wrong:
        text = _("version {number}: {problem}")
        raise InputError(text.format(number=wrong[0].version.pk, problem=wrong[0].check.value))
    if any(each.check == originals.Check.NOT_KEPT for each in result):
        raise PartlyDone(
            _("the receipt is for a version that was accepted, but no original was kept to compare it with")
        )


def _digest(sha256: str | None, file: Path | None) -> str:
    """Return the digest to look for; of a file, its own."""
    from peerorder.core.errors import InputError

    if sha256 is None and file is None:
        raise InputError(_("give the SHA-256 that the receipt shows, or --file with the file"))
    wanted = "" if sha256 is None else re.sub(r"\s", "", sha256).lower()
    if sha256 is not None and not re.fullmatch("[0-9a-f]{64}", wanted):
        text = _("{value!r} is not a SHA-256; it has 64 characters, 0 to 9 and a to f, as on the receipt")
        raise InputError(text.format(value=sha256))
    if file is None:
        return wanted
    try:
        with file.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise InputError(_("{file} cannot be read ({problem})").format(file=file, problem=error.strerror)) from None
    if wanted and wanted != digest:
        text = _("{file} is not the file of this receipt: its SHA-256 is {digest}")
        raise InputError(text.format(file=file, digest=digest))
    return digest


def _describe(result: Any, authors: list[str]) -> str:
    version, paper = result.version, result.version.paper
    counts = _("yes")
    if paper.withdrawn_at is not None:
        counts = _("no, the paper was withdrawn on {time}").format(time=_time(paper.withdrawn_at))
    elif not result.counts:
        text, newer = _("no, version {number} replaced it on {time}"), result.replaced_by
        counts = text.format(number=newer.pk, time=_time(newer.handed_in_at))
    handed_in = _("{time} by {person}, late") if version.late else _("{time} by {person}")
    rows = {
        "SHA-256": version.digest,
        _("assignment"): f"{paper.assignment} ({paper.assignment.course})",
        _("paper"): _("{code}, version {number}, {size} bytes").format(
            code=paper.code, number=version.pk, size=version.size
        ),
        _("authors"): ", ".join(authors) or _("nobody any more"),
        _("handed in"): handed_in.format(time=_time(version.handed_in_at), person=version.handed_in_by),
        _("counts"): counts,
        _("original"): result.check.value,
    }
    width = max(12, *(len(name) + 1 for name in rows))
    return "\n".join(f"{name:<{width}}{value}" for name, value in rows.items())


def _time(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S %Z}"
