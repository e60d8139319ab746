"""How far a background job of an assignment is."""

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from peerorder.web.assignments.access import in_assignment
from peerorder.web.assignments.models import Assignment
from peerorder.web.courses.access import STAFF, MemberRequest
from peerorder.web.jobs.models import Job


@in_assignment(STAFF)
@require_safe
def job(request: MemberRequest, assignment: Assignment, job_id: str) -> HttpResponse:
    """Show the progress of a job, for a page that asks again every second until it is over."""
    current = get_object_or_404(Job, pk=job_id, assignment_id=assignment.pk)
    over = current.state in (Job.State.DONE, Job.State.FAILED)
    response = render(request, "jobs/job.html", {"job": current, "assignment": assignment, "over": over})
    if over and request.headers.get("HX-Request"):
        # What the job made is to be seen on the page around.
        response.headers["HX-Refresh"] = "true"
    return response
