"""Who ranks what: asked for here, worked out by the library in the background, and seen by nobody before all is there.

There are three kinds. The first one gives everybody their papers. A late one lets papers and graders join, and what
others have stays. A top-up asks those who are done for a few more, for papers that are short of rankings; its papers
are a part of their own, with an order of their own.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from uuid import UUID

import numpy as np
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext as _, ngettext

from peerorder.core.arrays import AnyIntArray
from peerorder.core.randomness import child
from peerorder.web.assignments.models import Assignment, Stage
from peerorder.web.assignments.queries import assignment_of
from peerorder.web.assignments.services import lock_assignment
from peerorder.web.audit.services import record
from peerorder.web.database.batches import batches
from peerorder.web.errors import Refused
from peerorder.web.jobs.models import Job
from peerorder.web.jobs.registry import Progress
from peerorder.web.jobs.services import enqueue
from peerorder.web.people.models import Person
from peerorder.web.ranking.models import Ballot, Handout, Problem, Slot
from peerorder.web.ranking.round_snapshot import RoundSnapshot, load_profile, load_snapshot

if TYPE_CHECKING:
    from peerorder.rounds import NewRows
    from peerorder.schemes import LateJoiners


# How many slots are written at once: enough to be quick, few enough to let others write in between.
BATCH = 2000
# Nobody ranks as many, and positions up to twice this number fit into the database.
MOST_PAPERS = 10_000
# As a favour nobody is asked for more than this: two papers are the smallest ballot.
MOST_MORE = 2


def enqueue_first_handout(assignment: Assignment, *, tell: bool = False) -> Job:
    """Enqueue the first hand-out; with ``tell``, graders are notified by e-mail."""
    key = f"hand-out first {assignment.pk}"
    return enqueue("hand-out", assignment_id=assignment.pk, key=key, why=Handout.Why.FIRST.value, tell=tell)


def enqueue_late_handout(assignment: Assignment, by: Person | None = None, *, tell: bool | None = None) -> Job:
    """Enqueue the hand-out of late papers; without ``tell``, the settings say whether graders are notified."""
    key = f"hand-out joined {assignment.pk}"
    with transaction.atomic():
        if by is not None:
            record("late papers let join", by, assignment=assignment)
        return enqueue("hand-out", assignment_id=assignment.pk, key=key, why=Handout.Why.JOINED.value, tell=tell)


def enqueue_top_up(assignment: Assignment, rankings_each: int, among: Sequence[int] | None = None) -> Job:
    """Enqueue a hand-out of more papers to finished students, so that every paper gets this many rankings.

    ``among`` are the numbers of the members who may be asked; without it, everybody who ranked.
    """
    key = f"hand-out top-up {assignment.pk}"
    about: dict[str, Any] = {"rankings_each": rankings_each, "among": None if among is None else sorted(among)}
    return enqueue("hand-out", assignment_id=assignment.pk, key=key, why=Handout.Why.TOP_UP.value, **about)


def withdraw_first(assignment: Assignment, by: Person | None = None) -> None:
    """Withdraw the first hand-out, to go back to handing in; raise Refused if somebody has begun."""
    with transaction.atomic():
        lock_assignment(assignment)
        count = Ballot.objects.filter(assignment=assignment).count()
        if count:
            summary = ngettext(
                "%(count)d student has started to rank, and this work would be lost.",
                "%(count)d students have started to rank, and this work would be lost.",
                count,
            )
            raise Refused(summary % {"count": count})
        if Problem.objects.filter(slot__assignment=assignment).exists():
            raise Refused(_("A student has reported a problem with a paper, and this report would be lost."))
        slots = Slot.written.filter(assignment=assignment)
        count = slots.count()
        slots.delete()
        Handout.objects.filter(assignment=assignment).delete()
        record("hand-out withdrawn", by, assignment=assignment, slots=count)


def hand_out(job: Job, progress: Progress) -> str:
    """Run the job. What an earlier try left behind is deleted; the same seed then gives everybody the same papers."""
    from peerorder.rounds.allocation import provenance_of_rows

    assignment = assignment_of(job)
    why = Handout.Why(job.about["why"])
    if assignment.stage != Stage.RANKING:
        raise Refused(_("Papers can only be distributed during the ranking stage."))
    _delete_unfinished(assignment, job.pk)
    first = Handout.objects.filter(assignment=assignment, why=Handout.Why.FIRST).exists()
    if why == Handout.Why.FIRST and first:
        return _("The papers are already distributed.")
    if why != Handout.Why.FIRST and not first:
        raise Refused(_("The first hand-out is missing. Distribute the papers first."))
    progress(0, 0, _("Allocating papers to graders"))
    snapshot = load_snapshot(assignment)
    rows, about, summary = WORK[why](assignment, snapshot, job)
    if len(rows.grader) == 0:
        return summary
    provenance = provenance_of_rows({**rows.settings, **about}, assignment.seed)
    part = 0 if why != Handout.Why.TOP_UP else 1 + int(snapshot.parts)
    handout = Handout.objects.create(assignment=assignment, why=why, job=job.pk, provenance=provenance)
    _write(handout, snapshot, rows.grader, rows.paper, part, progress)
    _make_ready(handout, len(rows.grader), job.about.get("tell"))
    return summary


def _delete_unfinished(assignment: Assignment, job: UUID) -> None:
    """Delete what was half written, by this job or by one that no longer runs."""
    running = Job.objects.filter(assignment_id=assignment.pk, state__in=(Job.State.WAITING, Job.State.RUNNING))
    others = [pk for pk in running.values_list("pk", flat=True) if pk != job]
    left = Handout.objects.filter(Q(job=None) | ~Q(job__in=others), assignment=assignment, ready_at=None)
    with transaction.atomic():
        for handout in left:
            Slot.written.filter(handout=handout).delete()
            handout.delete()


# What to hand out, what its provenance says besides, and what to tell.
NewHandout = tuple["NewRows[Any]", dict[str, object], str]


def _first(assignment: Assignment, snapshot: RoundSnapshot, job: Job) -> NewHandout:
    from peerorder.rounds import allocate

    rows = allocate(snapshot.participants, assignment.papers_each, seed=assignment.seed)
    result = rows.result
    summary = ngettext(
        "%(graders)d student ranks %(each)d papers.",
        "%(graders)d students rank %(each)d papers each.",
        int((result.bundles.sizes > 0).sum()),
    ) % {"graders": int((result.bundles.sizes > 0).sum()), "each": assignment.papers_each}
    if snapshot.unreadable:
        summary += " " + ngettext(
            "%(count)d paper cannot be shown and was left out.",
            "%(count)d papers cannot be shown and were left out.",
            snapshot.unreadable,
        ) % {"count": snapshot.unreadable}
    return rows, {"why": result.why, "apart": result.apart}, summary


def late_rows(assignment: Assignment, snapshot: RoundSnapshot) -> "NewRows[LateJoiners]":
    """Return what is added when late papers and their authors join; the same for a preview and for the job."""
    from peerorder.rounds import add_late_joiners

    return add_late_joiners(
        snapshot.participants,
        assignment.papers_each,
        seed=assignment.seed,
        step=snapshot.handouts,
        begun=np.isin(snapshot.members, list(graders_who_began(assignment))),
    )


def graders_who_began(assignment: Assignment) -> set[int]:
    """Return the graders who have opened a paper or saved: what joins their papers now is seen to be new."""
    opened = Slot.objects.filter(assignment=assignment, opened_at__isnull=False).order_by()
    saved = Ballot.objects.filter(assignment=assignment)
    return {*opened.values_list("grader", flat=True), *saved.values_list("grader", flat=True)}


def _late(assignment: Assignment, snapshot: RoundSnapshot, job: Job) -> NewHandout:
    rows = late_rows(assignment, snapshot)
    result = rows.result
    summary = _(
        "Late graders added: %(graders)d. Late papers added: %(papers)d. Other graders with one more paper: %(more)d."
    ) % {
        "graders": len(result.joined),
        "papers": len(result.late),
        "more": len(result.one_more),
    }
    if not len(result.grader):
        summary = _("No late papers or graders to add.")
    return rows, {"target": result.target, "components": result.components, "extends": snapshot.handouts}, summary


def _top_up(assignment: Assignment, snapshot: RoundSnapshot, job: Job) -> NewHandout:
    from peerorder.rounds import top_up

    excused = snapshot.excused.copy()
    if job.about.get("among") is not None:
        among = set(job.about["among"])
        excused |= [member not in among for member in snapshot.members]
    rows = top_up(
        replace(snapshot.participants, excused=excused),
        load_profile(assignment, snapshot),
        int(job.about["rankings_each"]),
        seed=assignment.seed,
        step=snapshot.handouts,
        most=MOST_MORE,
    )
    result = rows.result
    asked = len(set(result.grader.tolist()))
    summary = ngettext(
        "%(asked)d student is asked to rank more papers (%(papers)d in total).",
        "%(asked)d students are asked to rank more papers (%(papers)d in total).",
        asked,
    ) % {"asked": asked, "papers": len(result.grader)}
    if not asked:
        summary = _("Every paper has enough rankings, so nobody is asked for more.")
    if len(result.short):
        summary += " " + ngettext(
            "%(count)d paper still has too few rankings.",
            "%(count)d papers still have too few rankings.",
            len(result.short),
        ) % {"count": len(result.short)}
    return rows, {"extends": snapshot.handouts}, summary


WORK = {Handout.Why.FIRST: _first, Handout.Why.JOINED: _late, Handout.Why.TOP_UP: _top_up}


def _write(
    handout: Handout, snapshot: RoundSnapshot, grader: AnyIntArray, paper: AnyIntArray, part: int, progress: Progress
) -> None:
    """Write the slots, in the order of the library, which is shuffled for every grader."""
    next_position = dict(snapshot.next_position)
    slots = []
    for g, p in zip(grader.tolist(), paper.tolist(), strict=True):
        member = snapshot.members[g]
        position = next_position.get(member, 0)
        next_position[member] = position + 1
        slots.append(
            Slot(
                assignment_id=handout.assignment_id,
                handout=handout,
                grader_id=member,
                paper_id=snapshot.papers[p],
                position=position,
                part=part,
            )
        )
    done = 0
    for some in batches(slots, BATCH):
        progress(done, len(slots), _("Distributing papers"))
        Slot.written.bulk_create(some)
        done += len(some)
    progress(len(slots), len(slots))


def _shuffle_labels(handout: Handout) -> None:
    """Draw the labels anew in bundles that a paper joined before anybody looked, so that none tells which one is late.

    Runs while the assignment is locked: nobody begins meanwhile.
    """
    joined = Slot.written.filter(handout=handout).order_by().values("grader")
    slots = Slot.objects.filter(assignment=handout.assignment_id, grader__in=joined)
    bundles: dict[int, list[Slot]] = defaultdict(list)
    for slot in slots.exclude(grader__in=graders_who_began(handout.assignment)).order_by("grader", "position"):
        bundles[slot.grader_id].append(slot)
    rng = child(handout.assignment.seed, "labels", handout.pk)
    for some in batches(list(bundles), BATCH):
        for grader in some:
            for slot, position in zip(bundles[grader], rng.permutation(len(bundles[grader])).tolist(), strict=True):
                slot.position = position
        # A grader has a position once, also in between.
        slots.filter(grader__in=some).update(position=F("position") + MOST_PAPERS)
        Slot.written.bulk_update([slot for grader in some for slot in bundles[grader]], ["position"])


def _make_ready(handout: Handout, count: int, tell: bool | None) -> None:
    """Show the hand-out to everybody, if it is whole and still wanted.

    ``tell`` says whether graders with new papers are notified by e-mail; None leaves it to the settings.
    """
    with transaction.atomic():
        assignment = lock_assignment(handout.assignment)
        whole = Slot.written.filter(handout=handout).count() == count
        changed = Handout.objects.filter(pk=handout.pk, ready_at=None).update(ready_at=timezone.now()) if whole else 0
        if not changed or assignment.stage != Stage.RANKING:
            raise Refused(_("The assignment changed in the meantime, so no papers were distributed. Please try again."))
        if handout.why == Handout.Why.JOINED:
            _shuffle_labels(handout)
        record("handed out", None, assignment=assignment, handout=handout.pk, why=handout.why, slots=count)
        if assignment.tells_students if tell is None else tell:
            enqueue("notifications", assignment_id=assignment.pk, event="handed out", handout=handout.pk)
