"""The people of a course. Staff may look; only instructors change anything."""

import uuid

from django.contrib import messages
from django.db.models import Value
from django.db.models.functions import Lower, NullIf
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.formats import number_format
from django.utils.translation import gettext as _, ngettext
from django.views.decorators.http import require_http_methods, require_safe

from peerorder.web.courses import queries
from peerorder.web.courses.access import INSTRUCTORS, STAFF, MemberRequest, in_course
from peerorder.web.courses.forms import StudentForm
from peerorder.web.courses.models import Course, Role
from peerorder.web.courses.search import by_surname, section_filters
from peerorder.web.courses.services import members
from peerorder.web.errors import Refused
from peerorder.web.tables import Column, Filter, Listing


@in_course(STAFF)
@require_safe
def people(request: MemberRequest, course: Course) -> HttpResponse:
    """Everybody, by surname unless the address says otherwise."""
    sections, has_teams = section_filters(course), course.members.exclude(team="").exists()
    listing = Listing.read(request.GET, _columns(bool(sections), has_teams), "name", [*sections, _state_filter()])
    members = queries.search_members(course, listing.words, listing.value("section"), listing.value("state"))
    listing.show(listing.sort_rows(members), request.GET.get("page"), _count_people)
    without = queries.students_without_link(course)
    context = {
        "course": course,
        "listing": listing,
        "has_sections": bool(sections),
        "has_teams": has_teams,
        **queries.count_members(course),
        "without": without.count(),
        "by_mail": without.exclude(person__email="").count(),
        "once": uuid.uuid4(),
        "instructs": request.member.role == Role.INSTRUCTOR,
    }
    return render(request, "courses/people.html", context)


def _columns(has_sections: bool, has_teams: bool) -> list[Column]:
    columns = [
        Column("name", _("Name"), by_surname()),
        Column("role", _("Role"), ("role", *by_surname())),
        Column("student", _("Student ID"), ("student", "pk")),
        Column("email", _("E-mail"), (Lower("person__email"), "pk")),
        Column("section", _("Section"), ("section__name", *by_surname())),
        Column("team", _("Team"), (NullIf("team", Value("")), *by_surname())),
        Column("link", _("Personal link"), ("link_made_at", *by_surname()), newest_first=True),
        Column("seen", _("Last login"), ("person__last_login", *by_surname()), newest_first=True),
    ]
    hidden = {name for name, is_shown in (("section", has_sections), ("team", has_teams)) if not is_shown}
    return [each for each in columns if each.name not in hidden]


def _state_filter() -> Filter:
    states = [
        ("students", _("Students")),
        ("without", _("Students without a link")),
        ("never", _("Students who never logged in")),
        ("came", _("Students who have logged in")),
        ("staff", _("Staff")),
        ("removed", _("Removed from the course")),
    ]
    return Filter("state", _("Show"), states, _("Everyone"))


def _count_people(count: int) -> str:
    return ngettext("%(count)s person", "%(count)s people", count) % {
        "count": number_format(count, force_grouping=True)
    }


@in_course(INSTRUCTORS)
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: MemberRequest, course: Course) -> HttpResponse:
    """Add one student."""
    form = StudentForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            who = members.add_student(course, request.user, **form.cleaned_data)
        except Refused as error:
            form.add_error("student", str(error))
        else:
            messages.success(request, _("Student added. Next, create a personal link."))
            return redirect("home:member", course.pk, who.pk)
    return render(
        request,
        "courses/new_member.html",
        {"course": course, "form": form, "sections": course.sections.order_by("name")},
    )
