"""Rank papers: the page, saving as people go, handing in, an example to try, and a preview for staff."""

import json
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib import messages
from django.core.exceptions import RequestDataTooBig
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from peerorder.web.assignments.access import in_assignment
from peerorder.web.assignments.deadlines import deadlines_of, may_see_solution, with_extension
from peerorder.web.assignments.models import LONGEST_COMMENT, Assignment, Extension, Stage
from peerorder.web.assignments.participation import Participation
from peerorder.web.budgets import spend
from peerorder.web.courses.access import STAFF, STUDENTS, MemberRequest
from peerorder.web.errors import Refused, refused
from peerorder.web.ranking import queries, services
from peerorder.web.ranking.content import (
    LONGEST_NOTE,
    BadContent,
    Content,
    Missing,
    check_notes,
    check_ranking,
    judged_tokens,
    list_missing,
    notes_from_form,
    orders_papers,
    ranking_from_form,
)
from peerorder.web.ranking.examples import example_items
from peerorder.web.ranking.models import Ballot
from peerorder.web.ranking.services import RankingUpdate, SaveStatus
from peerorder.web.ranking.texts import texts, why_closed
from peerorder.web.templatetags.peerorder import clock

MOST_NUMBER = 2**31 - 1
LONGEST_CLIENT = 32


