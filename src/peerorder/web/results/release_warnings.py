"""What speaks against a release now, though it can be made."""

from collections.abc import Iterator
from datetime import datetime

from django.utils.translation import gettext as _, ngettext

from peerorder.web.assignments.models import Assignment, Extension
from peerorder.web.ranking.queries import waiting_problems
from peerorder.web.results.mark_sheets import released_sheet
from peerorder.web.results.models import CommentFeedback, HiddenComment, Release, Result
from peerorder.web.results.queries import exclusions_differ, rankings_changed


def release_warnings(release: Release, now: datetime) -> list[str]:
    """Return what an instructor should know before they sign off what is shown."""
    assignment = release.assignment
    about_marks = [*_about_result(release), *_about_marks(release)] if release.marks else []
    about_comments = list(_about_comments(assignment)) if release.comments else []
    return [*about_marks, *about_comments, *_about_work_to_do(assignment, now)]


def _about_result(release: Release) -> Iterator[str]:
    result, assignment = release.result, release.assignment
    if result is None:
        return
    if rankings_changed(result):
        yield _("Rankings or papers changed since result %(result)d was computed. Compute a new one.") % {
            "result": result.number
        }
    newer = Result.objects.filter(assignment=assignment, number__gt=result.number, problem="")
    last = newer.order_by("-number").first()
    if last is not None:
        yield _("Marks are made of result %(result)d, and there is a newer one, result %(last)d.") % {
            "result": result.number,
            "last": last.number,
        }
    if exclusions_differ(assignment):
        yield _("Rankings were excluded, or no longer are, after this result was computed. Choose a newer one.")


def _about_marks(release: Release) -> Iterator[str]:
    sheet = released_sheet(release)
    if sheet is None:
        return
    if missing := sum(row.paper is not None and row.mark is None for row in sheet.students.values()):
        yield ngettext(
            "%(many)d student with a paper gets no mark.", "%(many)d students with a paper get no mark.", missing
        ) % {"many": missing}
    if flagged := sum(bool(flag) for flag in sheet.graded.graders()["flag"]):
        yield ngettext(
            "%(many)d grader is flagged. Look at the evidence on the page of results.",
            "%(many)d graders are flagged. Look at the evidence on the page of results.",
            flagged,
        ) % {"many": flagged}
    if (contrary := sheet.graded.contrary_warning) is not None:
        yield f"{contrary[0][0].upper()}{contrary[0][1:]}."


def _about_comments(assignment: Assignment) -> Iterator[str]:
    hidden = HiddenComment.objects.filter(slot__assignment=assignment)
    if many := hidden.count():
        yield ngettext(
            "%(many)d comment is hidden from the author of the paper.",
            "%(many)d comments are hidden from the authors of the papers.",
            many,
        ) % {"many": many}
    reported = CommentFeedback.objects.filter(slot__assignment=assignment, kind=CommentFeedback.Kind.REPORT)
    if many := reported.filter(slot__hidden_comment=None).values("slot").distinct().count():
        yield ngettext(
            "%(many)d comment was reported by an author and is not hidden.",
            "%(many)d comments were reported by authors and are not hidden.",
            many,
        ) % {"many": many}


def _about_work_to_do(assignment: Assignment, now: datetime) -> Iterator[str]:
    if many := waiting_problems(assignment):
        yield ngettext(
            "%(many)d reported problem with a paper waits for an answer.",
            "%(many)d reported problems with papers wait for an answer.",
            many,
        ) % {"many": many}
    if many := Extension.objects.filter(assignment=assignment, rank_by__gt=now, member__removed_at=None).count():
        yield ngettext(
            "%(many)d student still has time to rank by an extension, which ends when this is published.",
            "%(many)d students still have time to rank by extensions, which end when this is published.",
            many,
        ) % {"many": many}
