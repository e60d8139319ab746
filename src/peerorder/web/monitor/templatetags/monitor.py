"""The question to somebody who is done: ``{% load monitor %}{% offer_of assignment request.member %}``."""

from typing import Any

from django import template

from peerorder.web.assignments.models import Assignment
from peerorder.web.courses.models import Member
from peerorder.web.monitor.queries import offer_to
from peerorder.web.monitor.services import example_reminder

register = template.Library()


@register.inclusion_tag("monitor/offer.html", takes_context=True)
def offer_of(context: template.Context, assignment: Assignment, member: Member) -> dict[str, Any]:
    """Nothing where nobody asks."""
    return {
        "offer": offer_to(assignment, member),
        "assignment": assignment,
        "csrf_token": context.get("csrf_token"),
    }


@register.inclusion_tag("mail/preview.html")
def reminder_of(assignment: Assignment) -> dict[str, Any]:
    """The reminder as one student gets it, for staff to look at before it is sent."""
    found = example_reminder(assignment)
    return {"reader": found[0], "message": found[1]} if found is not None else {}
