"""What speaks against a release now, though it can be made."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse
from django.utils.translation import gettext as _, ngettext

from peerorder.web.assignments.models import Assignment, Extension
from peerorder.web.ranking.queries import waiting_problems
from peerorder.web.results.comments import reported_comments
from peerorder.web.results.mark_sheets import released_sheet
from peerorder.web.results.models import HiddenComment, Release, Result
from peerorder.web.results.queries import exclusions_differ, exclusions_of, rankings_changed


@dataclass(frozen=True)
class ReleaseWarning:
    """A sentence, and the page where something can be done about it."""

    text: str
    link: str = ""
    address: str = ""


def release_warnings(release: Release, now: datetime) -> list[ReleaseWarning]:
    """Return what an instructor should know before they sign off what is shown."""
    assignment = release.assignment
    about_marks = [*_about_result(release), *_about_marks(release)] if release.marks else []
    about_comments = list(_about_comments(assignment)) if release.comments else []
    return [*about_marks, *about_comments, *map(ReleaseWarning, _about_work_to_do(assignment, now))]


def _about_result(release: Release) -> Iterator[ReleaseWarning]:
    result, assignment = release.result, release.assignment
    if result is None:
        return
    results = (_("Results"), reverse("results:results", args=[assignment.pk]))
    if rankings_changed(result):
        text = _("Rankings or papers changed since result %(result)d was computed. Compute a new one.")
        yield ReleaseWarning(text % {"result": result.number}, *results)
    newer = Result.objects.filter(assignment=assignment, number__gt=result.number, problem="")
    excluded = {each.pk for each in exclusions_of(assignment) if each.undone_at is None}
    # One that leaves out other rankings than are excluded now is nothing to choose.
    last = next((each for each in newer.order_by("-number") if set(each.excluded) == excluded), None)
    if last is not None:
        text = _("Marks are based on result %(result)d, but there is a newer one: result %(last)d.")
        address = reverse("results:comparison", args=[assignment.pk, last.number, result.number])
        yield ReleaseWarning(text % {"result": result.number, "last": last.number}, _("Compare the two"), address)
    if exclusions_differ(assignment):
        text = _("Exclusions have changed since result %(result)d was computed.")
        yield ReleaseWarning(text % {"result": result.number}, *results)


def _about_marks(release: Release) -> Iterator[ReleaseWarning]:
    sheet = released_sheet(release)
    if sheet is None or release.result is None:
        return
    if missing := sum(row.paper is not None and row.mark is None for row in sheet.students.values()):
        text = ngettext(
            "%(count)d student with a paper gets no mark.", "%(count)d students with a paper get no mark.", missing
        )
        address = reverse("results:marks", args=[release.assignment_id])
        yield ReleaseWarning(text % {"count": missing}, _("Marks"), address)
    if flagged := sum(bool(flag) for flag in sheet.graded.graders()["flag"]):
        text = ngettext("%(count)d grader is flagged.", "%(count)d graders are flagged.", flagged)
        address = reverse("results:graders", args=[release.assignment_id, release.result.number])
        yield ReleaseWarning(text % {"count": flagged}, _("See the evidence"), address)
    if (contrary := sheet.graded.contrary_warning) is not None:
        yield ReleaseWarning(f"{contrary[0][0].upper()}{contrary[0][1:]}.")


def _about_comments(assignment: Assignment) -> Iterator[ReleaseWarning]:
    comments = reverse("results:comments", args=[assignment.pk])
    hidden = HiddenComment.objects.filter(slot__assignment=assignment)
    if count := hidden.count():
        text = ngettext(
            "%(count)d comment is hidden from the author of the paper.",
            "%(count)d comments are hidden from the authors of the papers.",
            count,
        )
        yield ReleaseWarning(text % {"count": count}, _("See hidden comments"), f"{comments}?only=hidden")
    if count := reported_comments(assignment):
        text = ngettext(
            "%(count)d comment was reported by an author and is not hidden.",
            "%(count)d comments were reported by authors and are not hidden.",
            count,
        )
        yield ReleaseWarning(text % {"count": count}, _("See reported comments"), f"{comments}?only=reported")


def _about_work_to_do(assignment: Assignment, now: datetime) -> Iterator[str]:
    if count := waiting_problems(assignment):
        yield ngettext(
            "%(count)d reported problem with a paper has no answer yet.",
            "%(count)d reported problems with papers have no answer yet.",
            count,
        ) % {"count": count}
    if count := Extension.objects.filter(assignment=assignment, rank_by__gt=now, member__removed_at=None).count():
        yield ngettext(
            "%(count)d student still has an extension for ranking, which ends when this is published.",
            "%(count)d students still have extensions for ranking, which end when this is published.",
            count,
        ) % {"count": count}
