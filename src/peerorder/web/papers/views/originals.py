"""Originals, for instructors to take away."""

from django.http import FileResponse
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_safe

from peerorder.web.assignments.access import in_assignment
from peerorder.web.assignments.models import Assignment
from peerorder.web.courses.access import INSTRUCTORS, MemberRequest
from peerorder.web.papers.originals import open_original
from peerorder.web.papers.queries import paper_in, version_of


@in_assignment(INSTRUCTORS)
@require_safe
def original(request: MemberRequest, assignment: Assignment, paper_id: int, version_id: int) -> FileResponse:
    """Send a file as it came, for no browser to open: nobody has cleaned it."""
    paper = paper_in(assignment, paper_id)
    version = version_of(paper, version_id)
    version.paper = paper
    ending = str(version.file.name).rpartition(".")[2]
    response = FileResponse(
        open_original(version, request.user),
        as_attachment=True,
        filename=f"original-{paper.code}-{version.pk}.{ending}",
        content_type="application/octet-stream",
    )
    response.headers["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Cross-Origin-Resource-Policy"] = "same-origin"
    patch_cache_control(response, private=True, no_store=True)
    return response
