"""Compute results, choose what marks are made of, and decide individual cases."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _

from peerorder.core.errors import InputError
from peerorder.web.assignments.models import Assignment, Stage
from peerorder.web.assignments.services import lock_assignment
from peerorder.web.audit.services import record
from peerorder.web.courses.models import Member
from peerorder.web.errors import Refused
from peerorder.web.jobs.models import Job
from peerorder.web.jobs.registry import Progress
from peerorder.web.jobs.services import enqueue
from peerorder.web.papers.models import Paper
from peerorder.web.people.models import Person
from peerorder.web.ranking.round_snapshot import load_round_and_ids
from peerorder.web.results.mark_changes import anchor_problem
from peerorder.web.results.mark_sheets import basis_of, decisions_in_force, sheet_of
from peerorder.web.results.models import Basis, Decision, Result, ResultData
from peerorder.web.results.queries import exclusions_differ
from peerorder.web.results.result_data import excluded_rankings, pack

STEPS = 3


# Results.


def request_result(assignment: Assignment, by: Person | None, rule: str = "posterior", **settings: Any) -> Result:
    """Enqueue a new result by a rule of the registry, without the rankings that are excluded now."""
    with transaction.atomic():
        result = new_result(assignment, by, rule, **settings)
        enqueue("result", assignment_id=assignment.pk, key=f"result {result.pk}", result=result.pk)
    return result


def new_result(assignment: Assignment, by: Person | None, rule: str = "posterior", **settings: Any) -> Result:
    """Return a new result that nobody computes yet."""
    from peerorder.rounds import GradeSettings
    from peerorder.rules import RULES

    RULES.parse(rule)
    with transaction.atomic():
        locked = lock_assignment(assignment)
        if not locked.is_at(Stage.REVIEW, Stage.RELEASED):
            raise Refused(_("Results can be computed once ranking is over. End the ranking stage first."))
        last = Result.objects.filter(assignment=locked).aggregate(last=Max("number"))["last"] or 0
        excluded = Decision.objects.filter(assignment=locked, kind=Decision.Kind.EXCLUDE, undone_at=None)
        result = Result.objects.create(
            assignment=locked,
            number=last + 1,
            # Whole, so that a version with other defaults marks it as this one does.
            settings=asdict(GradeSettings(rule, **settings)),
            excluded=list(excluded.order_by("pk").values_list("pk", flat=True)),
            requested_by=by,
        )
        record("result requested", by, assignment=locked, result=result.number)
    return result


def compute_result(job: Job, progress: Progress) -> str:
    """Merge the rankings as they are now, and keep the result."""
    result = Result.objects.select_related("assignment__course").get(pk=job.about["result"])
    compute(result, progress)
    return _("Result %(number)d is ready.") % {"number": result.number}


def compute(result: Result, progress: Progress) -> None:
    """Compute a result; called again, it keeps the first that was finished."""
    if result.finished_at is None:
        try:
            _compute(result, progress)
        except InputError as error:
            with transaction.atomic():
                unfinished = Result.objects.filter(pk=result.pk, finished_at=None)
                unfinished.update(finished_at=timezone.now(), problem=str(error)[:500])
            raise


def _compute(result: Result, progress: Progress) -> None:
    from peerorder.rounds import GradeSettings, Override, grade
    from peerorder.rounds.overrides import EXCLUDE

    progress(0, STEPS, _("Reading the rankings"))
    with transaction.atomic():
        round_, papers, members = load_round_and_ids(result.assignment)
    called = dict(zip(members, round_.graders, strict=True))
    excluded = excluded_rankings(result, members, round_.profile)
    overrides = tuple(Override(called[each.grader_id or 0], EXCLUDE, "", each.reason) for each in excluded)
    round_ = replace(round_, overrides=overrides)
    progress(1, STEPS, _("Merging %(ballots)d rankings") % {"ballots": len(round_.profile)})
    graded = grade(round_, GradeSettings(**result.settings))
    progress(2, STEPS, _("Saving the result"))
    parts = pack(round_, graded, papers, members)
    with transaction.atomic():
        assignment = lock_assignment(result.assignment)
        fields = {"finished_at": timezone.now(), "digest": round_.digest, "provenance": _provenance(graded)}
        if not Result.objects.filter(pk=result.pk, finished_at=None).update(**fields):
            return
        ResultData.objects.bulk_create(
            ResultData(result=result, part=part, content=content) for part, content in parts.items()
        )
        # The first result is what marks are made of until another is chosen.
        Basis.objects.get_or_create(assignment=assignment, defaults={"result": result, "revision": 1})
        record("result computed", None, assignment=assignment, result=result.number)


def _provenance(graded: Any) -> dict[str, Any]:
    """Return what it takes to find the same again; ids of students are in the rankings alone."""
    return {name: value for name, value in graded.provenance.items() if name != "overrides"}


# What marks are made of.


def choose_result(assignment: Assignment, result: Result, by: Person, revision: int) -> None:
    """Make marks of another result from now on; refused where decisions do not go with it, or the page is old."""
    with transaction.atomic():
        basis = _lock_basis(assignment, revision)
        if result.assignment_id != assignment.pk or not result.is_ready:
            raise Refused(_("This result is not ready, so marks cannot be based on it yet."))
        _check(result, basis.settings, assignment)
        _change(basis, by, result=result)
        record("result chosen", by, assignment=assignment, result=result.number)


def set_scale(assignment: Assignment, settings: Mapping[str, Any], by: Person, revision: int) -> None:
    """Make marks in another way from now on: ``settings`` are all those of ``Basis``."""
    with transaction.atomic():
        basis = _lock_basis(assignment, revision)
        _check(basis.result, settings, assignment)
        _change(basis, by, settings=dict(settings))
        record("scale set", by, assignment=assignment)


def _lock_basis(assignment: Assignment, revision: int) -> Basis:
    lock_assignment(assignment)
    basis = basis_of(assignment)
    if basis is None:
        raise Refused(_("There is no result yet to base marks on. Compute one first."))
    if basis.revision != revision:
        raise Refused(_("Somebody else changed the scale or the result while you had this page open. Check it again."))
    return basis


def _change(basis: Basis, by: Person, **fields: Any) -> None:
    for name, value in fields.items():
        setattr(basis, name, value)
    basis.revision += 1
    basis.changed_by, basis.changed_at = by, timezone.now()
    basis.save()


def _check(result: Result, settings: Mapping[str, Any], assignment: Assignment) -> None:
    """Refuse a result and a scale that do not go together, or with the decisions that were made."""
    try:
        sheet = sheet_of(result, settings, decisions_in_force(assignment))
        # Some of what does not go together shows when students get their marks.
        sheet.students  # noqa: B018
    except InputError as error:
        raise Refused(str(error)) from None


# Decisions.


class NewDecision(NamedTuple):
    """A decision to be made."""

    kind: str
    subject: int
    """The id of the paper; of an exclusion, that of the grader."""
    value: str
    reason: str
    seen: int | None
    """The decision of this kind that was in force when the form was made, if any."""


def decide(
    assignment: Assignment,
    kind: Decision.Kind,
    subject: Paper | Member,
    value: str,
    reason: str,
    by: Person,
    seen: int | None = None,
) -> Decision:
    """Decide a case, in place of what was in force. Where somebody else decided it meanwhile, nothing changes."""
    if not reason.strip():
        raise Refused(_("Give a reason: students and colleagues may ask for it."))
    with transaction.atomic():
        locked = lock_assignment(assignment)
        (decision,) = _decide(locked, [NewDecision(kind.value, subject.pk, value.strip(), reason.strip(), seen)], by)
        record("decision made", by, assignment=locked, decision=decision.pk, decided=kind.value)
    return decision


def decide_all(assignment: Assignment, decisions: Sequence[NewDecision], by: Person) -> Result | None:
    """Decide many cases, all or none; where rankings are excluded, request one result without them, to compare."""
    with transaction.atomic():
        locked = lock_assignment(assignment)
        _decide(locked, decisions, by)
        record("decisions made", by, assignment=locked, decisions=len(decisions))
        excludes = any(each.kind == Decision.Kind.EXCLUDE for each in decisions)
        return request_alike(locked, by) if excludes else None


def _decide(assignment: Assignment, decisions: Sequence[NewDecision], by: Person) -> list[Decision]:
    """Make decisions in place of those that were seen, and refuse what the marks cannot have."""
    now = timezone.now()
    in_force = {
        (each.kind, each.paper_id or each.grader_id): each
        for each in Decision.objects.filter(assignment=assignment, undone_at=None)
    }
    replaced, made = [], []
    for kind, subject, value, reason, seen in decisions:
        before = in_force.get((kind, subject))
        if (None if before is None else before.pk) != seen:
            raise Refused(_("Somebody else has decided this in the meantime, so nothing was changed. Check it again."))
        if before is not None:
            before.undone_by, before.undone_at, before.undone_because = by, now, reason
            replaced.append(before)
        about = {"grader_id" if kind == Decision.Kind.EXCLUDE else "paper_id": subject}
        made.append(
            Decision(assignment=assignment, kind=kind, value=value, reason=reason, made_by=by, made_at=now, **about)
        )
    Decision.objects.bulk_update(replaced, ["undone_by", "undone_at", "undone_because"])
    Decision.objects.bulk_create(made)
    basis = basis_of(assignment)
    if basis is None:
        raise Refused(_("There is no result yet to decide on. Compute one first."))
    for each in made:
        if each.kind == Decision.Kind.ANCHOR and (problem := anchor_problem(each.value, basis.settings)):
            raise Refused(problem)
    _check(basis.result, basis.settings, assignment)
    return made


def undo(decision: Decision, by: Person, reason: str) -> bool:
    """Undo a decision; return whether it was in force."""
    if not reason.strip():
        raise Refused(_("Give a reason: students and colleagues may ask for it."))
    with transaction.atomic():
        locked = lock_assignment(decision.assignment)
        in_force = Decision.objects.filter(pk=decision.pk, undone_at=None)
        done = in_force.update(undone_by=by, undone_at=timezone.now(), undone_because=reason.strip()) == 1
        if done:
            basis = basis_of(locked)
            if basis is not None:
                _check(basis.result, basis.settings, locked)
            record("decision undone", by, assignment=locked, decision=decision.pk, decided=decision.kind)
    return done


# Rankings that do not count.


def exclude(assignment: Assignment, grader: Member, reason: str, by: Person) -> Result:
    """Exclude the ranking of a grader from results from now on, and request one without it, to compare.

    It is merged as the result that is chosen; marks change when the new one is chosen.
    """
    with transaction.atomic():
        decide(assignment, Decision.Kind.EXCLUDE, grader, "", reason, by)
        return request_alike(assignment, by)


def include_again(decision: Decision, by: Person, reason: str) -> Result | None:
    """Undo the exclusion of a ranking; request a result with it, unless the one that is chosen has it."""
    with transaction.atomic():
        if not undo(decision, by, reason) or not exclusions_differ(decision.assignment):
            return None
        return request_alike(decision.assignment, by)


def request_alike(assignment: Assignment, by: Person) -> Result:
    """Request a result that is merged as the one that is chosen."""
    basis = basis_of(assignment)
    return request_result(assignment, by, **({} if basis is None else basis.result.settings))
