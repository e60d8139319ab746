"""Compute results, choose what marks are made of, and decide single cases."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from django.db import IntegrityError, transaction
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
from peerorder.web.results.mark_sheets import Sheet, decisions_in_force, sheet_of
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
        there = lock_assignment(assignment)
        if not there.is_at(Stage.REVIEW, Stage.RELEASED):
            raise Refused(_("Results are computed when ranking is over. End the ranking stage first."))
        last = Result.objects.filter(assignment=there).aggregate(last=Max("number"))["last"] or 0
        excluded = Decision.objects.filter(assignment=there, kind=Decision.Kind.EXCLUDE, undone_at=None)
        result = Result.objects.create(
            assignment=there,
            number=last + 1,
            # Whole, so that a version with other defaults marks it as this one does.
            settings=asdict(GradeSettings(rule, **settings)),
            excluded=list(excluded.order_by("pk").values_list("pk", flat=True)),
            requested_by=by,
        )
        record("result requested", by, assignment=there, result=result.number)
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
    progress(2, STEPS, _("Keeping the result"))
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
        basis, _made = Basis.objects.get_or_create(assignment=assignment)
        if basis.result_id is None:
            _change(basis, None, result=Result(pk=result.pk))
        record("result computed", None, assignment=assignment, result=result.number)


def _provenance(graded: Any) -> dict[str, Any]:
    """What it takes to find the same again; ids of students are in the rankings alone."""
    return {name: value for name, value in graded.provenance.items() if name != "overrides"}


# What marks are made of.


def choose_result(assignment: Assignment, result: Result, by: Person, revision: int) -> None:
    """Make marks of another result from now on; refused where decisions do not go with it, or the page is old."""
    with transaction.atomic():
        basis = _lock_basis(assignment, revision)
        if result.assignment_id != assignment.pk or not result.is_ready:
            raise Refused(_("This result is not ready, so no marks can be made of it."))
        _check(result, basis.settings, assignment)
        _change(basis, by, result=result)
        record("result chosen", by, assignment=assignment, result=result.number)


def set_scale(assignment: Assignment, settings: Mapping[str, Any], by: Person, revision: int) -> None:
    """Make marks in another way from now on: ``settings`` are those of ``Basis``, all of them."""
    with transaction.atomic():
        basis = _lock_basis(assignment, revision)
        if basis.result is None:
            raise Refused(_("There is no result yet to make marks of. Compute one first."))
        _check(basis.result, settings, assignment)
        _change(basis, by, settings=dict(settings))
        record("scale set", by, assignment=assignment)


def _lock_basis(assignment: Assignment, revision: int) -> Basis:
    lock_assignment(assignment)
    basis, _made = Basis.objects.select_related("result").get_or_create(assignment=assignment)
    if basis.revision != revision:
        raise Refused(
            _("Somebody else changed the scale or the result while you had this page open. Look at it again.")
        )
    return basis


def _change(basis: Basis, by: Person | None, **fields: Any) -> None:
    for name, value in fields.items():
        setattr(basis, name, value)
    basis.revision += 1
    basis.changed_by, basis.changed_at = by, timezone.now()
    basis.save()


def _check(result: Result, settings: Mapping[str, Any], assignment: Assignment) -> Sheet:
    """Refuse a result and a scale that do not go together, or with the decisions that were made."""
    try:
        sheet = sheet_of(result, settings, decisions_in_force(assignment))
        # Some of what does not go together shows when students get their marks.
        sheet.students  # noqa: B018
        return sheet
    except InputError as error:
        raise Refused(str(error)) from None


# Decisions.


def decide(
    assignment: Assignment,
    kind: Decision.Kind,
    subject: Paper | Member,
    value: str,
    reason: str,
    by: Person,
    seen: int | None = None,
) -> Decision:
    """Decide a case; ``seen`` is the decision of this kind that was in force when the form was made, if any.

    It takes the place of that one. Where somebody else has decided meanwhile, it is refused, and nothing changes.
    """
    about = {"grader": subject} if isinstance(subject, Member) else {"paper": subject}
    if not reason.strip():
        raise Refused(_("Say why: students may ask, and colleagues will."))
    with transaction.atomic():
        there = lock_assignment(assignment)
        before = Decision.objects.filter(assignment=there, kind=kind, undone_at=None, **about).first()
        if (before.pk if before is not None else None) != seen:
            raise Refused(_("Somebody else decided this case while you had the page open. Look at it again."))
        if before is not None:
            before.undone_by, before.undone_at, before.undone_because = by, timezone.now(), reason.strip()
            before.save()
        try:
            with transaction.atomic():
                made = Decision.objects.create(
                    assignment=there, kind=kind, value=value.strip(), reason=reason.strip(), made_by=by, **about
                )
        except IntegrityError:
            raise Refused(_("Somebody else decided this case just now. Look at it again.")) from None
        _check_decision(there, made)
        record("decision made", by, assignment=there, decision=made.pk, decided=kind.value)
    return made


def decide_all(assignment: Assignment, decisions: Sequence[tuple[str, int, str, str, int | None]], by: Person) -> int:
    """Decide many cases, all or none: kind, paper, value, reason and what ``decide`` calls ``seen`` of each."""
    now = timezone.now()
    with transaction.atomic():
        there = lock_assignment(assignment)
        in_force = Decision.objects.filter(assignment=there, undone_at=None, paper__isnull=False)
        known = {(each.kind, each.paper_id): each for each in in_force}
        for kind, paper, _value, reason, seen in decisions:
            before = known.get((kind, paper))
            if (before.pk if before is not None else None) != seen:
                raise Refused(_("Somebody else decided one of these cases meanwhile. Upload the file again."))
            if before is not None:
                before.undone_by, before.undone_at, before.undone_because = by, now, reason
                before.save()
        Decision.objects.bulk_create(
            Decision(assignment=there, kind=kind, paper_id=paper, value=value, reason=reason, made_by=by, made_at=now)
            for kind, paper, value, reason, _seen in decisions
        )
        basis = Basis.objects.select_related("result").filter(assignment=there, result__isnull=False).first()
        if basis is None or basis.result is None:
            raise Refused(_("There is no result yet to decide on. Compute one first."))
        _check(basis.result, basis.settings, there)
        record("decisions made", by, assignment=there, decisions=len(decisions))
    return len(decisions)


def undo(decision: Decision, by: Person, reason: str) -> bool:
    """Undo a decision; return whether it was in force."""
    if not reason.strip():
        raise Refused(_("Say why: students may ask, and colleagues will."))
    with transaction.atomic():
        there = lock_assignment(decision.assignment)
        in_force = Decision.objects.filter(pk=decision.pk, undone_at=None)
        done = in_force.update(undone_by=by, undone_at=timezone.now(), undone_because=reason.strip()) == 1
        if done:
            basis = Basis.objects.select_related("result").filter(assignment=there, result__isnull=False).first()
            if basis is not None and basis.result is not None:
                _check(basis.result, basis.settings, there)
            record("decision undone", by, assignment=there, decision=decision.pk, decided=decision.kind)
    return done


# Rankings that do not count.


def exclude(assignment: Assignment, grader: Member, reason: str, by: Person) -> Result:
    """Exclude the ranking of a grader from results from now on, and request one without it, to compare.

    It is merged as the result that is chosen; marks change when the new one is chosen.
    """
    with transaction.atomic():
        decide(assignment, Decision.Kind.EXCLUDE, grader, "", reason, by)
        return _request_alike(assignment, by)


def include_again(decision: Decision, by: Person, reason: str) -> Result | None:
    """Undo the exclusion of a ranking; request a result with it, unless the one that is chosen has it."""
    with transaction.atomic():
        if not undo(decision, by, reason) or not exclusions_differ(decision.assignment):
            return None
        return _request_alike(decision.assignment, by)


def _request_alike(assignment: Assignment, by: Person) -> Result:
    basis = Basis.objects.select_related("result").get(assignment=assignment)
    return request_result(assignment, by, **(basis.result.settings if basis.result is not None else {}))


def _check_decision(assignment: Assignment, decision: Decision) -> None:
    """Refuse a decision that the sheet cannot have."""
    from peerorder.rounds.marking import parse_mark

    basis = Basis.objects.select_related("result").filter(assignment=assignment, result__isnull=False).first()
    if basis is None or basis.result is None:
        raise Refused(_("There is no result yet to decide on. Compute one first."))
    if decision.kind == Decision.Kind.ANCHOR:
        highest = float(basis.settings.get("anchors_points", 100))
        mark = parse_mark(decision.value, highest)
        if mark is None or not 0 <= mark <= highest:
            what = _("“%(value)s” is not a mark from 0 to %(highest)g.")
            raise Refused(what % {"value": decision.value, "highest": highest})
    if decision.kind != Decision.Kind.EXCLUDE:
        _check(basis.result, basis.settings, assignment)
