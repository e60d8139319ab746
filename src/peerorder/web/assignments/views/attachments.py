"""Files that belong to a task or a sample solution: staff attach them, and students download them."""

from django.contrib import messages
from django.http import FileResponse, Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from peerorder.web.assignments import attachments as services
from peerorder.web.assignments.access import in_assignment
from peerorder.web.assignments.forms import AttachmentForm
from peerorder.web.assignments.models import Assignment, Attachment
from peerorder.web.budgets import spend
from peerorder.web.courses.access import EVERY_ROLE, INSTRUCTORS, MemberRequest
from peerorder.web.errors import Refused, refused
from peerorder.web.people.access import accepts_files


@in_assignment(INSTRUCTORS)
@require_POST
@accepts_files
def attach(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """Attach a file."""
    spend("uploads", request.user.pk)
    form, title = AttachmentForm(request.POST, request.FILES), _("The file was not attached")
    if not form.is_valid():
        why = services.too_large() if request.META.get("peerorder.too_large") else _("Choose a file first.")
        return refused(request, title, why, status=422, back=_settings(assignment))
    audience = Attachment.Audience(form.cleaned_data["audience"])
    try:
        attached = services.attach(assignment, form.cleaned_data["file"], audience, request.user)
    except Refused as reason:
        return refused(request, title, str(reason), status=422, back=_settings(assignment))
    messages.success(request, _("“%(name)s” is attached.") % {"name": attached.name})
    return redirect(_settings(assignment))


@in_assignment(INSTRUCTORS)
@require_POST
def detach(request: MemberRequest, assignment: Assignment, attachment_id: int) -> HttpResponse:
    """Remove an attachment."""
    attachment = get_object_or_404(Attachment, assignment=assignment, pk=attachment_id)
    services.detach(attachment, request.user)
    messages.success(request, _("“%(name)s” is removed.") % {"name": attachment.name})
    return redirect(_settings(assignment))


def _settings(assignment: Assignment) -> str:
    return reverse("assignments:edit", args=[assignment.pk]) + "#attachments"


@in_assignment(EVERY_ROLE)
@require_safe
def attachment(request: MemberRequest, assignment: Assignment, attachment_id: int) -> FileResponse:
    """Send an attachment to be saved, for no browser to open: nobody has cleaned it."""
    visible = services.visible_attachments(assignment, request.member, timezone.now())
    chosen = next((each for each in visible if each.pk == attachment_id), None)
    if chosen is None:
        raise Http404
    response = FileResponse(
        services.open_attachment(chosen),
        as_attachment=True,
        filename=chosen.name,
        content_type="application/octet-stream",
    )
    response.headers["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Cross-Origin-Resource-Policy"] = "same-origin"
    patch_cache_control(response, private=True, no_store=True)
    return response
