"""The people of a course. Staff may look; only instructors change anything."""

import uuid

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from peerorder.web.courses import queries
from peerorder.web.courses.access import INSTRUCTORS, STAFF, MemberRequest, in_course
from peerorder.web.courses.forms import StudentForm
from peerorder.web.courses.models import Course
from peerorder.web.courses.services import members
from peerorder.web.errors import Refused

A_PAGE = 100
STATES = ("", "without", "never", "came", "staff", "removed")


@in_course(STAFF)
@require_safe
def people(request: MemberRequest, course: Course) -> HttpResponse:
    """Everybody, by name; searched and filtered by what the address says."""
    search, section = request.GET.get("search", "").strip()[:200], request.GET.get("section", "")
    state = request.GET.get("state", "")
    found = queries.listed(course, search, section, state if state in STATES else "")
    page = Paginator(found, A_PAGE).get_page(request.GET.get("page"))
    students, without = queries.students_of(course), queries.without_link(course)
    context = {
        "course": course,
        "page": page,
        "students": students.count(),
        "came": queries.came(students).count(),
        "without": without.count(),
        "by_mail": without.exclude(person__email="").count(),
        "once": uuid.uuid4(),
        "search": search,
        "section": section,
        "state": state,
        "sections": course.sections.order_by("name"),
        "filtered": bool(search or section or state),
    }
    return render(request, "courses/people.html", context)


@in_course(INSTRUCTORS)
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: MemberRequest, course: Course) -> HttpResponse:
    """One more student."""
    form = StudentForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            who = members.add_student(course, request.user, **form.cleaned_data)
        except Refused as error:
            form.add_error("student", str(error))
        else:
            messages.success(request, _("The student is there. Next, make a personal link."))
            return redirect("home:member", course.pk, who.pk)
    return render(
        request,
        "courses/new_member.html",
        {"course": course, "form": form, "sections": course.sections.order_by("name")},
    )
