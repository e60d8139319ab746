"""One member of a course: to look at for staff, to change for instructors."""

from collections.abc import Callable
from functools import wraps

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _, ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from peerorder.web.assignments.models import Stage
from peerorder.web.courses import queries
from peerorder.web.courses.access import INSTRUCTORS, STAFF, MemberRequest, in_course
from peerorder.web.courses.forms import MemberForm, RoleForm
from peerorder.web.courses.models import Course, Member, Role
from peerorder.web.courses.services import links, members
from peerorder.web.errors import Refused, refused
from peerorder.web.home.activity import activities, course_mails
from peerorder.web.home.erasure import erase_member
from peerorder.web.people.access import View
from peerorder.web.people.links import live_links
from peerorder.web.people.models import Link


def _member(course: Course, member_id: int) -> Member:
    return get_object_or_404(Member.objects.select_related("person", "section", "course"), pk=member_id, course=course)


def _refused(request: MemberRequest, who: Member, error: Refused) -> HttpResponse:
    back = reverse("home:member", args=[who.course_id, who.pk])
    return refused(request, _("This change is not possible"), str(error), back=back)


def _changes(view: Callable[[MemberRequest, Course, Member], HttpResponse]) -> View:
    """Let instructors change a member by a button; where it is refused, a page says why and leads back."""

    @in_course(INSTRUCTORS)
    @require_POST
    @wraps(view)
    def guarded(request: MemberRequest, course: Course, member_id: int) -> HttpResponse:
        who = _member(course, member_id)
        try:
            return view(request, course, who)
        except Refused as error:
            return _refused(request, who, error)

    return guarded


@in_course(STAFF)
@require_safe
def member(request: MemberRequest, course: Course, member_id: int) -> HttpResponse:
    """One member: to look at for staff, to change for instructors."""
    return _page(request, course, _member(course, member_id))


@in_course(INSTRUCTORS)
@require_POST
def change(request: MemberRequest, course: Course, member_id: int) -> HttpResponse:
    """Change the name, address, section or team."""
    who = _member(course, member_id)
    form = MemberForm(request.POST)
    if not form.is_valid():
        return _page(request, course, who, form, status=422)
    members.change_member(who, request.user, **form.cleaned_data)
    messages.success(request, _("Saved."))
    return redirect("home:member", course.pk, who.pk)


@_changes
def link(request: MemberRequest, course: Course, who: Member) -> HttpResponse:
    """Create a link, and show it once."""
    return _page(request, course, who, link=links.link_for(who, request.user))


@_changes
def revoke(request: MemberRequest, course: Course, who: Member) -> HttpResponse:
    """Revoke all links, the password and all sessions."""
    count = links.revoke_member_access(who, request.user)
    said = ngettext("%(count)d link no longer works.", "%(count)d links no longer work.", count) % {"count": count}
    messages.success(request, said + " " + _("Create a new link to let this person in again."))
    return redirect("home:member", course.pk, who.pk)


@_changes
def revoke_link(request: MemberRequest, course: Course, who: Member) -> HttpResponse:
    """Revoke one link."""
    number = request.POST.get("link", "")
    link = get_object_or_404(Link, pk=int(number) if number.isdecimal() and len(number) < 19 else 0, person=who.person)
    if links.revoke_member_link(who, request.user, link):
        messages.success(request, _("Link revoked. Everyone who used it was logged out."))
    return redirect("home:member", course.pk, who.pk)


@_changes
def role(request: MemberRequest, course: Course, who: Member) -> HttpResponse:
    """Make an assistant an instructor, or the other way round."""
    form = RoleForm(request.POST)
    if not form.is_valid():
        return _page(request, course, who, role_form=form, status=422)
    if members.change_role(who, request.user, Role(form.cleaned_data["role"])):
        messages.success(request, _("Role changed."))
    return redirect("home:member", course.pk, who.pk)


@_changes
def remove(request: MemberRequest, course: Course, who: Member) -> HttpResponse:
    """Remove somebody from the course."""
    members.remove_member(who, request.user)
    messages.success(
        request, _("Removed from the course. Their papers and rankings are kept, and you can put them back.")
    )
    if who.pk == request.member.pk:
        return redirect("home")
    return redirect("home:member", course.pk, who.pk)


@_changes
def put_back(request: MemberRequest, course: Course, who: Member) -> HttpResponse:
    """Put somebody back into the course."""
    members.put_back(who, request.user)
    messages.success(request, _("Back in the course."))
    return redirect("home:member", course.pk, who.pk)


@in_course(INSTRUCTORS)
@require_http_methods(["GET", "HEAD", "POST"])
def erase(request: MemberRequest, course: Course, member_id: int) -> HttpResponse:
    """Say what erasing does, ask for the id to be typed, and do it."""
    who = _member(course, member_id)
    word = who.student or who.person.email or who.person.name
    wrong = ""
    if request.method == "POST":
        if request.POST.get("typed", "").strip() == word and word:
            try:
                erase_member(who, request.user)
            except Refused as error:
                return _refused(request, who, error)
            messages.success(request, _("Erased. What this person ranked stays, under a random code."))
            return redirect("courses:people", course.pk)
        wrong = _("That does not match. Nothing was erased.")
    context = {"course": course, "who": who, "word": word, "wrong": wrong}
    return render(request, "home/erase.html", context, status=422 if wrong else 200)


def _page(
    request: MemberRequest,
    course: Course,
    who: Member,
    form: MemberForm | None = None,
    link: str = "",
    role_form: RoleForm | None = None,
    status: int = 200,
) -> HttpResponse:
    person, mails = who.person, course_mails(who)
    done = activities(who, mails, timezone.now())
    listed = {each.state.assignment.pk for each in done}
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
        "role_form": role_form or RoleForm(initial={"role": who.role}),
        "link": link,
        "managed": queries.manages(who),
        "erasable": not queries.is_elsewhere(who),
        "changes": request.member.role == Role.INSTRUCTOR,
        "links": live_links(person),
        "sections": course.sections.order_by("name"),
        "has_work": who.pk in queries.ids_with_work(course),
        "activities": done,
        "other_mails": [each for each in mails if each.assignment_id not in listed],
        "running": [Stage.HANDING_IN, Stage.RANKING],
    }
    return render(request, "home/member.html", context, status=status)
