"""Everything about an assignment, to take away: a page that says what that is, and the file."""

from django.db.models import Sum
from django.http import FileResponse, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.text import slugify
from django.views.decorators.http import require_safe

from peerorder.web.assignments.access import in_assignment
from peerorder.web.assignments.models import Assignment
from peerorder.web.audit.services import record
from peerorder.web.courses.access import INSTRUCTORS, MemberRequest
from peerorder.web.lifecycle.export import GRADE, export_of
from peerorder.web.papers.models import Paper
from peerorder.web.papers.queries import authors_of
from peerorder.web.ranking.models import Ballot
from peerorder.web.ranking.queries import submitted_ballots
from peerorder.web.ranking.round_snapshot import RoundNames
from peerorder.web.results.mark_files import files_in_force


@in_assignment(INSTRUCTORS)
@require_safe
def export(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """Show what is in the file, and who may have it."""
    papers = Paper.objects.filter(assignment=assignment)
    members = RoundNames(assignment).members
    marks = files_in_force(assignment)
    context = {
        "assignment": assignment,
        "papers": papers.filter(current__isnull=False, withdrawn_at=None).count(),
        "students": len(members),
        "removed": [member for member in members if member.removed_at is not None],
        "rankings": submitted_ballots(Ballot.objects.filter(assignment=assignment)).count(),
        "withdrawn": authors_of(papers.filter(withdrawn_at__isnull=False).values_list("pk", flat=True)),
        "size": papers.aggregate(size=Sum("current__size"))["size"] or 0,
        "command": GRADE if marks is None else marks.command,
        "marks": marks,
    }
    return render(request, "lifecycle/export.html", context)


@in_assignment(INSTRUCTORS)
@require_safe
def export_file(request: MemberRequest, assignment: Assignment) -> FileResponse:
    """Send one ZIP with all files."""
    if request.method == "GET":
        record("exported", request.user, assignment=assignment)
    called = slugify(assignment.title)[:60] or f"assignment-{assignment.pk}"
    name = f"{called}-{timezone.localtime():%Y-%m-%d-%H%M}.zip"
    return FileResponse(export_of(assignment), as_attachment=True, filename=name, content_type="application/zip")
