"""The staff of a course, invitations to join it, and the page on which somebody accepts."""

from collections.abc import Callable
from functools import wraps

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from peerorder.web.courses import queries
from peerorder.web.courses.access import INSTRUCTORS, STAFF, MemberRequest, in_course
from peerorder.web.courses.forms import InvitationForm
from peerorder.web.courses.models import Course, Invitation, Role
from peerorder.web.courses.search import by_surname
from peerorder.web.courses.services import invitations as services
from peerorder.web.errors import Refused, refused
from peerorder.web.people import throttling
from peerorder.web.people.access import View, anybody
from peerorder.web.people.models import Person
from peerorder.web.people.sessions import begin_session
from peerorder.web.people.views.entering import with_secret_address


@in_course(STAFF)
@require_safe
def staff(request: MemberRequest, course: Course) -> HttpResponse:
    """The staff of the course, and who is invited."""
    return _staff(request, course, InvitationForm())


@in_course(INSTRUCTORS)
@require_POST
def invite(request: MemberRequest, course: Course) -> HttpResponse:
    """Invite somebody, by e-mail or by a link that is shown this once."""
    form = InvitationForm(request.POST)
    if form.is_valid():
        try:
            (invitation,) = services.invite(course, request.user, [form.invitee])
        except Refused as error:
            form.add_error(None, str(error))
        else:
            return _invited(request, course, invitation)
    return _staff(request, course, form, status=422)


def _changes(view: Callable[[MemberRequest, Course, Invitation], HttpResponse]) -> View:
    """Let instructors change an invitation by a button; where it is refused, a page says why and leads back."""

    @in_course(INSTRUCTORS)
    @require_POST
    @wraps(view)
    def guarded(request: MemberRequest, course: Course, invitation_id: int) -> HttpResponse:
        invitation = get_object_or_404(Invitation, pk=invitation_id, course=course)
        try:
            return view(request, course, invitation)
        except Refused as error:
            back = reverse("courses:staff", args=[course.pk])
            return refused(request, _("The invitation was not changed"), str(error), back=back)

    return guarded


@_changes
def invite_again(request: MemberRequest, course: Course, invitation: Invitation) -> HttpResponse:
    """Send a new link, or show one; the old one ends."""
    return _invited(request, course, services.invite_again(invitation, request.user))


@_changes
def revoke_invitation(request: MemberRequest, course: Course, invitation: Invitation) -> HttpResponse:
    """End it."""
    services.revoke(invitation, request.user)
    messages.success(request, _("Invitation revoked. Its link no longer works."))
    return redirect("courses:staff", course.pk)


def _invited(request: MemberRequest, course: Course, invitation: Invitation) -> HttpResponse:
    link = services.link_to_show(invitation)
    if link:
        return _staff(request, course, InvitationForm(), invited=invitation, link=link)
    messages.success(request, _("The invitation is on its way to %(email)s.") % {"email": invitation.email})
    return redirect("courses:staff", course.pk)


def _staff(
    request: MemberRequest,
    course: Course,
    form: InvitationForm,
    *,
    invited: Invitation | None = None,
    link: str = "",
    status: int = 200,
) -> HttpResponse:
    context = {
        "course": course,
        "form": form,
        "staff": queries.search_members(course, state="staff").order_by(*by_surname()),
        "invitations": queries.pending_invitations(course),
        "invited": invited,
        "link": link,
        "changes": request.member.role == Role.INSTRUCTOR,
    }
    return render(request, "courses/staff.html", context, status=status)


@anybody
@require_http_methods(["GET", "HEAD", "POST"])
@with_secret_address
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Show an invitation and the account that would get it; accept it by the button."""
    found = services.find(token)
    if found is None:
        return _unknown(request)
    person = request.user if isinstance(request.user, Person) else None
    if person is not None and found.accepted_by_id == person.pk:
        return redirect("home:course", found.course_id)
    if why := services.why_closed(found):
        return refused(request, _("This invitation is closed"), why, status=410)
    # The account that the page showed is the one that accepts, also where another tab has logged in since.
    if request.method == "POST" and request.POST.get("account") == _account(person):
        return _accept(request, found, person)
    why = services.why_not_for(found, person) if person is not None else ""
    context = {"invitation": found, "account": _account(person), "why": why}
    return render(request, "courses/invitation.html", context, status=409 if request.method == "POST" else 200)


def _account(person: Person | None) -> str:
    return "" if person is None else str(person.pk)


def _accept(request: HttpRequest, found: Invitation, person: Person | None) -> HttpResponse:
    try:
        member = services.accept(found, person)
    except Refused as error:
        return refused(request, _("This invitation cannot be accepted"), str(error))
    said = {"role": member.get_role_display(), "course": member.course}
    messages.success(request, _("You are now %(role)s in %(course)s.") % said)
    if person is not None:
        return redirect("home:course", member.course_id)
    begin_session(request, member.person)
    messages.info(request, _("Set a password, so that you can log in again."))
    return redirect("people:account")


def _unknown(request: HttpRequest) -> HttpResponse:
    throttling.reserve_guess(request)
    what = _("This invitation does not exist. Check that you copied the whole link, or ask for a new invitation.")
    return refused(request, _("This link does not work"), what, status=404)
