"""What graders see of papers."""

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from peerorder.web.papers.queries import page_of
from peerorder.web.papers.views.pictures import picture
from peerorder.web.people.access import PersonRequest, logged_in
from peerorder.web.ranking.content import label
from peerorder.web.ranking.queries import readable_slot
from peerorder.web.ranking.services import mark_opened


@logged_in
@require_safe
def read(request: PersonRequest, token: str) -> HttpResponse:
    """A paper of one's bundle: a page of its own, or a part of the page where papers are ranked."""
    slot = readable_slot(request.user, token)
    mark_opened(slot)
    template = "papers/reader.html" if request.htmx else "ranking/read.html"
    context = {
        "label": label(slot.position),
        "assignment": slot.assignment,
        "version": slot.paper.current,
        "withdrawn": slot.paper.withdrawn_at is not None,
        "base": reverse("ranking:read", args=[token]),
    }
    return render(request, template, context)


@logged_in
@require_safe
def page(request: PersonRequest, token: str, number: int) -> HttpResponse:
    """A page of a paper of one's bundle."""
    slot = readable_slot(request.user, token)
    return picture(request, page_of(slot.paper.current if slot.paper.withdrawn_at is None else None, number))
