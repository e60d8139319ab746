"""From what somebody sent to something that can be taken: checked, cleaned and stored under a random name."""

import fcntl
import hashlib
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import UploadedFile
from django.template.defaultfilters import filesizeformat
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from peerorder.web.assignments.models import Assignment
from peerorder.web.markdown import RULES, as_html, is_quick
from peerorder.web.papers.kinds import BEGINNING, describe_other_kind, kind_of
from peerorder.web.papers.models import Kind
from peerorder.web.sandbox.problems import Problem
from peerorder.web.sandbox.runner import Limits, run_sandboxed
from peerorder.web.secret_addresses import leads_to_secret
from peerorder.web.stored_files import incoming, keep

LONGEST_TEXT = 100_000
LONGEST_SIDE = 20_000
LONGEST_LINK = 2000
MOST_HTML = 2**20
PRIVATE = ("localhost", "local", "internal", "intranet", "lan", "home", "corp")
"""Last parts of names that lead nowhere on the web."""
SHOW_OWNERS = ("docs.google.com", "drive.google.com", "onedrive.live.com", "1drv.ms", "sharepoint.com", "dropbox.com")
TASKS = "peerorder.web.papers.tasks"
# What checks may take. docs/howto/running.md has what honest papers do take.
TEXT_SECONDS, FILE_SECONDS = 3, {Kind.PDF: 5, Kind.IMAGE: 10}
FILE_MEMORY, FILE_OUTPUT = 2**30, 40 * 2**20
CLEAN = {Kind.PDF: f"{TASKS}.pdf:clean_pdf", Kind.IMAGE: f"{TASKS}.image:clean_image"}
RENDER = f"{TASKS}.text:render_text"


class Rejected(Exception):
    """What was sent cannot be taken; people are told this text."""


@dataclass(frozen=True)
class CheckedSubmission:
    """Something that can be taken."""

    kind: Kind
    digest: str
    size: int
    text: str = ""
    html: str = ""
    """Of a text, what people see, ..."""
    rules: int = 0
    """... and the rules by which it was made."""
    file: str = ""
    """Where the clean file is stored, ..."""
    original: str = ""
    """... and what was sent."""
    original_name: str = ""
    page: str = ""
    """Where the picture is stored that people see, of an image."""
    width: int = 0
    height: int = 0
    words: str = ""
    """What can be read in it."""


def problem_text(code: str) -> str:
    """Return what is wrong with a file, and the cure."""
    words = {
        "encrypted": _("This PDF is locked by a password. Save it without one and hand it in again."),
        "pdf-broken": _("This PDF is broken and cannot be read. Save it again, or print it to a new PDF."),
        "no-pages": _("This PDF has no pages."),
        "many-pages": _("This PDF has more than 200 pages, which nobody will read. Hand in the part that counts."),
        "page-size": _("A page of this PDF is larger than 5 metres, or too narrow. Save it with ordinary pages."),
        "image-broken": _("This image is broken and cannot be read. Save it again, or take a screenshot of it."),
        "image-large": _(
            "This image is too large: at most 50 million pixels are accepted, and 20,000 on a side. Make it smaller."
        ),
        "image-small": _("This image is smaller than 32 pixels on a side: nobody could read it."),
        "slow-step": _(
            "A page of this PDF takes too long to draw, perhaps because of its transparency. Print it to a new PDF "
            "and hand that in."
        ),
        "pages-large": _(
            "The pages of this PDF take more than 50 MB as pictures. Scan it in black and white or hand in fewer pages."
        ),
        "busy": _("The server is busy with other files. Wait a minute and hand in again."),
        "too-much": _("This file takes too long to show, or too much memory. Print it to a new PDF and try that."),
    }
    return words.get(code, _("This file cannot be read. Save it again in another way, or print it to a PDF."))


# Files.


@contextmanager
def turn_of(person: int) -> Iterator[None]:
    """Check one thing of a person at a time; who sends several at once is told so, and holds up nobody else."""
    place = Path(settings.ENVIRONMENT.home) / "checks"
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (place / str(person)).open("a") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            text = _("Another file of yours is still being checked. Wait until that is done, then hand in again.")
            raise Rejected(text) from None
        yield


def discard(sent: CheckedSubmission) -> None:
    """Forget what was not taken."""
    for name in filter(None, (sent.file, sent.original, sent.page)):
        default_storage.delete(name)


def too_large() -> str:
    """Return the message that a file is too large."""
    most = filesizeformat(settings.LARGEST_UPLOAD)
    return _("This file is too large: at most %(most)s are accepted. Save it with smaller pictures.") % {"most": most}


def empty() -> str:
    """Return the message that there is nothing in a file."""
    return _("This file is empty.")


def other_type(assignment: Assignment) -> str:
    """Return the message that a file is of a type that this assignment does not accept."""
    if assignment.takes_pdf and assignment.takes_images:
        return _("This is not a PDF or an image (JPEG, PNG, WebP). Save your document as a PDF and hand that in.")
    if assignment.takes_pdf:
        return _("Only PDF files are accepted. Save your document as a PDF and hand that in.")
    return _("Only images (JPEG, PNG, WebP) are accepted.")


