"""A person's own data, to take away.

It holds what the person wrote, did and was told. Nothing in it says whose papers they ranked, or who ranked theirs:
papers of others are called by the labels under which the person saw them, and people who did something to them "staff"
or "a team-mate". Digests of links and sessions stay here.
"""

import json
import tempfile
import zipfile
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import IO, Any

from django.core.files.storage import default_storage
from django.core.serializers.json import DjangoJSONEncoder
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from peerorder.web.assignments.models import Extension
from peerorder.web.audit.models import Event
from peerorder.web.audit.services import record
from peerorder.web.courses.models import Member
from peerorder.web.errors import TooManyRequests
from peerorder.web.mail.models import Mail
from peerorder.web.monitor.models import Offer
from peerorder.web.papers.models import Authorship, PendingSubmission, Version
from peerorder.web.people.models import Link, Person, Session
from peerorder.web.ranking.content import label
from peerorder.web.ranking.models import Ballot, Comment, Problem, Slot
from peerorder.web.results.own_data import own_results

WINDOW, MOST = timedelta(hours=1), 3
VERB = "own data downloaded"
ABOUT = """What peerorder stores about you.

data.json   your account, courses, papers, rankings, comments, notes, reports, results that were released to you,
            e-mails and what the audit log has about you
papers/     what you handed in, as graders see it
originals/  the files exactly as you sent them

Papers of others are called by the labels under which you saw them. Who wrote them, and who ranked your papers, is not
in these files, because ranking is anonymous.
"""


def reserve_download(person: Person, now: datetime | None = None) -> None:
    """Record a download; raise TooManyRequests where there were several within the last hour."""
    now = now or timezone.now()
    with transaction.atomic():
        Person.objects.select_for_update().get(pk=person.pk)
        recent = Event.objects.filter(person_id=person.pk, verb=VERB, at__gt=now - WINDOW).order_by("-at")
        times = list(recent.values_list("at", flat=True)[:MOST])
        if len(times) == MOST:
            what = _("You have downloaded your data %(most)d times within an hour. Please try again later.")
            raise TooManyRequests(what % {"most": MOST}, (times[-1] + WINDOW - now).total_seconds())
        record(VERB, person)


def own_data(person: Person) -> IO[bytes]:
    """Return the ZIP, as a file that is gone when it is closed."""
    out = tempfile.TemporaryFile()  # noqa: SIM115 -- the answer closes it
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("README.txt", ABOUT)
        data = _account(person) | {"courses": [], "audit_log": _events(person)}
        members = Member.objects.filter(person=person).select_related("course", "section").order_by("pk")
        for member in members:
            data["courses"].append(_course(archive, member))
        archive.writestr("data.json", json.dumps(data, cls=DjangoJSONEncoder, indent=2, ensure_ascii=False))
    out.seek(0)
    return out


def _fields(row: Any, *names: str) -> dict[str, Any]:
    return {name: getattr(row, name) for name in names}


def _account(person: Person) -> dict[str, Any]:
    links = Link.objects.filter(person=person).order_by("pk")
    sessions = Session.objects.filter(person=person).order_by("made_at")
    mails = Mail.objects.filter(person_id=person.pk).order_by("pk")
    named = ("name", "email", "email_verified_at", "login", "created_at", "last_login", "makes_courses")
    return {
        "account": _fields(person, *named) | {"has_password": person.has_usable_password()},
        "links": [
            _fields(each, "kind", "made_at", "sent_to", "last_used_at", "ends_at", "revoked_at") for each in links
        ],
        "sessions": [_fields(each, "made_at", "last_seen_at", "expire_date", "device") for each in sessions],
        "e-mails": [_fields(each, "subject", "body", "queued_at", "sent_at") for each in mails],
    }


def _events(person: Person) -> list[dict[str, Any]]:
    found = Event.objects.filter(Q(person_id=person.pk) | Q(about_id=person.pk)).order_by("pk")
    return [
        {"at": each.at, "verb": each.verb, "by": "you", "details": each.details}
        if each.person_id == person.pk
        # Ids in what others did may be those of others.
        else {"at": each.at, "verb": each.verb, "by": "somebody else"}
        for each in found
    ]


