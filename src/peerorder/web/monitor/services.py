"""Remind people, and ask finished students for more rankings."""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _, ngettext

from peerorder.web.assignments.deadlines import Deadlines, with_extension
from peerorder.web.assignments.messages import compose_about, queue_about, time_until
from peerorder.web.assignments.models import Assignment, Extension, Stage
from peerorder.web.assignments.queries import assignment_of
from peerorder.web.audit.services import record
from peerorder.web.courses.models import Member
from peerorder.web.database.batches import batches
from peerorder.web.errors import Refused
from peerorder.web.jobs.models import Job
from peerorder.web.jobs.registry import Progress
from peerorder.web.jobs.services import enqueue
from peerorder.web.mail.messages import Message
from peerorder.web.mail.services import is_set_up
from peerorder.web.monitor import queries
from peerorder.web.monitor.forecast import plan_top_up
from peerorder.web.monitor.models import Offer, Reminded
from peerorder.web.monitor.states import students_with_state
from peerorder.web.monitor.student_state import UNFINISHED, State
from peerorder.web.people.models import Person
from peerorder.web.ranking.handouts import enqueue_top_up

BATCH = 100
REMINDERS = {State.NO_PAPER: "please hand in", State.ADDED: "please rank more"}
"""The kinds of message for those whose ranking is not awaited."""


# Reminders.


def enqueue_reminders(assignment: Assignment, by: Person) -> Job:
    """Remind everybody who has not finished, in the background."""
    with transaction.atomic():
        record("reminders asked for", by, assignment=assignment)
        return enqueue("reminders", assignment_id=assignment.pk, key=f"reminders {assignment.pk}")


def remind_one(assignment: Assignment, member: Member, by: Person, now: datetime | None = None) -> bool:
    """Remind one person now, at most once a day; return whether an e-mail goes out."""
    with transaction.atomic():
        asked = students_with_state(assignment).select_related("person").filter(pk=member.pk)
        sent = _remind(assignment, asked, now or timezone.now()) == 1
        if sent:
            record("reminder sent", by, assignment=assignment, member=member.pk)
    return sent


def remind(job: Job, progress: Progress) -> str:
    """Run the job: remind all who can be; automatically only those whose own deadline it is about."""
    assignment = assignment_of(job)
    only = job.about.get("deadline")
    deadline = None if only is None else datetime.fromisoformat(only)
    states = UNFINISHED.get(Stage(assignment.stage))
    if states is None:
        raise Refused(_("There is nothing to remind students of at this stage."))
    unfinished = list(students_with_state(assignment).filter(state__in=states).select_related("person").order_by("pk"))
    done = sent = 0
    for some in batches(unfinished, BATCH):
        progress(done, len(unfinished), _("Writing reminders"))
        with transaction.atomic():
            sent += _remind(assignment, some, timezone.now(), deadline)
        done += len(some)
    progress(len(unfinished), len(unfinished))
    message = ngettext("%(sent)d reminder created.", "%(sent)d reminders created.", sent) % {"sent": sent}
    if skipped := len(unfinished) - sent:
        left_out = ngettext(
            "%(skipped)d student skipped: already reminded today, no e-mail address, or past the deadline.",
            "%(skipped)d students skipped: already reminded today, no e-mail address, or past the deadline.",
            skipped,
        )
        message += " " + left_out % {"skipped": skipped}
    return message if is_set_up() else message + " " + _("Not sent, because no mail server is set up.")


def _remind(assignment: Assignment, members: Iterable[Member], now: datetime, only: datetime | None = None) -> int:
    members = list(members)
    granted = {each.member_id: each for each in Extension.objects.filter(assignment=assignment, member__in=members)}
    sent = 0
    for member in members:
        deadline = _deadline(assignment, with_extension(assignment, granted.get(member.pk)))
        if (deadline is not None and deadline <= now) or (only is not None and deadline != only):
            continue
        key = f"{queries.REMINDER} {assignment.pk} {member.pk} {queries.reminder_day(assignment, now)}"
        sent += queue_about(assignment, {key: (member.person, _reminder(assignment, member, deadline))})
    return sent


def example_reminder(assignment: Assignment) -> tuple[Member, Message] | None:
    """Return one of the reminders that can be sent now, and its reader; None where there is nobody to remind."""
    states = UNFINISHED.get(Stage(assignment.stage), ())
    readers = (
        students_with_state(assignment).filter(state__in=states).exclude(person__email="").select_related("person")
    )
    member = readers.order_by("pk").first()
    if member is None:
        return None
    times = with_extension(assignment, Extension.objects.of(assignment, member))
    return member, _reminder(assignment, member, _deadline(assignment, times))


def _deadline(assignment: Assignment, times: Deadlines) -> datetime | None:
    return times.hand_in if assignment.stage == Stage.HANDING_IN else times.rank


