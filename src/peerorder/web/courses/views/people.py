"""The people of a course. Staff may look; only instructors change anything."""

import uuid

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from peerorder.web.access import INSTRUCTORS, STAFF, Asked, in_course
from peerorder.web.courses import queries
from peerorder.web.courses.forms import MemberForm, StaffForm, StudentForm
from peerorder.web.courses.models import Course, Member, Role
from peerorder.web.courses.services import erasing, links, members
from peerorder.web.courses.services.members import Refused
from peerorder.web.errors import refused

A_PAGE = 100
STATES = ("", "without", "never", "came", "staff", "removed")


@in_course(STAFF)
@require_safe
def people(request: Asked, course: Course) -> HttpResponse:
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


def _member(course: Course, member_id: int) -> Member:
    return get_object_or_404(Member.objects.select_related("person", "section", "course"), pk=member_id, course=course)


@in_course(STAFF)
@require_safe
def member(request: Asked, course: Course, member_id: int) -> HttpResponse:
    """One member: to look at for staff, to change for instructors."""
    return _page(request, course, _member(course, member_id))


@in_course(INSTRUCTORS)
@require_POST
def change(request: Asked, course: Course, member_id: int) -> HttpResponse:
    """Another name, address, section or team."""
    who = _member(course, member_id)
    form = MemberForm(request.POST)
    if not form.is_valid():
        return _page(request, course, who, form, status=422)
    members.change_member(who, request.user, **form.cleaned_data)
    messages.success(request, _("Saved."))
    return redirect("courses:member", course.pk, who.pk)


@in_course(INSTRUCTORS)
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: Asked, course: Course) -> HttpResponse:
    """One more student."""
    form = StudentForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            who = members.add_student(course, request.user, **form.cleaned_data)
        except Refused as error:
            form.add_error("student", str(error))
        else:
            messages.success(request, _("The student is there. Next, make a personal link."))
            return redirect("courses:member", course.pk, who.pk)
    return render(
        request,
        "courses/new_member.html",
        {"course": course, "form": form, "sections": course.sections.order_by("name")},
    )


@in_course(INSTRUCTORS)
@require_POST
def link(request: Asked, course: Course, member_id: int) -> HttpResponse:
    """Make a link, and show it this once."""
    who = _member(course, member_id)
    try:
        made = links.link_for(who, request.user)
    except Refused as error:
        return _refused(request, who, error)
    return _page(request, course, who, link=made)


@in_course(INSTRUCTORS)
@require_POST
def revoke(request: Asked, course: Course, member_id: int) -> HttpResponse:
    """Close every way in."""
    who = _member(course, member_id)
    try:
        count = links.shut_out_member(who, request.user)
    except Refused as error:
        return _refused(request, who, error)
    said = ngettext("%(count)d link no longer works.", "%(count)d links no longer work.", count) % {"count": count}
    messages.success(request, said + " " + _("A new link lets this person in again."))
    return redirect("courses:member", course.pk, who.pk)


@in_course(INSTRUCTORS)
@require_POST
def remove(request: Asked, course: Course, member_id: int) -> HttpResponse:
    """Take somebody out of the course."""
    who = _member(course, member_id)
    try:
        members.remove_member(who, request.user)
    except Refused as error:
        return _refused(request, who, error)
    messages.success(request, _("Removed from the course. Nothing is lost, and they can be put back."))
    if who.pk == request.member.pk:
        return redirect("home")
    return redirect("courses:member", course.pk, who.pk)


@in_course(INSTRUCTORS)
@require_POST
def put_back(request: Asked, course: Course, member_id: int) -> HttpResponse:
    """Undo that."""
    who = _member(course, member_id)
    try:
        members.put_back(who, request.user)
    except Refused as error:
        return _refused(request, who, error)
    messages.success(request, _("Back in the course."))
    return redirect("courses:member", course.pk, who.pk)


@in_course(INSTRUCTORS)
@require_http_methods(["GET", "HEAD", "POST"])
def erase(request: Asked, course: Course, member_id: int) -> HttpResponse:
    """Say what erasing does, ask for the id to be typed, and do it."""
    who = _member(course, member_id)
    word = who.student or who.person.email or who.person.name
    wrong = ""
    if request.method == "POST":
        if request.POST.get("typed", "").strip() == word and word:
            try:
                erasing.erase(who, request.user)
            except Refused as error:
                return _refused(request, who, error)
            messages.success(request, _("Erased. What this person ranked stays, under a random code."))
            return redirect("courses:people", course.pk)
        wrong = _("That is not the same. Nothing was erased.")
    context = {"course": course, "who": who, "word": word, "wrong": wrong}
    return render(request, "courses/erase.html", context, status=422 if wrong else 200)


@in_course(STAFF)
@require_safe
def staff(request: Asked, course: Course) -> HttpResponse:
    """The staff of the course."""
    return _staff(request, course, StaffForm())


@in_course(INSTRUCTORS)
@require_POST
def add_staff(request: Asked, course: Course) -> HttpResponse:
    """One more; the link is shown this once, and sent if that was asked for."""
    form = StaffForm(request.POST)
    if not form.is_valid():
        return _staff(request, course, form, status=422)
    said = form.cleaned_data
    try:
        who = members.add_staff(course, request.user, name=said["name"], email=said["email"], role=Role(said["role"]))
    except Refused as error:
        form.add_error(None, str(error))
        return _staff(request, course, form, status=422)
    made = links.link_for(who, request.user) if queries.manages(who) else ""
    mailed = said["mail"] and links.invite(who, request.user)
    return _staff(request, course, StaffForm(), added=who, link=made, mailed=mailed)


def _staff(
    request: Asked,
    course: Course,
    form: StaffForm,
    *,
    added: Member | None = None,
    link: str = "",
    mailed: bool = False,
    status: int = 200,
) -> HttpResponse:
    found = queries.listed(course, state="staff")
    context = {"course": course, "form": form, "found": found, "added": added, "link": link, "mailed": mailed}
    context["changes"] = request.member.role == Role.INSTRUCTOR
    return render(request, "courses/staff.html", context, status=status)


def _refused(request: Asked, who: Member, error: Refused) -> HttpResponse:
    back = reverse("courses:member", args=[who.course_id, who.pk])
    return refused(request, _("That cannot be"), str(error), back=back)


def _page(
    request: Asked, course: Course, who: Member, form: MemberForm | None = None, link: str = "", status: int = 200
) -> HttpResponse:
    person = who.person
    initial = {
        "name": person.name,
        "email": person.email,
        "section": who.section.name if who.section is not None else "",
        "team": who.team,
    }
    context = {
        "course": course,
        "who": who,
        "form": form or MemberForm(initial=initial),
        "link": link,
        "managed": queries.manages(who),
        "changes": request.member.role == Role.INSTRUCTOR,
        "links": person.links.filter(revoked_at=None).order_by("-made_at")[:10],
        "sections": course.sections.order_by("name"),
        "has_work": who.authorships.exists() or who.ballots.exists(),
    }
    return render(request, "courses/member.html", context, status=status)
