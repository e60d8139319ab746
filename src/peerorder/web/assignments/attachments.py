"""Files that staff attach to an assignment: for its task, or with its sample solution."""

from datetime import datetime
from typing import IO, Any

from django.conf import settings
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.db.models.signals import post_delete
from django.dispatch import receiver
from django.http import Http404
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _

from peerorder.web.assignments.deadlines import may_see_solution
from peerorder.web.assignments.models import Assignment, Attachment, Extension, Stage
from peerorder.web.assignments.registry import ranking_checks
from peerorder.web.assignments.services import lock_assignment
from peerorder.web.audit.services import record
from peerorder.web.courses.models import Member
from peerorder.web.errors import Refused
from peerorder.web.people.models import Person
from peerorder.web.stored_files import incoming, keep

MOST_ATTACHMENTS = 10
ZIP, PLAIN = b"PK", b""
ENDINGS = {
    "pdf": b"%PDF-",
    "png": b"\x89PNG",
    "gif": b"GIF8",
    "webp": b"RIFF",
    **dict.fromkeys(("jpg", "jpeg"), b"\xff\xd8\xff"),
    **dict.fromkeys(("zip", "docx", "xlsx", "pptx", "odt", "ods", "odp"), ZIP),
    **dict.fromkeys(("txt", "csv", "md", "tex"), PLAIN),
}
"""What may be attached: the ending of its name, and what such a file begins with."""


def attach(
    assignment: Assignment, upload: "UploadedFile[Any]", audience: Attachment.Audience, by: Person
) -> Attachment:
    """Attach a file; raise Refused where it is of another kind, too large, or one too many."""
    name = "".join(character for character in upload.name or "" if character.isprintable())[-Attachment.LONGEST_NAME :]
    ending, size = name.rpartition(".")[2].lower(), upload.size or 0
    _check(name, ending, size, upload)
    with incoming() as folder:
        path = folder / f"attachment.{ending}"
        with path.open("wb") as out:
            for chunk in upload.chunks():
                out.write(chunk)
        stored = keep(path)
    try:
        with transaction.atomic():
            locked = lock_assignment(assignment)
            if locked.attachments.count() >= MOST_ATTACHMENTS:
                text = _("An assignment can have at most %(most)d attachments. Remove one first.")
                raise Refused(text % {"most": MOST_ATTACHMENTS})
            attachment = Attachment.objects.create(
                assignment=locked, audience=audience, file=stored, name=name, size=size
            )
            record("attachment added", by, assignment=locked, attachment=attachment.pk)
    except BaseException:
        default_storage.delete(stored)
        raise
    return attachment


def _check(name: str, ending: str, size: int, upload: "UploadedFile[Any]") -> None:
    if ending not in ENDINGS or "." not in name.strip("."):
        text = _("Files of this type cannot be attached. Allowed are: %(endings)s.")
        raise Refused(text % {"endings": ", ".join(ENDINGS)})
    if not size:
        raise Refused(_("This file is empty."))
    if size > settings.LARGEST_UPLOAD:
        raise Refused(too_large())
    beginning = next(iter(upload.chunks()))[:1024]
    upload.seek(0)
    if not beginning.startswith(ENDINGS[ending]) or (not ENDINGS[ending] and b"\0" in beginning):
        text = _("This file is not what its name says: it ends in .%(ending)s, but its content is something else.")
        raise Refused(text % {"ending": ending})


def too_large() -> str:
    """Return what people are told of a file that is too large."""
    return _("This file is too large: at most %(most)s can be attached.") % {
        "most": filesizeformat(settings.LARGEST_UPLOAD)
    }


def detach(attachment: Attachment, by: Person) -> None:
    """Remove an attachment, and its file once that is certain."""
    with transaction.atomic():
        locked = lock_assignment(attachment.assignment)
        number = attachment.pk
        if attachment.delete()[0]:
            record("attachment removed", by, assignment=locked, attachment=number)


@receiver(post_delete, sender=Attachment)
def _delete_file(instance: Attachment, **_more: Any) -> None:
    """Delete the file of an attachment that is gone, whether alone or with its draft or course."""
    name = str(instance.file.name)
    transaction.on_commit(lambda: default_storage.delete(name))


def visible_attachments(assignment: Assignment, member: Member, now: datetime) -> list[Attachment]:
    """Return the attachments that somebody may see now: staff see all, students those that they may see the text of."""
    for_task = [each for each in assignment.attached if each.audience == Attachment.Audience.TASK]
    if member.is_staff or len(for_task) == len(assignment.attached):
        return assignment.attached
    # Before and after ranking the stage alone decides, and who ranks takes queries to find out.
    if not assignment.is_at(Stage.RANKING):
        return assignment.attached if may_see_solution(assignment, None, now, ranks=False) else for_task
    ranks = any(check(assignment, member, now) for check in ranking_checks)
    extension = Extension.objects.of(assignment, member)
    return assignment.attached if may_see_solution(assignment, extension, now, ranks=ranks) else for_task


def open_attachment(attachment: Attachment) -> IO[bytes]:
    """Open the file of an attachment; raise Http404 where it is missing."""
    try:
        stream: IO[bytes] = default_storage.open(str(attachment.file.name), "rb")
    except FileNotFoundError:
        raise Http404 from None
    return stream