def _course(archive: zipfile.ZipFile, member: Member) -> dict[str, Any]:
    extensions = Extension.objects.filter(member=member).select_related("assignment")
    offers = Offer.objects.filter(member=member).select_related("assignment")
    pending = PendingSubmission.objects.filter(member=member).select_related("assignment")
    told = ("hand_in_by", "rank_by", "note", "granted_at")
    return {
        "course": member.course.name,
        **_fields(member, "role", "student", "team", "joined_at", "removed_at"),
        "section": member.section.name if member.section is not None else "",
        "papers": _papers(archive, member),
        "not_handed_in_yet": [
            {"assignment": str(each.assignment), "at": each.at, "text": each.sent["text"], "shows": each.shows}
            for each in pending
        ],
        "rankings": [_ranking(each) for each in Ballot.objects.filter(grader=member).select_related("assignment")],
        "reported_problems": _problems(member),
        "results": own_results(member),
        "extensions": [{"assignment": str(each.assignment), **_fields(each, *told)} for each in extensions],
        "offers": [
            {"assignment": str(each.assignment), **_fields(each, "papers", "offered_at", "answered_at", "accepted")}
            for each in offers
        ],
    }


def _papers(archive: zipfile.ZipFile, member: Member) -> list[dict[str, Any]]:
    found = []
    authorships = Authorship.objects.filter(member=member).select_related("paper", "assignment").order_by("pk")
    for authorship in authorships:
        paper = authorship.paper
        versions = paper.versions.select_related("handed_in_by").order_by("pk")
        found.append(
            {
                "assignment": str(authorship.assignment),
                **_fields(paper, "code", "withdrawn_at", "withdrawn_because"),
                "versions": [_version(archive, each, member, counts=each.pk == paper.current_id) for each in versions],
            }
        )
    return found


def _version(archive: zipfile.ZipFile, version: Version, member: Member, *, counts: bool) -> dict[str, Any]:
    by = "you" if version.handed_in_by_id == member.pk else "staff" if version.handed_in_by.is_staff else "a team-mate"
    named = ("handed_in_at", "late", "kind", "size", "digest", "text")
    name = f"{version.paper_id}-{version.pk}.{str(version.file.name).rpartition('.')[2]}"
    about = _fields(version, *named) | {"handed_in_by": by, "counts": counts}
    if version.file:
        about["file"] = _add(archive, f"papers/{name}", str(version.file.name))
    # That of a team-mate has their hidden data.
    if by == "you":
        about["original_name"] = version.original_name
        if version.original:
            about["original"] = _add(archive, f"originals/{name}", str(version.original.name))
    return about


def _add(archive: zipfile.ZipFile, name: str, stored: str) -> str:
    """Copy a file into the archive; return its name there, or that it is gone."""
    try:
        with default_storage.open(stored, "rb") as source, archive.open(name, "w") as out:
            for chunk in source.chunks():
                out.write(chunk)
    except FileNotFoundError:
        return "missing"
    return name


def _ranking(ballot: Ballot) -> dict[str, Any]:
    slots = Slot.objects.filter(assignment=ballot.assignment_id, grader=ballot.grader_id)
    labels = {slot.token: label(slot.position) for slot in slots}
    saves = list(ballot.saves.order_by("pk"))
    contents = Comment.objects.put_back([save.content for save in saves])
    uncounted = [
        {"at": each.at, "why": each.why, **_by_label(each.content, labels)} for each in ballot.uncounted.order_by("pk")
    ]
    return {
        "assignment": str(ballot.assignment),
        **_fields(ballot, "started_at", "updated_at"),
        **_by_label(ballot.content, labels),
        "notes": {labels.get(token, "?"): text for token, text in ballot.notes.items()},
        "saves": [
            {"at": save.at, "hands_in": save.hands_in, "counts": save.pk == ballot.submission_id}
            | _by_label(content, labels)
            for save, content in zip(saves, contents, strict=True)
        ],
        "saves_that_do_not_count": uncounted,
    }


def _by_label(content: Mapping[str, Any], labels: Mapping[str, str]) -> dict[str, Any]:
    """Return a ranking with labels in place of tokens."""
    return {
        "orders": {
            part: [[labels.get(token, "?") for token in tied] for tied in order]
            for part, order in content.get("orders", {}).items()
        },
        "unjudged": [labels.get(token, "?") for token in content.get("unjudged", ())],
        "comments": {labels.get(token, "?"): text for token, text in content.get("comments", {}).items()},
    }


def _problems(member: Member) -> list[dict[str, Any]]:
    found = Problem.objects.filter(slot__grader=member).select_related("slot__assignment").order_by("pk")
    return [
        {"assignment": str(each.slot.assignment), "paper": label(each.slot.position)}
        | _fields(each, "kind", "text", "at", "answer", "answered_at")
        for each in found
    ]
