"""All comments for staff, before students see them."""

from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from peerorder.web.assignments.access import in_assignment
from peerorder.web.assignments.models import Assignment
from peerorder.web.courses.access import INSTRUCTORS, STAFF, MemberRequest
from peerorder.web.courses.models import Member, Role
from peerorder.web.errors import Refused, refused
from peerorder.web.papers.queries import authors_of
from peerorder.web.ranking.models import Slot
from peerorder.web.results import moderation
from peerorder.web.results.comment_filters import Filter, all_comments, comment_counts, fill_in
from peerorder.web.results.comments import comment_texts
from peerorder.web.results.models import CommentFeedback, HiddenComment, WatchedWords

A_PAGE = 25
LONGEST_SHOWN = 1000
"""Of a longer comment the beginning stands in the list."""


@in_assignment(STAFF)
@require_safe
def comments(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """Show all comments, or those that a filter finds; papers that were reported come first."""
    filtered = all_comments(assignment)
    chosen = request.GET.get("only", "")
    shown = [each for each in filtered if chosen in each.filters] if chosen in Filter.values else filtered
    page = Paginator(shown, A_PAGE).get_page(request.GET.get("page"))
    graders = Member.objects.select_related("person").in_bulk([each.grader for each in page])
    whose = authors_of([each.paper for each in page])
    words = WatchedWords.objects.filter(course=assignment.course_id).first()
    counts = comment_counts(filtered)
    context = {
        "assignment": assignment,
        "all": len(filtered),
        "chosen": chosen,
        "filters": [(name.value, name.label, counts[name.value]) for name in Filter],
        "page": page,
        "rows": [(each, whose[each.paper], graders[each.grader]) for each in fill_in(assignment, page)],
        "longest": LONGEST_SHOWN,
        "words": words.words if words is not None else "",
        "instructs": request.member.role == Role.INSTRUCTOR,
    }
    return render(request, "results/comments.html", context)


@in_assignment(STAFF)
@require_http_methods(["GET", "HEAD", "POST"])
def comment(request: MemberRequest, assignment: Assignment, slot_id: int) -> HttpResponse:
    """Show one comment in full, and what its authors say about it; hide it with a reason."""
    slot = _slot_or_404(assignment, slot_id)
    wrong = ""
    if request.method == "POST":
        reason = request.POST.get("reason", "")[:500]
        try:
            moderation.hide_comment(assignment, slot, reason, request.user)
        except Refused as error:
            wrong = str(error)
        else:
            messages.success(request, _("The comment is hidden from the authors of the paper."))
            return redirect(f"{_list_address(request, assignment)}#comment-{slot.pk}")
    context = {
        "assignment": assignment,
        "slot": slot,
        "whose": authors_of([slot.paper_id])[slot.paper_id],
        "back": _list_address(request, assignment),
        "text": comment_texts(slot.paper_id).get(slot.pk, ""),
        "hidden": HiddenComment.objects.select_related("hidden_by").filter(slot=slot).first(),
        "reports": CommentFeedback.objects.filter(slot=slot, kind=CommentFeedback.Kind.REPORT).order_by("pk"),
        "wrong": wrong,
    }
    return render(request, "results/comment.html", context, status=422 if wrong else 200)


@in_assignment(STAFF)
@require_POST
def show(request: MemberRequest, assignment: Assignment, slot_id: int) -> HttpResponse:
    """Let authors see a comment again."""
    moderation.show_comment(assignment, _slot_or_404(assignment, slot_id), request.user)
    messages.success(request, _("The authors of the paper can see the comment once comments are released."))
    return redirect(f"{_list_address(request, assignment)}#comment-{slot_id}")


def _list_address(request: MemberRequest, assignment: Assignment) -> str:
    """Return the address of the list as somebody left it: with its filter and its page."""
    only, page = request.GET.get("only", ""), request.GET.get("page", "")
    kept = {"only": only if only in Filter.values else "", "page": page if page.isdecimal() else ""}
    query = urlencode({name: value for name, value in kept.items() if value})
    return reverse("results:comments", args=[assignment.pk]) + (f"?{query}" if query else "")


def _slot_or_404(assignment: Assignment, slot_id: int) -> Slot:
    return get_object_or_404(Slot.objects.select_related("paper", "grader__person"), pk=slot_id, assignment=assignment)


@in_assignment(INSTRUCTORS)
@require_POST
def words(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """Change the words of the course by which comments are found."""
    typed, most = request.POST.get("words", ""), WatchedWords._meta.get_field("words").max_length or 0
    if len(typed) > most:
        text = _("The list is too long. Shorten it to %(most)d characters.") % {"most": most}
        return refused(
            request, _("The list was not saved"), text, back=reverse("results:comments", args=[assignment.pk])
        )
    moderation.watch_words(assignment, typed.replace("\0", ""), request.user)
    messages.success(request, _("List saved for all assignments of this course."))
    return redirect(reverse("results:comments", args=[assignment.pk]) + f"?only={Filter.WORDS.value}")
