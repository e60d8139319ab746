"""The page of a result as one student sees it: for instructors, to look at, before a release and after it."""

from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from peerorder.web.assignments.access import in_assignment
from peerorder.web.assignments.models import Assignment
from peerorder.web.assignments.queries import students_of
from peerorder.web.audit.services import record
from peerorder.web.courses.access import INSTRUCTORS, MemberRequest
from peerorder.web.courses.search import by_surname, find_members, section_filters
from peerorder.web.results.mark_sheets import release_in_force, released_sheet
from peerorder.web.results.release_audience import draft_release, waiting_release
from peerorder.web.results.student_result import student_result
from peerorder.web.results.views.marks import count_students
from peerorder.web.tables import Column, Listing


@in_assignment(INSTRUCTORS)
@require_safe
def choose_student(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """Show everybody who takes part, to look at their page as they see it."""
    columns = [Column("name", _("Name"), by_surname()), Column("id", _("Student ID"), ("student", "pk"))]
    listing = Listing.read(request.GET, columns, "name", section_filters(assignment.course))
    students = students_of(assignment).select_related("person")
    if listing.words:
        students = students.filter(pk__in=find_members(students_of(assignment), listing.words))
    if section := listing.value("section"):
        students = students.filter(section=int(section))
    listing.show(listing.sort_rows(students), request.GET.get("page"), count_students)
    return render(request, "results/choose_student.html", {"assignment": assignment, "listing": listing})


@in_assignment(INSTRUCTORS)
@require_safe
def view_as(request: MemberRequest, assignment: Assignment, member_id: int) -> HttpResponse:
    """Show what this student sees, or would see of the draft. It is recorded, and counts as no look of theirs."""
    member = get_object_or_404(students_of(assignment).select_related("person"), pk=member_id)
    draft = request.GET.get("draft") == "1"
    in_force = release_in_force(assignment)
    if draft or in_force is None:
        release, draft = waiting_release(assignment) or draft_release(assignment), True
    else:
        release = in_force
    release.assignment = assignment
    with transaction.atomic():
        record("viewed as student", request.user, assignment=assignment, member=member.pk)
    context = {
        "assignment": assignment,
        "member": member,
        "draft": draft,
        "in_force": in_force,
        "result": student_result(assignment, member, released_sheet(release), release),
        "viewing_as": True,
    }
    return render(request, "results/view_as.html", context)
