"""Two at once, inside of the app's own process: ``app.ask("from tests.web.results.races import ...")``."""

import os
import signal

from django.utils import timezone

from peerorder.web.assignments.models import Assignment, Stage
from peerorder.web.audit.models import Event
from peerorder.web.courses.models import Member, Role
from peerorder.web.errors import Refused
from peerorder.web.mail.models import Mail
from peerorder.web.people.models import Person
from peerorder.web.ranking.models import Slot
from peerorder.web.results import releases, services
from peerorder.web.results.mark_sheets import draft_sheet, release_in_force
from peerorder.web.results.models import Basis, Decision, Release, Result
from peerorder.web.results.releases import publish_due
from tests.web.factories import enrol, submit_ranking
from tests.web.ranking.races import Other, while_it_waits
from tests.web.results.conftest import sign_off
from tests.web.whole.scene import small_round

CLASS = 6


def scene() -> tuple[Assignment, Person]:
    """A class whose marks can be released, and an instructor; nobody has to be e-mailed for long."""
    assignment = Assignment.objects.select_related("course").get(pk=small_round(CLASS, 3)["assignment"])
    by = enrol(assignment.course, f"Ida{assignment.pk}", Role.INSTRUCTOR).person
    for member in Member.objects.filter(course=assignment.course, role=Role.STUDENT).select_related("person"):
        Person.objects.filter(pk=member.person_id).update(email=f"s{member.pk}@example.edu")
        if Slot.objects.filter(grader=member).exists():
            submit_ranking(assignment, member)
    Assignment.objects.filter(pk=assignment.pk).update(stage=Stage.REVIEW)
    assignment.refresh_from_db()
    services.compute(services.new_result(assignment, by, "borda"), lambda *_: None)
    services.set_scale(assignment, {"marks": "percentile"}, by, Basis.objects.get(assignment=assignment).revision)
    return assignment, by


def state(assignment: Assignment) -> dict:
    """What there is of releases."""
    release = release_in_force(assignment)
    events = Event.objects.filter(assignment_id=assignment.pk)
    return {
        "stage": Assignment.objects.get(pk=assignment.pk).stage,
        "in force": None if release is None else release.number,
        "releases": Release.objects.filter(assignment=assignment).count(),
        "mails": Mail.objects.filter(assignment_id=assignment.pk, key__startswith="release").count(),
        "published": events.filter(verb="release published").count(),
        "moved": events.filter(verb="moved").count(),
    }


def _said(does):
    def tried():
        try:
            return does()
        except Refused:
            return "refused"

    return tried


def sign_off_at_once() -> dict:
    """Two instructors press the button at the same moment."""
    assignment, by = scene()
    got = while_it_waits(lambda: sign_off(assignment, by), _said(lambda: sign_off(assignment, by).number))
    return {"got": got} | state(assignment)


def publish_at_once() -> dict:
    """Two workers look at the clock at the same moment."""
    assignment, by = scene()
    due = sign_off(assignment, by).due_at
    got = while_it_waits(lambda: publish_due(due), lambda: publish_due(due))
    return {"got": got} | state(assignment)


def withdraw_in_the_tenth_minute() -> dict:
    """A withdrawal that waits for the publication, and a publication that waits for the withdrawal."""
    found = {}
    for first in ("published", "withdrawn"):
        assignment, by = scene()
        release = sign_off(assignment, by)

        def publish(due=release.due_at):
            return publish_due(due)

        def withdraw(release=release, by=by):
            return releases.withdraw(release, by, "", timezone.now())

        order = (publish, _said(withdraw)) if first == "published" else (withdraw, publish)
        found[first] = {"got": while_it_waits(*order)} | state(assignment)
    return found


def decide_while_a_result_is_computed() -> dict:
    """A mark is set, and the scale changed, while a recomputation runs; then that one is chosen."""
    assignment, by = scene()
    paper = assignment.papers.order_by("pk")[0]
    author = paper.authorships.get().member_id
    result = services.new_result(assignment, by, "borda", upside_down=True)
    others = []

    def meanwhile(done, *_):
        if done == 1:
            # By somebody else, who need not wait for it.
            decide = Other(lambda: services.decide(assignment, Decision.Kind.MARK, paper, "3", "why", by).value)
            others.append(decide.wait())

    services.compute(result, meanwhile)
    before = draft_sheet(assignment)
    services.choose_result(
        assignment, Result.objects.get(pk=result.pk), by, Basis.objects.get(assignment=assignment).revision
    )
    after = draft_sheet(assignment)
    return {
        "decided": others,
        "marks": [before.students[author].mark, after.students[author].mark],
        "changed": sum(before.students[pk].mark != row.mark for pk, row in after.students.items()) > 1,
    }


def publish_and_die() -> None:
    """Publish, and be killed without a word once the e-mails are queued."""
    real = releases._queue

    def last(*arguments):
        real(*arguments)
        os.kill(os.getpid(), signal.SIGKILL)

    releases._queue = last
    publish_due(Release.objects.get().due_at)
