"""The files that belong to a task or a solution, for templates."""

from django import template
from django.utils import timezone

from peerorder.web.assignments import attachments
from peerorder.web.assignments.models import Assignment, Attachment

register = template.Library()


@register.simple_tag(takes_context=True)
def visible_attachments(context: template.Context, assignment: Assignment, audience: str) -> list[Attachment]:
    """Return the attachments to a task or a solution that the reader may see; found out once for a page."""
    request = context["request"]
    known = request.__dict__.setdefault("visible_attachments", {})
    if assignment.pk not in known:
        known[assignment.pk] = attachments.visible_attachments(assignment, request.member, timezone.now())
    return [each for each in known[assignment.pk] if each.audience == audience]
