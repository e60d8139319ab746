"""Everything about an assignment, to take away."""

from django.http import FileResponse
from django.utils import timezone
from django.utils.text import slugify
from django.views.decorators.http import require_safe

from peerorder.web.assignments.access import in_assignment
from peerorder.web.assignments.models import Assignment
from peerorder.web.audit.services import record
from peerorder.web.courses.access import INSTRUCTORS, MemberRequest
from peerorder.web.lifecycle.export import export_of


@in_assignment(INSTRUCTORS)
@require_safe
def export(request: MemberRequest, assignment: Assignment) -> FileResponse:
    """One ZIP with all files."""
    if request.method == "GET":
        record("exported", request.user, assignment=assignment)
    called = slugify(assignment.title)[:60] or f"assignment-{assignment.pk}"
    name = f"{called}-{timezone.localtime():%Y-%m-%d-%H%M}.zip"
    return FileResponse(export_of(assignment), as_attachment=True, filename=name, content_type="application/zip")
