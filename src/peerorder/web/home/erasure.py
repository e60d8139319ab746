"""Erase a person: who they are, what they uploaded and wrote goes; what they ranked stays, under a random code.

Files are deleted once the database has forgotten them, so that a failure half way leaves files that nobody finds
rather than papers without their files.
"""

from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from peerorder.web.assignments.models import Extension
from peerorder.web.audit.services import record
from peerorder.web.courses.models import Invitation, Member, Role, RosterUpload
from peerorder.web.courses.queries import is_elsewhere
from peerorder.web.database import advisory_locks
from peerorder.web.errors import Refused
from peerorder.web.mail.services import forget
from peerorder.web.papers.models import Page, Paper, PendingSubmission, Version, random_code
from peerorder.web.papers.services import discard_pending
from peerorder.web.people.models import Confirmation, Link, MailRequest, Person, Session
from peerorder.web.ranking.models import Problem
from peerorder.web.ranking.services import erase_comments
from peerorder.web.results.erasure import erase_from_results


def erase_member(member: Member, by: Person | None, *, account: bool = True) -> None:
    """Erase a member of a course for good. There is no way back.

    ``by`` is None where nobody asked for it but the rules of retention. Without ``account`` the account stays, because
    it is in other courses or makes some, and only what it did in this course goes.
    """
    with transaction.atomic():
        advisory_locks.lock(course=member.course_id)
        member = Member.objects.select_for_update().select_related("person", "course").get(pk=member.pk)
        person = member.person
        if person.erased_at is not None:
            return
        if by is not None and person.pk == by.pk:
            raise Refused(_("You cannot erase yourself. Ask another instructor."))
        if account and is_elsewhere(member):
            raise Refused(_("This person is in other courses too. Remove them from this one instead."))
        _wipe_rosters(member)
        files = _wipe_papers(member)
        for pending in PendingSubmission.objects.filter(member=member):
            discard_pending(pending)
        _wipe_notes(member)
        erase_comments(member)
        erase_from_results(member)
        if account:
            _wipe_person(member)
        member.student, member.team, member.section = random_code(), "", None
        member.removed_at = member.removed_at or timezone.now()
        member.save(update_fields=["student", "team", "section", "removed_at"])
        since = person.created_at.isoformat()
        record("person erased", by, course=member.course, member=member.pk, files=len(files), since=since)
        transaction.on_commit(lambda: _delete(files))


def _wipe_person(member: Member) -> None:
    person = member.person
    addressed = Q(email__iexact=person.email) if person.email else Q(pk__in=[])
    # Of this course only: an address that somebody else typed must not end the invitations of another one.
    Invitation.objects.filter(addressed & Q(course=member.course_id) | Q(accepted_by=person)).delete()
    MailRequest.objects.filter(addressed).delete()
    for model in (Session, Link, Confirmation):
        model._default_manager.filter(person=person).delete()
    forget(person_id=[person.pk])
    person.name, person.email, person.login = "", "", None
    person.last_login, person.email_verified_at = None, None
    person.is_active, person.erased_at = False, timezone.now()
    # All sessions of this person end.
    person.set_unusable_password()
    person.save()


def _wipe_papers(member: Member) -> list[str]:
    """Empty the papers of somebody; return the files that are to go.

    A team's paper stays while a team-mate does, without the originals that this member sent: their hidden data may name
    them. A paper that nobody is an author of any more goes with the member who handed it in.
    """
    mine = Paper.objects.filter(Q(authorships__member=member) | Q(authorships=None, versions__handed_in_by=member))
    alone = [paper for paper in mine.distinct() if not _others(paper, member)]
    versions = Version.objects.filter(paper__in=alone)
    # What staff handed in is not theirs.
    sent = Version.objects.filter(handed_in_by=member) if member.role == Role.STUDENT else Version.objects.none()
    pages = Page.objects.filter(version__in=versions)
    files = {
        *versions.values_list("file", flat=True),
        *versions.values_list("original", flat=True),
        *sent.values_list("original", flat=True),
        *pages.values_list("image", flat=True),
    }
    pages.delete()
    Paper.objects.filter(pk__in=[paper.pk for paper in alone]).update(withdrawn_because="")
    versions.update(file="", original="", text="", html="", original_name="", problem="", digest="")
    sent.update(original="", original_name="")
    return sorted(files - {""})


def _others(paper: Paper, member: Member) -> bool:
    return paper.authorships.exclude(member=member).filter(member__person__erased_at=None).exists()


def _wipe_notes(member: Member) -> None:
    """Erase what others wrote about somebody: why they got more time, and what graders saw in their papers."""
    Extension.objects.filter(member=member).update(note="")
    papers = Paper.objects.filter(authorships__member=member)
    Problem.objects.filter(slot__paper__in=papers).update(text="", answer="")


def _wipe_rosters(member: Member) -> None:
    """Wipe uploaded rosters that hold the person, or may hold them, as a workbook may."""
    person = member.person
    words = [_plain(word) for word in (member.student, person.name, person.email) if word]
    for number in list(RosterUpload.objects.filter(course=member.course_id).values_list("pk", flat=True)):
        upload = RosterUpload.objects.get(pk=number)
        if _holds(bytes(upload.content), words) or _holds(upload.name.encode(), words):
            upload.content, upload.parsed, upload.name = b"", None, ""
            upload.save(update_fields=["content", "parsed", "name"])


def _holds(content: bytes, words: list[str]) -> bool:
    if content.startswith(b"PK") or b"\x00" in content:
        return True
    texts = [_plain(content.decode("utf-8", "replace")), _plain(content.decode("cp1252", "replace"))]
    return any(word in text for word in words for text in texts)


def _plain(text: str) -> str:
    """Return a text without the doubled quotes of CSV."""
    return text.replace('"', "").casefold()


def _delete(files: list[str]) -> None:
    for name in files:
        default_storage.delete(name)