def _reminder(assignment: Assignment, member: Any, deadline: datetime | None) -> Message:
    """Return the message that fits the state of a member."""
    kind = REMINDERS.get(member.state, "please rank")
    return compose_about(kind, assignment, member.person, time_until(assignment, deadline))


def remind_automatically(now: datetime | None = None) -> int:
    """Enqueue the reminders of near deadlines, once each; return how many jobs were enqueued."""
    now = now or timezone.now()
    asked = 0
    running = Assignment.objects.filter(course__archived_at=None, stage__in=list(UNFINISHED))
    for assignment in running.filter(remind_hours__gt=0):
        field = "hand_in_by" if assignment.stage == Stage.HANDING_IN else "rank_by"
        deadlines = {getattr(assignment, field)}
        deadlines |= set(Extension.objects.filter(assignment=assignment).values_list(field, flat=True))
        for deadline in deadlines - {None}:
            near = now < deadline <= now + timedelta(hours=assignment.remind_hours)
            if near and queries.reminder_at(assignment, deadline) is not None:
                asked += _remind_once(assignment, deadline)
    return asked


def _remind_once(assignment: Assignment, deadline: datetime) -> bool:
    with transaction.atomic():
        about: dict[str, Any] = {"assignment": assignment, "stage": assignment.stage, "deadline": deadline}
        if Reminded.objects.filter(**about).exists():
            return False
        _reminded, new = Reminded.objects.get_or_create(**about)
        if new:
            key = f"reminders {assignment.pk} {deadline.isoformat()}"
            enqueue("reminders", assignment_id=assignment.pk, key=key, deadline=deadline.isoformat())
        return new


# More papers for those who are done.


def enqueue_offers(assignment: Assignment, by: Person, *, tell: bool = False) -> Job:
    """Offer more papers to those who are done, in the background; with ``tell``, by e-mail as well."""
    with transaction.atomic():
        record("offers asked for", by, assignment=assignment)
        return enqueue("offers", assignment_id=assignment.pk, key=f"offers {assignment.pk}", tell=tell)


def make_offers(job: Job, progress: Progress) -> str:
    """Run the job: ask the students that the library names.

    Questions that wait for an answer are renewed without another message: each is mailed once, however often staff ask.
    """
    assignment = assignment_of(job)
    if assignment.stage != Stage.RANKING:
        raise Refused(_("Extra papers can only be offered during the ranking stage."))
    progress(0, 0, _("Choosing students to ask"))
    plan = plan_top_up(assignment)
    willing = {member.pk: member for member in Member.objects.select_related("person").filter(pk__in=dict(plan.asked))}
    with transaction.atomic():
        Offer.objects.filter(assignment=assignment, answered_at=None).delete()
        answered = Counter(Offer.objects.filter(assignment=assignment).values_list("member", flat=True))
        for member_id, papers in plan.asked:
            Offer.objects.create(assignment=assignment, member_id=member_id, papers=papers, rankings_each=plan.least)
            if not job.about.get("tell", True):
                continue
            person = willing[member_id].person
            message = compose_about("offer", assignment, person, papers=papers)
            queue_about(assignment, {f"offer {assignment.pk} {member_id} {answered[member_id]}": (person, message)})
        record("offers made", None, assignment=assignment, people=len(plan.asked))
    if not plan.asked:
        return _("Every paper has enough rankings, so nobody was asked for more.")
    summary = ngettext("%(count)d student was asked.", "%(count)d students were asked.", len(plan.asked))
    return summary % {"count": len(plan.asked)}


def answer_offer(assignment: Assignment, member: Member, accepted: bool, now: datetime | None = None) -> bool:
    """Accept or decline the open offer; return whether there was one."""
    with transaction.atomic():
        offer = Offer.objects.select_for_update().filter(assignment=assignment, member=member, answered_at=None).first()
        if offer is None or assignment.stage != Stage.RANKING:
            return False
        offer.accepted, offer.answered_at = accepted, now or timezone.now()
        offer.save(update_fields=["accepted", "answered_at"])
        record("offer answered", member.person, assignment=assignment, accepted=accepted)
    return True


def serve_accepted_offers() -> int:
    """Enqueue the hand-outs of accepted offers, one at a time per assignment; return how many were enqueued."""
    willing = Offer.objects.filter(accepted=True, job=None, assignment__stage=Stage.RANKING)
    asked = 0
    for number in set(willing.values_list("assignment", flat=True)):
        with transaction.atomic():
            assignment = Assignment.objects.get(pk=number)
            offers = list(willing.select_for_update().filter(assignment=assignment))
            if not offers:
                continue
            least = max(offer.rankings_each for offer in offers)
            members = sorted(offer.member_id for offer in offers)
            job = enqueue_top_up(assignment, least, among=members)
            # A hand-out to others that runs already is not for these; their turn comes at the next tick.
            if job.about.get("among") == members:
                Offer.objects.filter(pk__in=[offer.pk for offer in offers]).update(job=job.pk)
                asked += 1
    return asked
