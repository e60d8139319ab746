"""Courses and the people in them."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from peerorder.web.access import Asked, logged_in
from peerorder.web.courses.models import Member


@logged_in
@require_safe
def home(request: Asked) -> HttpResponse:
    """Everything of somebody: their courses."""
    members = Member.objects.select_related("course").filter(person=request.user, removed_at=None)
    return render(request, "courses/home.html", {"members": members})
