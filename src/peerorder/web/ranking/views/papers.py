"""A paper for staff, who know whose it is, with those who rank it."""

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from peerorder.web.assignments.access import in_assignment
from peerorder.web.assignments.models import Assignment
from peerorder.web.courses.access import STAFF, MemberRequest
from peerorder.web.courses.models import Role
from peerorder.web.papers.forms import WithdrawForm
from peerorder.web.papers.queries import paper_in, version_of
from peerorder.web.ranking.queries import graders_of, problems_of


@in_assignment(STAFF)
@require_safe
def paper(request: MemberRequest, assignment: Assignment, paper_id: int, version_id: int | None = None) -> HttpResponse:
    """A paper, its versions, and what can be done with it."""
    paper = paper_in(assignment, paper_id)
    version = paper.current if version_id is None else version_of(paper, version_id)
    context = {
        "assignment": assignment,
        "paper": paper,
        "authors": ", ".join(str(authorship.member) for authorship in paper.authorships.all()),
        "version": version,
        "versions": paper.versions.select_related("handed_in_by__person").order_by("-pk"),
        "base": reverse("ranking:version", args=[assignment.pk, paper.pk, version.pk]) if version else "",
        "form": WithdrawForm(),
        "takes_originals": request.member.role == Role.INSTRUCTOR,
        "graders": graders_of(paper),
        "problems": problems_of(paper),
    }
    return render(request, "ranking/paper.html", context)
