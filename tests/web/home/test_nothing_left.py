"""After an erasure no column of any table and no file holds anything of the person; each did everything there is."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from peerorder.web.assignments.models import Assignment, Extension, Stage
from peerorder.web.audit.models import Event
from peerorder.web.courses.models import Invitation, Member, Role
from peerorder.web.courses.services import rosters
from peerorder.web.home.erasure import erase_member
from peerorder.web.home.retention import erase_course
from peerorder.web.mail.messages import Message
from peerorder.web.mail.services import queue
from peerorder.web.papers import services
from peerorder.web.papers.models import Paper
from peerorder.web.people.models import Confirmation, MailRequest, Person, Session
from peerorder.web.ranking import handouts
from peerorder.web.ranking.models import Comment, Problem, Slot
from peerorder.web.ranking.services import report
from peerorder.web.results import services as results
from peerorder.web.results.mark_sheets import released_sheet
from peerorder.web.results.models import (
    CommentFeedback,
    Decision,
    HiddenComment,
    Look,
    Release,
    Result,
    Thanks,
    WatchedWords,
)
from tests.web.factories import complete_ranking, run_waiting, submit_paper, submit_ranking
from tests.web.home.test_erasure import everything
from tests.web.papers.conftest import make_pdf, upload

NAME, STUDENT, EMAIL = "Xanthippe Wolkenstein", "x4711", "xan.wolken@example.edu"
WORDS = {
    "the name": "wolkenstein",
    "the student id": STUDENT,
    "the address": EMAIL,
    "the username": "xanlogin",
    "the team": "team zibeline",
    "the text of a paper": "quagga marginalia",
    "the text of a PDF": "pangolin folio",
    "hidden data of a file": "narwhal stylus",
    "the name of a file": "my-okapi-essay",
    "a comment that they wrote": "axolotl remark",
    "a comment on their paper": "tapir critique",
    "a problem with their paper": "dugong complaint",
    "a note on an extension": "fossa migraine",
    "why the paper was withdrawn": "numbat reason",
    "an e-mail": "civet letter",
    "a device": "lynx browser",
    "why a mark was set": "gecko verdict",
    "why a ranking was excluded": "ibex verdict",
    "why that was undone": "kudu verdict",
    "why their comment was hidden": "loris excuse",
    "why a comment on their paper was hidden": "margay excuse",
    "what they reported of a comment": "nyala protest",
    "what was reported of their comment": "ocelot protest",
    "words that staff look for": "wolkenstein watch",
}


@pytest.fixture(autouse=True)
def media(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "uploads"
    return settings.MEDIA_ROOT


def found(media) -> set[str]:
    """What of the person is in a table or a file."""
    files = b"\n".join(path.read_bytes() + path.name.encode() for path in media.rglob("*") if path.is_file()).lower()
    tables = everything()
    return {what for what, word in WORDS.items() if word in tables or word.encode() in files}


@pytest.fixture
def xan(course, instructor, students, assignment) -> Member:
    """Somebody who did everything, through the pages and services that people use."""
    assignment.comments = True
    assignment.save()
    roster = f"student,name,email,team\n{STUDENT},{NAME},{EMAIL},Team Zibeline\n".encode()
    plan = rosters.keep_roster(course, instructor.person, "wolkenstein.csv", roster)
    rosters.apply_roster(plan, instructor.person, rosters.plan_of(plan).digest, remove=False, remove_with_work=False)
    member = Member.objects.select_related("person").get(student=STUDENT)
    Person.objects.filter(pk=member.person_id).update(login="xanlogin")
    client = Client()
    client.force_login(member.person)
    address = f"/assignments/{assignment.pk}/hand-in/"
    client.post(address, {"how": "text", "text": "Quagga marginalia, at length."})
    client.post(address, {"how": "text", "text": f"Quagga marginalia by {NAME}"})
    sent = make_pdf("Pangolin folio") + b"\n%narwhal stylus\n"
    client.post(address, {"how": "file", "file": upload(sent, "my-okapi-essay.pdf")})
    for student in students:
        submit_paper(assignment, student, f"Work {student.pk} of somebody else.")
    run_waiting()
    assignment.stage = Stage.RANKING
    assignment.save()
    handouts.enqueue_first_handout(assignment)
    run_waiting()
    for grader, words in ((member, "axolotl remark"), *((each, "tapir critique") for each in students)):
        said = complete_ranking(assignment, grader)
        said["comments"] = {token: f"An {words} of mine" for tied in said["orders"]["0"] for token in tied}
        submit_ranking(assignment, grader, said)
    theirs = Slot.objects.filter(paper__authorships__member=member).first()
    report(theirs, Problem.Kind.IDENTITY, "A dugong complaint", theirs.grader.person)
    soon = timezone.now() + timedelta(days=1)
    Extension.objects.create(assignment=assignment, member=member, note="fossa migraine", rank_by=soon)
    services.withdraw(theirs.paper, instructor.person, "numbat reason")
    queue(member.person, "k", Message("A civet letter", "A civet letter to you"), course_id=course.pk)
    Session.objects.create(session_key="k" * 40, expire_date=soon, person=member.person, device="Lynx browser")
    Confirmation.objects.create(person=member.person, purpose="address", email=EMAIL, digest="d" * 64, ends_at=soon)
    MailRequest.objects.create(email=EMAIL.upper(), purpose="link")
    Invitation.objects.create(course=course, role=Role.ASSISTANT, name=NAME, email=EMAIL, expires_at=soon)
    _release(assignment, member, instructor.person)
    return member


def _release(assignment, member, by) -> None:
    """Marks are out, after decisions about everything; they looked, and said what they think."""
    Assignment.objects.filter(pk=assignment.pk).update(stage=Stage.REVIEW, rank_by=timezone.now())
    assignment.refresh_from_db()
    results.request_result(assignment, by, "borda")
    run_waiting()
    results.set_scale(assignment, {"marks": "percentile"}, by, 1)
    others = Paper.objects.filter(assignment=assignment, withdrawn_at=None)
    paper = Paper.objects.get(authorships__member=member)
    decision = Decision(assignment=assignment, made_by=by)
    for kind, about, reason in (
        ("mark", {"paper": paper}, "A gecko verdict"),
        ("exclude", {"grader": member}, "An ibex verdict"),
    ):
        Decision.objects.create(assignment=assignment, kind=kind, reason=reason, value="", made_by=by, **about)
    decision.kind, decision.paper, decision.reason = "penalty", paper, "late"
    decision.undone_at, decision.undone_because = timezone.now(), "A kudu verdict"
    decision.save()
    mine = Slot.objects.filter(grader=member).first()
    about_mine = Slot.objects.filter(paper=paper).first()
    HiddenComment.objects.create(slot=mine, reason="A loris excuse")
    HiddenComment.objects.create(slot=about_mine, reason="A margay excuse")
    CommentFeedback.objects.create(slot=about_mine, member=member, kind="report", text="A nyala protest")
    grader = others.exclude(pk=paper.pk).first().authorships.get().member
    CommentFeedback.objects.create(slot=mine, member=grader, kind="report", text="An ocelot protest")
    WatchedWords.objects.create(course=assignment.course, words="wolkenstein watch\nrude")
    result = Result.objects.get(assignment=assignment)
    now = timezone.now()
    release = Release.objects.create(assignment=assignment, number=1, result=result, due_at=now, published_at=now)
    Look.objects.create(release=release, member=member)
    Thanks.objects.create(assignment=assignment, member=member, helpful=1)


def test_of_somebody_erased_by_an_instructor(xan, media, instructor, students, django_capture_on_commit_callbacks):
    assert set(WORDS) - found(media) == set()
    with django_capture_on_commit_callbacks(execute=True):
        erase_member(xan, instructor.person)
    # What others said about papers of others stays.
    assert found(media) == {"a comment on their paper"}
    about = Slot.objects.filter(paper__authorships__member=xan).values_list("token", flat=True)
    assert Comment.objects.exists()
    assert not Comment.objects.filter(token__in=about).exists()
    assert Event.objects.filter(verb="person erased").count() == 1
    assert not Look.objects.exists()
    assert not Thanks.objects.exists()
    assert not CommentFeedback.objects.exists()
    # Decisions are in force still, and a comment that was hidden from a team stays so.
    assert Decision.objects.filter(undone_at=None).count() == 2
    assert HiddenComment.objects.count() == 1
    assert WatchedWords.objects.get().words == "rude"
    assert member_in_marks(xan)


def member_in_marks(member) -> bool:
    """Whether marks are made as before, of someone who has no name any more."""
    release = Release.objects.get()
    return member.pk in released_sheet(release).students


def test_of_anybody_when_the_course_is_erased(xan, course, media, django_capture_on_commit_callbacks):
    assert set(WORDS) - found(media) == set()
    with django_capture_on_commit_callbacks(execute=True):
        erase_course(course)
    assert found(media) == set()
    assert [path for path in media.rglob("*") if path.is_file()] == []
