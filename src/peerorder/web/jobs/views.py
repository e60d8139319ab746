"""How far a job is."""

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from peerorder.web.access import STAFF, Asked, in_assignment
from peerorder.web.jobs.models import Job
from peerorder.web.rounds.models import Assignment


@in_assignment(STAFF)
@require_safe
def job(request: Asked, assignment: Assignment, job_id: str) -> HttpResponse:
    """The progress of a job, for a page that asks again every second until it is over."""
    found = get_object_or_404(Job, pk=job_id, assignment=assignment)
    over = found.state in (Job.State.DONE, Job.State.FAILED)
    response = render(request, "jobs/job.html", {"job": found, "assignment": assignment, "over": over})
    if over and request.headers.get("HX-Request"):
        # What the job made is to be seen on the page around.
        response.headers["HX-Refresh"] = "true"
    return response
