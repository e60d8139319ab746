"""Release marks and comments: what would be seen, signing off, withdrawing, and what became of it."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from peerorder.web.assignments.access import in_assignment
from peerorder.web.assignments.models import Assignment, Stage
from peerorder.web.courses.access import INSTRUCTORS, STAFF, MemberRequest
from peerorder.web.courses.models import Member, Role
from peerorder.web.courses.search import by_surname
from peerorder.web.errors import Refused, refused
from peerorder.web.results import releases
from peerorder.web.results.forms import CHOICES, ReleaseForm, WithdrawForm
from peerorder.web.results.mark_sheets import release_in_force, released_sheet
from peerorder.web.results.mark_summaries import scale_in_words
from peerorder.web.results.models import Look, Release
from peerorder.web.results.queries import rule_in_words
from peerorder.web.results.release_audience import (
    NOTHING,
    Change,
    changes,
    count_audience,
    draft_release,
    fingerprint,
    last_shown_release,
    visible_to_students,
    waiting_release,
)
from peerorder.web.results.release_warnings import release_warnings
from peerorder.web.results.student_result import mark_text

LISTED = 50


@in_assignment(STAFF)
@require_safe
def release(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """Show what would be released, to how many, and what speaks against it; or what waits, or is published."""
    return _page(request, assignment, ReleaseForm())


@in_assignment(INSTRUCTORS)
@require_POST
def sign_off(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """Release what the page showed."""
    form = ReleaseForm(request.POST)
    if not form.is_valid():
        return _page(request, assignment, form, status=422)
    said = form.cleaned_data
    what = releases.ReleaseChoice(*CHOICES[said["what"]], said["tells"], said["seen"])
    try:
        release = releases.sign_off(assignment, request.user, what, said["at"], timezone.now())
    except Refused as reason:
        return refused(request, _("The release was not signed off"), str(reason), back=_address(assignment))
    messages.success(request, _("Release %(number)d is signed off.") % {"number": release.number})
    if said["at"] is not None and said["at"] < release.due_at:
        later = _("Releases are published after ten minutes at the earliest, so this one will be later than you chose.")
        messages.warning(request, later)
    return redirect(_address(assignment))


def _page(request: MemberRequest, assignment: Assignment, form: ReleaseForm, status: int = 200) -> HttpResponse:
    if not assignment.is_at(Stage.REVIEW, Stage.RELEASED):
        text = _("Marks can be released once ranking is over. End the ranking stage first.")
        back = reverse("lifecycle:assignment", args=[assignment.pk])
        return refused(request, _("Ranking is not over"), text, back=back)
    chosen = request.POST.get("what") or request.GET.get("what") or ""
    chosen = chosen if chosen in CHOICES else "marks"
    marks, comments = CHOICES[chosen]
    shown = waiting = waiting_release(assignment)
    if shown is None:
        shown = draft_release(assignment, marks=marks, comments=comments)
        form.initial.update(what=chosen, seen=fingerprint(draft_release(assignment)))
    shown.assignment = assignment
    visible = visible_to_students(shown)
    page = Paginator(changes(shown, visible), LISTED).get_page(request.GET.get("page"))
    context = {
        "assignment": assignment,
        "instructs": request.member.role == Role.INSTRUCTOR,
        "release": shown,
        "waiting": waiting is not None,
        "in_force": release_in_force(assignment),
        "shown_last": last_shown_release(assignment),
        "ready": not shown.marks or _has_marks(shown),
        "chosen": chosen,
        **_rule_and_scale(shown),
        "numbers": count_audience(shown, visible),
        "warnings": release_warnings(shown, timezone.now()),
        "page": page,
        "changes": _with_names(list(page)),
        "form": form,
        "withdraw": WithdrawForm(auto_id="withdraw_%s"),
        "history": Release.objects.filter(assignment=assignment).select_related("signed_off_by").order_by("-number"),
    }
    return render(request, "results/release.html", context, status=status)


def _rule_and_scale(release: Release) -> dict[str, str]:
    """Return the rule and the scale of a release, as staff read them."""
    if release.result is None:
        return {}
    return {"rule": rule_in_words(release.result), "scale": scale_in_words(release.settings.get("marks"))}


def _has_marks(release: Release) -> bool:
    sheet = released_sheet(release)
    return sheet is not None and sheet.graded.marking is not None


def _with_names(changed: list[Change]) -> list[tuple[Member, list[tuple[str, str]]]]:
    """Return who gets other marks, each with both marks before and after, as people read them."""
    members = Member.objects.select_related("person").in_bulk([each.member for each in changed])
    return [
        (
            members[each.member],
            [(mark_text(was), mark_text(now)) for was, now in zip(each.before.marks, each.after.marks, strict=True)],
        )
        for each in changed
    ]


@in_assignment(STAFF)
@require_safe
def one_release(request: MemberRequest, assignment: Assignment, number: int) -> HttpResponse:
    """Show one release: what it was made of, who signed it off, and who has looked."""
    release = _release(assignment, number)
    release.assignment = assignment
    looked = dict(Look.objects.filter(release=release).values_list("member", "at"))
    seeing = {member for member, visible in visible_to_students(release).items() if visible != NOTHING}
    only = "not-looked" if request.GET.get("only") == "not-looked" else ""
    wanted = seeing - looked.keys() if only else looked.keys()
    # Who is on a page is found here: a query with the ids of a large class would be too long.
    everybody = Member.objects.filter(course=assignment.course_id).order_by(*by_surname()).values_list("pk", flat=True)
    page = Paginator([pk for pk in everybody if pk in wanted], LISTED).get_page(request.GET.get("page"))
    members = Member.objects.select_related("person").in_bulk(list(page))
    context = {
        "assignment": assignment,
        "release": release,
        **_rule_and_scale(release),
        "in_force": release_in_force(assignment) == release,
        "instructs": request.member.role == Role.INSTRUCTOR,
        "only": only,
        "looked": len(looked),
        "not_looked": len(seeing - looked.keys()),
        "page": page,
        "looks": [(members[pk], looked.get(pk)) for pk in page],
        "withdraw": WithdrawForm(auto_id="withdraw_%s"),
    }
    return render(request, "results/one_release.html", context)


@in_assignment(INSTRUCTORS)
@require_POST
def withdraw(request: MemberRequest, assignment: Assignment, number: int) -> HttpResponse:
    """Withdraw a release that waits or is published."""
    release, form = _release(assignment, number), WithdrawForm(request.POST)
    reason = form.cleaned_data["reason"] if form.is_valid() else ""
    try:
        done = releases.withdraw(release, request.user, reason, timezone.now())
    except Refused as why:
        back = reverse("results:one-release", args=[assignment.pk, number])
        return refused(request, _("The release was not withdrawn"), str(why), back=back)
    if done:
        messages.success(request, _("Release %(number)d is withdrawn.") % {"number": number})
    return redirect(_address(assignment))


def _release(assignment: Assignment, number: int) -> Release:
    releases = Release.objects.select_related("result", "signed_off_by", "withdrawn_by", "assignment__course")
    return get_object_or_404(releases, assignment=assignment, number=number)


def _address(assignment: Assignment) -> str:
    return reverse("results:release", args=[assignment.pk])
