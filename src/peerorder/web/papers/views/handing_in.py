"""Hand in, and see what was handed in."""

import math
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from peerorder.web.assignments.access import in_assignment
from peerorder.web.assignments.models import Assignment
from peerorder.web.assignments.participation import Participation
from peerorder.web.budgets import spend
from peerorder.web.courses.access import STUDENTS, MemberRequest
from peerorder.web.papers import services
from peerorder.web.papers.authors import paper_of, team_of
from peerorder.web.papers.forms import HOW, HandInForm
from peerorder.web.papers.identity import find_identities
from peerorder.web.papers.models import Kind, Paper, PendingSubmission
from peerorder.web.papers.notifications import staff_acts
from peerorder.web.papers.queries import exhausted_quota, page_of
from peerorder.web.papers.submission_window import SubmissionWindow, submission_window
from peerorder.web.papers.submissions import LONGEST_TEXT, Rejected, as_safe_html, shows_owner, too_large, turn_of
from peerorder.web.papers.uploads import was_too_large
from peerorder.web.papers.views.pictures import picture
from peerorder.web.people.access import accepts_files


@in_assignment(STUDENTS)
@require_http_methods(["GET", "HEAD", "POST"])
@accepts_files
def hand_in(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """Show the form, and hand in. A team sees what any member handed in."""
    # Looking at a file takes a while, which must not make it late.
    now = timezone.now()
    paper = paper_of(assignment, request.member)
    window = _window(request, assignment, paper, now)
    if not window.is_open:
        return _show_closed(request, assignment, window)
    if request.method == "POST":
        spend("uploads", request.user.pk)
        if exhausted := exhausted_quota(paper):
            return _show_closed(request, assignment, window.closed_by(exhausted))
    current = paper.current if paper is not None else None
    unconfirmed = PendingSubmission.objects.filter(assignment=assignment, member=request.member).first()
    form = HandInForm(
        assignment,
        request.POST if request.method == "POST" else None,
        request.FILES if request.method == "POST" else None,
        initial=_initial(current.kind, current.text) if current else {},
        too_large=too_large() if was_too_large(request) else "",
    )
    if unconfirmed is not None and request.method != "POST":
        form.initial.update(_initial(unconfirmed.sent["kind"], unconfirmed.sent["text"]))
    context: dict[str, Any] = {
        "assignment": assignment,
        "window": window,
        "paper": paper,
        "version": current,
        "team": team_of(assignment, request.member),
        "form": form,
    }
    if request.method == "POST" and "preview" in request.POST:
        context["preview"] = _preview(request)
    elif request.method == "POST" and form.is_valid() and (sent := form.check(request.user)) is not None:
        if shows := find_identities(sent.words, context["team"]):
            services.hold_for_confirmation(assignment, request.member, sent, shows, now)
            return redirect("papers:pending", assignment.pk)
        try:
            services.hand_in(assignment, request.member, sent, now=now)
        except services.Closed as error:
            # The round went on in this very moment, or in other tabs too much came at once.
            return _show_closed(request, assignment, error.window)
        return _go_to_receipt(request, assignment, sent.text if sent.kind == Kind.LINK else "")
    return render(
        request, "papers/hand_in.html", context, status=422 if form.errors and "preview" not in context else 200
    )


def _window(
    request: MemberRequest, assignment: Assignment, paper: Paper | None, now: datetime | None = None
) -> SubmissionWindow:
    return submission_window(Participation(assignment, request.member), paper, now or timezone.now())


def _initial(kind: str, text: str) -> dict[str, str]:
    how = HOW[Kind(kind)]
    return {"how": how, how: text} if how != "file" else {"how": how}


def _go_to_receipt(request: MemberRequest, assignment: Assignment, link: str = "") -> HttpResponse:
    messages.success(request, _("Your paper is handed in. This is your receipt."))
    if shows_owner(link):
        text = _(
            "The site that you link to may show the owner's name, as Google Docs does. Open your link in a private "
            "window: if your name is there, hand in a PDF instead."
        )
        messages.warning(request, text)
    return redirect("papers:receipt", assignment.pk)


def _show_closed(
    request: MemberRequest, assignment: Assignment, window: SubmissionWindow, typed: str = ""
) -> HttpResponse:
    """Say that it is too late, too early, or too often; show what was written so that it can be kept."""
    typed = typed or "\n\n".join(filter(None, (request.POST.get("text", ""), request.POST.get("link", ""))))
    context = {
        "assignment": assignment,
        "window": window,
        "typed": typed,
        "file": bool(request.FILES),
        "paper": paper_of(assignment, request.member),
    }
    if request.method != "POST":
        return render(request, "papers/closed.html", context)
    answer = render(request, "papers/closed.html", context, status=409 if window.exhausted is None else 429)
    if window.exhausted is not None and window.exhausted.wait:
        answer.headers["Retry-After"] = str(math.ceil(window.exhausted.wait))
    return answer


def _preview(request: MemberRequest) -> str:
    text = request.POST.get("text", "")
    try:
        with turn_of(request.user.pk):
            return as_safe_html(text[: LONGEST_TEXT + 1])
    except Rejected as error:
        return str(error)


@in_assignment(STUDENTS)
@require_POST
def preview(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """Show the text as graders will see it, as a part of the page."""
    return render(request, "markdown_preview.html", {"preview": _preview(request)})


@in_assignment(STUDENTS)
@require_http_methods(["GET", "HEAD", "POST"])
def pending(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """Say that what was sent shows who wrote it: hand it in anyway, or change it."""
    held = PendingSubmission.objects.filter(assignment=assignment, member=request.member).first()
    if held is None:
        # Of two clicks the second finds it handed in.
        return redirect("papers:receipt" if paper_of(assignment, request.member) else "papers:hand-in", assignment.pk)
    held.assignment, held.member = assignment, request.member
    if request.method == "POST":
        try:
            services.hand_in_pending(held)
        except services.Closed as error:
            return _show_closed(request, assignment, error.window, held.sent["text"])
        return _go_to_receipt(request, assignment)
    return render(request, "papers/pending.html", {"assignment": assignment, "shows": held.shows})


@in_assignment(STUDENTS)
@require_safe
def receipt(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """Show what was handed in when, with digests; to be printed."""
    paper = paper_of(assignment, request.member)
    if paper is None:
        return redirect("papers:hand-in", assignment.pk)
    versions = paper.versions.select_related("handed_in_by__person").order_by("-pk")
    context = {
        "assignment": assignment,
        "paper": paper,
        "versions": versions,
        "staff_acts": staff_acts(paper),
        "window": _window(request, assignment, paper),
    }
    return render(request, "papers/receipt.html", context)


@in_assignment(STUDENTS)
@require_safe
def mine(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """Show one's own paper as graders will see it; while it is being prepared, a part of the page asks again."""
    paper = paper_of(assignment, request.member)
    if paper is None or paper.current is None:
        return redirect("papers:hand-in", assignment.pk)
    template = "papers/mine_part.html" if request.htmx else "papers/mine.html"
    context = {
        "assignment": assignment,
        "paper": paper,
        "version": paper.current,
        "base": reverse("papers:mine", args=[assignment.pk]),
        "window": _window(request, assignment, paper),
    }
    return render(request, template, context)


@in_assignment(STUDENTS)
@require_safe
def my_page(request: MemberRequest, assignment: Assignment, number: int) -> HttpResponse:
    """Send a page of one's own paper."""
    paper = paper_of(assignment, request.member)
    return picture(request, page_of(paper.current if paper else None, number))
