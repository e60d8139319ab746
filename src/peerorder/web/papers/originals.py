"""Originals: files as they were sent, so that the SHA-256 of a receipt can be verified in a dispute.

An original holds what the clean file does not, such as the name of its author: instructors alone get it, and every
access is recorded. A text and a link are kept as they were sent, and need no original.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import IO

from django.core.files.storage import default_storage
from django.http import Http404

from peerorder.web.audit.services import record
from peerorder.web.papers.models import Kind, Paper, Version
from peerorder.web.people.models import Person


class Check(Enum):
    """What comparing a receipt with what is kept gave."""

    VERIFIED = "what is kept has this SHA-256"
    NOT_KEPT = "no original is kept: it was handed in before originals were kept, or by somebody who was erased"
    LOST = "the original is missing in the uploads folder"
    DIFFERENT = "what is kept has another SHA-256"


@dataclass(frozen=True)
class VerifiedVersion:
    """A version that has the digest of a receipt."""

    version: Version
    check: Check

    @property
    def counts(self) -> bool:
        """Whether it is the version that counts: the last one, of a paper that was not withdrawn."""
        paper = self.version.paper
        return paper.current_id == self.version.pk and paper.withdrawn_at is None

    @property
    def replaced_by(self) -> Version | None:
        """The version that came after it."""
        return self.version.paper.versions.filter(pk__gt=self.version.pk).order_by("pk").first()


def open_original(version: Version, by: Person) -> IO[bytes]:
    """Open the original of a version for somebody of the staff, and record that; raise Http404 where there is none."""
    if not version.original:
        raise Http404
    try:
        stream: IO[bytes] = default_storage.open(str(version.original.name), "rb")
    except FileNotFoundError:
        raise Http404 from None
    paper = version.paper
    record("original downloaded", by, assignment=paper.assignment, paper=paper.pk, version=version.pk)
    return stream


def verify_receipt(digest: str) -> list[VerifiedVersion]:
    """Return all versions with the digest of a receipt, each compared with what is kept; the look is recorded."""
    versions = Version.objects.filter(digest=digest.lower()).order_by("pk")
    matches = [
        VerifiedVersion(version, _check(version))
        for version in versions.select_related("paper__assignment__course", "handed_in_by__person")
    ]
    for each in matches:
        version, paper, verified = each.version, each.version.paper, each.check == Check.VERIFIED
        record(
            "receipt verified",
            None,
            assignment=paper.assignment,
            paper=paper.pk,
            version=version.pk,
            verified=verified,
        )
    return matches


def authors_of(paper: Paper) -> list[str]:
    """Return who wrote a paper, with the ids on the roster."""
    authorships = paper.authorships.select_related("member__person").order_by("member__student")
    members = [each.member for each in authorships]
    return [f"{member} ({member.student})" if member.student else str(member) for member in members]


def _check(version: Version) -> Check:
    if version.kind in (Kind.TEXT, Kind.LINK):
        content = iter([version.text.encode("utf-8", "surrogatepass")])
        return Check.VERIFIED if _sha256(content) == version.digest else Check.DIFFERENT
    if not version.original:
        return Check.NOT_KEPT
    try:
        with default_storage.open(str(version.original.name), "rb") as stream:
            same = _sha256(stream.chunks()) == version.digest
    except FileNotFoundError:
        return Check.LOST
    return Check.VERIFIED if same else Check.DIFFERENT


def _sha256(chunks: Iterator[bytes]) -> str:
    digest = hashlib.sha256()
    for chunk in chunks:
        digest.update(chunk)
    return digest.hexdigest()