def check_file(upload: "UploadedFile[Any]", assignment: Assignment) -> CheckedSubmission:
    """Look at a file, clean it, and store both the clean one and what was sent."""
    if (upload.size or 0) > settings.LARGEST_UPLOAD:
        raise Rejected(too_large())
    with incoming() as folder:
        source = folder / "sent.original"
        digest, size = hashlib.sha256(), 0
        with source.open("wb") as out:
            for chunk in upload.chunks():
                digest.update(chunk)
                size += len(chunk)
                out.write(chunk)
        if not size:
            raise Rejected(empty())
        with source.open("rb") as stream:
            beginning = stream.read(BEGINNING)
        kind = kind_of(beginning)
        if kind is None:
            raise Rejected(describe_other_kind(beginning))
        if not (assignment.takes_pdf if kind == Kind.PDF else assignment.takes_images):
            raise Rejected(other_type(assignment))
        try:
            done = run_sandboxed(CLEAN[kind], source, folder, Limits(FILE_SECONDS[kind], FILE_MEMORY, FILE_OUTPUT))
            clean = _check_clean_file(kind, done, folder)
        except Problem as problem:
            raise Rejected(problem_text(problem.code)) from None
        name = _name(upload.name or "")
        original = keep(source)
        if kind == Kind.PDF:
            file = keep(clean)
            return CheckedSubmission(
                kind, digest.hexdigest(), size, file=file, original=original, original_name=name, words=done["words"]
            )
        return CheckedSubmission(
            kind,
            digest.hexdigest(),
            size,
            file=keep(clean),
            original=original,
            original_name=name,
            page=keep(folder / "page.webp"),
            width=done["width"],
            height=done["height"],
        )


def _check_clean_file(kind: Kind, done: Any, folder: Path) -> Path:
    """Return the clean file, if what the sandbox says and wrote is as it should be; it is trusted as the file is."""
    endings = {".jpg": (b"\xff\xd8\xff", 0), ".png": (b"\x89PNG\r\n", 0), ".webp": (b"WEBP", 8), ".pdf": (b"%PDF-", 0)}
    try:
        if kind == Kind.PDF:
            clean, others = folder / "clean.pdf", []
            good = isinstance(done["words"], str)
        else:
            clean, others = folder / str(done["clean"]), [folder / "page.webp"]
            good = clean.name in ("clean.jpg", "clean.png", "clean.webp")
            good = good and is_size(done["width"]) and is_size(done["height"])
        good = good and all(begins_with(path, *endings[path.suffix]) for path in (clean, *others))
    except (OSError, KeyError, TypeError):
        good = False
    if not good:
        raise Problem("unknown")
    return clean


def is_size(value: Any) -> bool:
    """Return whether something is the width or height of a picture for people."""
    return type(value) is int and 0 < value <= LONGEST_SIDE


def begins_with(path: Path, magic: bytes, offset: int) -> bool:
    """Return whether a file has the beginning of its kind."""
    with path.open("rb") as stream:
        return stream.read(BEGINNING)[offset : offset + len(magic)] == magic


def _name(name: str) -> str:
    """Return what its author called it: printable letters only, and not too many."""
    return "".join(letter for letter in name if letter.isprintable())[-255:]


# Texts and links.


def check_text(text: str) -> CheckedSubmission:
    """Return a text that is not empty, not too long and can be shown."""
    text = text.replace("\r\n", "\n").replace("\0", "")
    if not any(unicodedata.category(letter)[0] in "LNPS" for letter in text):
        raise Rejected(_("There is no text yet. Write something first."))
    if len(text) > LONGEST_TEXT:
        message = _("This text has %(letters)d characters; at most %(most)d are accepted. Hand in a PDF instead.")
        raise Rejected(message % {"letters": len(text), "most": LONGEST_TEXT})
    return CheckedSubmission(Kind.TEXT, *_digest(text), text=text, html=as_safe_html(text), rules=RULES, words=text)


def as_safe_html(text: str) -> SafeString:
    """Return the text as graders will see it; where that may take long, a process does it that can be stopped."""
    if is_quick(text):
        return as_html(text)
    with incoming() as folder:
        source = folder / "sent"
        source.write_text(text)
        try:
            html = run_sandboxed(RENDER, source, folder, Limits(TEXT_SECONDS))
            if not isinstance(html, str) or len(html) > MOST_HTML:
                raise Problem("too-much")
        except (Problem, UnicodeError):
            message = _("This text is too complex to show: too many brackets, stars or columns. Hand it in as a PDF.")
            raise Rejected(message) from None
    return mark_safe(html)


def check_link(address: str) -> CheckedSubmission:
    """Return an address of the web, and of nothing else."""
    address = address.strip()
    try:
        parts = urlsplit(address)
        good = parts.scheme == "https" and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    if not good or len(address) > LONGEST_LINK or not all(letter.isprintable() and letter != " " for letter in address):
        raise Rejected(_("This is not a web address. It must begin with https:// and have no spaces."))
    if parts.username or parts.password:
        raise Rejected(_("This address contains a name or a password before the @. Remove it."))
    if _is_private(parts.hostname or ""):
        raise Rejected(_("Others cannot reach this address: it is on your own computer or network."))
    if leads_to_secret(address):
        raise Rejected(_("This is a personal link, by which others could act as you. Give the address of your work."))
    return CheckedSubmission(Kind.LINK, *_digest(address), text=address, words=address)


def _is_private(host: str) -> bool:
    """Return whether a host can be reached by its own network alone, as far as its name says."""
    host = host.rstrip(".")
    try:
        return not ip_address(host).is_global
    except ValueError:
        # Numbers in other spellings lead to addresses as well, and no name of the web ends in one.
        last = host.rpartition(".")[2]
        return "." not in host or last in PRIVATE or last[:1].isdigit()


def shows_owner(address: str) -> bool:
    """Return whether a link leads to a site that may show the name of the author of the document."""
    host = urlsplit(address).hostname or ""
    return any(host == site or host.endswith(f".{site}") for site in SHOW_OWNERS)


def _digest(text: str) -> tuple[str, int]:
    content = text.encode("utf-8", "surrogatepass")
    return hashlib.sha256(content).hexdigest(), len(content)