@in_assignment(STUDENTS)
@require_safe
def rank(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """Show the papers and the ranking so far; after the deadline, what counts."""
    if assignment.is_at(Stage.DRAFT, Stage.HANDING_IN):
        return render(request, "ranking/waiting.html", {"assignment": assignment})
    ballot = queries.ballot_of(assignment, request.member)
    if not Participation(assignment, request.member).takes_ranking(timezone.now()):
        return _closed(request, assignment, ballot)
    return _page(request, assignment, ballot, queries.current_content(ballot))


def _page(
    request: MemberRequest,
    assignment: Assignment,
    ballot: Ballot | None,
    content: Content,
    *,
    status: int = 200,
    notes: Mapping[str, str] | None = None,
    typed: Mapping[str, Any] | None = None,
    error: BadContent | None = None,
    lacks: Sequence[Missing] = (),
    **more: Any,
) -> HttpResponse:
    items = queries.bundle_of(assignment, request.member)
    if not items:
        return render(request, "ranking/waiting.html", {"assignment": assignment})
    if notes is None and ballot is not None:
        notes = ballot.notes
    parts = queries.parts_shown(items, content, typed, notes)
    _point_out(items, error, lacks)
    submission = ballot.submission if ballot is not None else None
    joined = (
        [item for item in items if item.token not in judged_tokens(submission.content)]
        if submission is not None
        else []
    )
    extension = Extension.objects.of(assignment, request.member)
    return render(
        request,
        "ranking/rank.html",
        {
            "assignment": assignment,
            "items": items,
            "parts": parts,
            "ballot": ballot,
            "changed": ballot is not None and submission is not None and not ballot.has_submitted(content),
            "joined": joined,
            "joined_names": get_text_list([item.name for item in joined], _("and")),
            "revision": ballot.revision if ballot is not None else 0,
            "client": secrets.token_hex(8),
            "slots": len(queries.parts_of(assignment, request.member)),
            **_progress(parts),
            "deadline": with_extension(assignment, extension).rank,
            "sees_solution": may_see_solution(assignment, extension, timezone.now(), ranks=True),
            "longest": LONGEST_COMMENT,
            "longest_note": LONGEST_NOTE,
            "texts": texts(),
            "error": error,
            "wrong": [{"what": str(error), "where": error.token and f"place-{error.token}"}] if error else [],
            "missing": lacks,
            **more,
        },
        status=status,
    )


def _point_out(items: Sequence[queries.Item], error: BadContent | None, lacks: Sequence[Missing]) -> None:
    """Write beside every paper what is wrong with it."""
    wrong = {each.where: each.what for each in lacks}
    for item in items:
        item.error = wrong.get(f"place-{item.token}", "")
        item.comment_error = wrong.get(f"comment-{item.token}", "")
        if error is not None and error.token == item.token:
            item.error = str(error)


def _progress(parts: Sequence[queries.Part]) -> dict[str, int]:
    """Return how many papers have a place, and how many are set aside: both are dealt with."""
    return {
        "placed": sum(len(part.order) for part in parts),
        "aside": sum(len(part.unjudged) for part in parts),
        "dealt_with": sum(len(part.order) + len(part.unjudged) for part in parts),
    }


def _closed(
    request: MemberRequest, assignment: Assignment, ballot: Ballot | None, *, sent: bool = False
) -> HttpResponse:
    """Ranking is over for this student: what counts, and whether what came just now is part of it."""
    items = queries.bundle_of(assignment, request.member)
    submitted = ballot.submitted if ballot is not None else None
    parts = queries.parts_shown(items, submitted) if submitted is not None else []
    context = {
        "assignment": assignment,
        "ballot": ballot,
        "parts": parts,
        "sent": sent,
        "why": _why_closed(request, assignment),
    }
    return render(request, "ranking/closed.html", context, status=409 if sent else 200)


def _why_closed(request: MemberRequest, assignment: Assignment) -> str:
    # Staff may have ended it since the request began.
    assignment.refresh_from_db(fields=["stage", "rank_by", "rank_ended_at"])
    return why_closed(assignment, deadlines_of(assignment, request.member).rank)


@in_assignment(STUDENTS)
@require_POST
def save(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """Save a ranking: from the script of the page, or by a button where there is no JavaScript."""
    spend("saves", request.user.pk)
    if request.content_type != "application/json":
        return _form(request, assignment, hands_in=False)
    try:
        parts = queries.parts_of(assignment, request.member)
        result = services.save(assignment, request.member, _update(_json(request), parts, assignment))
    except BadContent as error:
        return JsonResponse({"error": str(error)}, status=400)
    ballot = result.ballot
    answer: dict[str, Any] = {
        "revision": ballot.revision,
        "saved": clock(ballot.updated_at),
        "papers": len(parts),
    }
    if result.status is SaveStatus.LATE:
        return JsonResponse({**answer, "late": True, "why": _why_closed(request, assignment)}, status=409)
    if result.status is SaveStatus.CONFLICT:
        return JsonResponse({**answer, "content": queries.current_content(ballot), "notes": ballot.notes}, status=409)
    return JsonResponse({**answer, "handed_in": ballot.has_submitted(ballot.content)})


@in_assignment(STUDENTS)
@require_POST
def hand_in(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """Hand in, if nothing is missing."""
    spend("saves", request.user.pk)
    return _form(request, assignment, hands_in=True)


def _form(request: MemberRequest, assignment: Assignment, *, hands_in: bool) -> HttpResponse:
    """Save or hand in a form; nothing that was typed is lost, whatever the result."""
    papers = queries.papers_of(assignment, request.member)
    parts = {paper.token: paper.part for paper in papers}
    try:
        content = ranking_from_form(request.POST, parts, assignment)
        notes = notes_from_form(request.POST, parts)
        update = _update({**request.POST.dict(), "content": content, "notes": notes}, parts, assignment)
    except BadContent as error:
        ballot = queries.ballot_of(assignment, request.member)
        shown = queries.current_content(ballot)
        return _page(request, assignment, ballot, shown, status=400, typed=request.POST, error=error)
    asked = [paper for paper in papers if not paper.withdrawn]
    named = [(paper.token, paper.name) for paper in asked]
    # A question, put once and never in the way of what is missing: the page that asks it does not ask for it again.
    asks = hands_in and not list_missing(content, named, assignment)
    unopened = [paper for paper in asked if asks and request.POST.get("ask") and not paper.opened]
    mute = asks and bool(request.POST.get("ask_order")) and len(asked) > 1
    mute = mute and not orders_papers(content, dict(named))
    if hands_in and not unopened and not mute:
        try:
            result = services.hand_in(assignment, request.member, update)
        except Refused as error:
            back = reverse("ranking:rank", args=[assignment.pk])
            return refused(request, _("Not handed in"), str(error), back=back)
    else:
        result = services.save(assignment, request.member, update)
    if result.status is SaveStatus.LATE:
        return _closed(request, assignment, result.ballot, sent=True)
    if result.status is SaveStatus.CONFLICT:
        return _page(request, assignment, result.ballot, content, status=409, notes=notes, conflict=True)
    if result.missing:
        return _page(request, assignment, result.ballot, content, status=422, lacks=result.missing)
    if unopened or mute:
        names = get_text_list([item.name for item in unopened], _("and"))
        return _page(request, assignment, result.ballot, content, unopened=unopened, unopened_names=names, mute=mute)
    if hands_in:
        return redirect("ranking:receipt", assignment.pk)
    messages.success(request, _("Saved. Your ranking counts once you hand it in."))
    return redirect("ranking:rank", assignment.pk)


@in_assignment(STUDENTS)
@require_POST
def undo(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """Discard what was changed since it was handed in."""
    spend("saves", request.user.pk)
    ballot = queries.ballot_of(assignment, request.member)
    if ballot is None or ballot.submission is None:
        return redirect("ranking:rank", assignment.pk)
    result = services.undo_changes(assignment, request.member, ballot)
    if result.status is SaveStatus.LATE:
        return _closed(request, assignment, ballot)
    if result.status is SaveStatus.CONFLICT:
        messages.warning(request, _("Your ranking was just changed on another page. Check it, then undo again."))
    else:
        messages.success(request, _("Your changes are undone. Your ranking is as you handed it in."))
    return redirect("ranking:rank", assignment.pk)


@in_assignment(STUDENTS)
@require_safe
def receipt(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """Show what was handed in and counts, and when, for printing."""
    ballot = queries.ballot_of(assignment, request.member)
    submitted = ballot.submitted if ballot is not None else None
    if ballot is None or submitted is None:
        return redirect("ranking:rank", assignment.pk)
    is_open = Participation(assignment, request.member).takes_ranking(timezone.now())
    context = {
        "assignment": assignment,
        "ballot": ballot,
        "changed": not ballot.has_submitted(ballot.content),
        "parts": queries.parts_shown(queries.papers_of(assignment, request.member), submitted),
        "submissions": ballot.saves.filter(hands_in=True).order_by("-pk"),
        "is_open": is_open,
        "deadline": deadlines_of(assignment, request.member).rank,
        "results_to_come": not assignment.is_at(Stage.RELEASED),
    }
    return render(request, "ranking/receipt.html", context)


def _json(request: MemberRequest) -> dict[str, Any]:
    try:
        data = json.loads(request.body)
    except RequestDataTooBig:
        raise BadContent(_("Your ranking is too large to save. Make your comments shorter.")) from None
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        raise BadContent(_("This is not a ranking. Reload the page."))
    return data


def _update(data: Mapping[str, Any], parts: Mapping[str, int], assignment: Assignment) -> RankingUpdate:
    """Return what a page sent, or raise BadContent."""
    client = data.get("client", "")
    if not isinstance(client, str) or not client.isascii() or not client.isalnum() or len(client) > LONGEST_CLIENT:
        raise BadContent(_("This is not a ranking. Reload the page."))
    revision, number = _count(data.get("revision")), _count(data.get("number"))
    notes = data.get("notes")
    return RankingUpdate(
        check_ranking(data.get("content"), parts, assignment),
        revision,
        client,
        number,
        check_notes(notes, parts) if notes is not None else None,
    )


def _count(value: object) -> int:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 11:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MOST_NUMBER:
        raise BadContent(_("This is not a ranking. Reload the page."))
    return value


@in_assignment(STUDENTS)
@require_safe
def example(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """Three made-up papers to try everything with; nothing is saved. Without JavaScript the typed places are read."""
    items = example_items()
    parts = {item.token: item.part for item in items}
    error, result = None, None
    content = queries.current_content(None)
    try:
        content = result = ranking_from_form(request.GET, parts, assignment)
    except BadContent as wrong:
        error = wrong
    result = result if request.GET else None
    return _example_page(request, "ranking/example.html", assignment, items, content, error, result=result)


@in_assignment(STAFF)
@require_http_methods(["GET", "HEAD", "POST"])
def preview(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """The page of a student with made-up papers, for staff. Handing in is checked by the rules; nothing is saved."""
    items = example_items()
    content, error = queries.current_content(None), None
    lacks: Sequence[Missing] = ()
    if request.method == "POST":
        try:
            content = ranking_from_form(request.POST, {item.token: item.part for item in items}, assignment)
            lacks = list_missing(content, [(item.token, item.name) for item in items], assignment)
        except BadContent as wrong:
            error = wrong
    _point_out(items, error, lacks)
    more = {
        "missing": lacks,
        "complete": request.method == "POST" and error is None and not lacks,
        "deadline": assignment.rank_by,
        "sees_solution": True,
        "preview": True,
    }
    status = 422 if lacks or error else 200
    return _example_page(request, "ranking/preview.html", assignment, items, content, error, status=status, **more)


def _example_page(
    request: MemberRequest,
    template: str,
    assignment: Assignment,
    items: list[queries.Item],
    content: Content,
    error: BadContent | None,
    *,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    """A ranking of made-up papers, as somebody has just sent it."""
    sent = request.POST if request.method == "POST" else request.GET
    shown = queries.parts_shown(items, content, sent if error is not None else None)
    context = {
        "assignment": assignment,
        "items": items,
        "parts": shown,
        "texts": texts(),
        "error": error,
        **_progress(shown),
        "longest": LONGEST_COMMENT,
        "longest_note": LONGEST_NOTE,
        "example": True,
        **more,
    }
    return render(request, template, context, status=status)
