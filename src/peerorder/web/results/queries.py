"""What there is of results, and whether they are up to date."""

from dataclasses import dataclass

from peerorder.web.assignments.models import Assignment
from peerorder.web.courses.models import Role
from peerorder.web.jobs.models import Job
from peerorder.web.papers.models import Authorship
from peerorder.web.ranking.models import Ballot
from peerorder.web.results.mark_sheets import basis_of
from peerorder.web.results.models import Decision, Result
from peerorder.web.results.result_data import load


@dataclass(frozen=True)
class ResultState:
    """A result, and the job that computes it."""

    result: Result
    job: Job | None
    """None where it is long finished, or computed by a job about more than this result, as in the sample course."""
    is_chosen: bool
    excluded: list[Decision]

    @property
    def problem(self) -> str:
        """Why there is no order and will be none; empty where there is, or may be."""
        if self.result.problem or self.result.finished_at is not None:
            return self.result.problem
        return self.job.message if self.job is not None and self.job.state == Job.State.FAILED else ""

    @property
    def rule(self) -> str:
        """The rule by its name, with its options."""
        return rule_in_words(self.result)

    @property
    def is_running(self) -> bool:
        """Whether it is being computed, or waits for that."""
        return self.result.finished_at is None and not self.problem


def rule_in_words(result: Result) -> str:
    """Return the rule of a result by its name, with its options."""
    from peerorder.reports.labels import rule_name

    name, _, options = str(result.settings["rule"]).partition(":")
    return f"{rule_name(name)} ({options})" if options else rule_name(name)


def results_of(assignment: Assignment) -> list[ResultState]:
    """Return all results of an assignment, the last first."""
    basis = basis_of(assignment)
    chosen = None if basis is None else basis.result
    jobs = {each.about["result"]: each for each in Job.objects.filter(assignment_id=assignment.pk, kind="result")}
    decisions = {each.pk: each for each in exclusions_of(assignment)}
    results = Result.objects.filter(assignment=assignment).select_related("requested_by").order_by("-number")
    return [
        ResultState(each, jobs.get(each.pk), each == chosen, [decisions[pk] for pk in each.excluded])
        for each in results
    ]


def exclusions_of(assignment: Assignment) -> list[Decision]:
    """Return every decision that excluded a ranking, those that were undone too."""
    exclusions = Decision.objects.filter(assignment=assignment, kind=Decision.Kind.EXCLUDE)
    return list(exclusions.select_related("grader__person", "made_by", "undone_by").order_by("pk"))


def exclusions_differ(assignment: Assignment) -> bool:
    """Return whether other rankings are excluded now than from the result that is chosen."""
    basis = basis_of(assignment)
    if basis is None:
        return False
    in_force = {each.pk for each in exclusions_of(assignment) if each.undone_at is None}
    return in_force != set(basis.result.excluded)


def rankings_changed(result: Result) -> bool:
    """Return whether rankings or papers came or went since a result was computed."""
    counting = Authorship.objects.filter(
        assignment=result.assignment_id, member__role=Role.STUDENT, paper__withdrawn_at=None
    )
    newer = Ballot.objects.filter(assignment=result.assignment_id, submission__at__gt=result.requested_at)
    return newer.exists() or set(counting.values_list("paper", flat=True)) != set(load(result).papers)
