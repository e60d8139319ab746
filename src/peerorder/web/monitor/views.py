"""The progress of a round, and what staff can do about it."""

from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.db.models import Case, IntegerField, When
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.translation import gettext as _, ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from peerorder.core.errors import HandoutError
from peerorder.web.assignments.access import in_assignment
from peerorder.web.assignments.deadlines import takes_paper
from peerorder.web.assignments.models import Assignment, Extension, Stage
from peerorder.web.assignments.queries import students_of
from peerorder.web.courses.access import STAFF, STUDENTS, MemberRequest
from peerorder.web.courses.models import Member, Role
from peerorder.web.courses.search import by_surname, matching, section_filters
from peerorder.web.errors import refused
from peerorder.web.jobs.models import Job
from peerorder.web.mail.forms import TellForm
from peerorder.web.mail.services import is_set_up
from peerorder.web.monitor import charts, queries, services
from peerorder.web.monitor.forecast import forecast, joining, plan
from peerorder.web.monitor.states import people
from peerorder.web.monitor.student_state import BUSY, SUBMITTED, UNFINISHED, State
from peerorder.web.papers.queries import authors_of
from peerorder.web.ranking.handouts import ask_for_late
from peerorder.web.ranking.late_papers import waiting
from peerorder.web.tables import Column, Filter, Listing

LISTED = 50
TOLD = timedelta(days=1)
"""How long the page says what became of the last reminders."""


@in_assignment(STAFF)
@require_safe
def monitor(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """Everything at a glance; a part of it asks again every few seconds, and gets an answer where something changed."""
    if assignment.stage == Stage.DRAFT:
        what = _("Students do not see this assignment yet. Open it for handing in first.")
        return refused(
            request, _("There is no progress yet"), what, back=reverse("lifecycle:assignment", args=[assignment.pk])
        )
    version = queries.version(assignment)
    seen = request.GET.get("seen")
    if seen == version:
        return HttpResponse(status=204)
    shown = _shown(request, assignment)
    # Where the forecast is a little old, the next time is for a new one.
    shown["seen"] = version if shown["fresh"] else "old"
    if seen is not None:
        return render(request, "monitor/again.html", shown)
    shown["to_remind"] = queries.to_remind(assignment, timezone.now()) if shown["unfinished"] else 0
    shown["reminded"] = _last_reminders(assignment)
    shown["reminder"] = services.example_reminder(assignment)
    return render(request, "monitor/monitor.html", shown)


def _shown(request: MemberRequest, assignment: Assignment) -> dict[str, Any]:
    counts = queries.counts(assignment)
    listing = _listing(request, assignment, counts)
    unfinished = UNFINISHED.get(Stage(assignment.stage), ())
    ranking = Stage(assignment.stage).number >= Stage.RANKING.number
    asked = {state: count for state, count in counts.items() if not ranking or state in BUSY}
    total = sum(asked.values())
    curve = charts.submissions(queries.submitted_by_hour(assignment), total, timezone.now()) if ranking else None
    expected, fresh = forecast(assignment) if ranking else (None, True)
    authors = authors_of(paper for paper, *_counts in expected.shortest) if expected is not None else {}
    jobs = Job.objects.filter(
        assignment_id=assignment.pk, finished_at=None, kind__in=("reminders", "offers", "hand-out")
    )
    return {
        "assignment": assignment,
        "asked": [(state, state.label, count) for state, count in asked.items()],
        "aside": [(state, state.label, count) for state, count in counts.items() if state not in asked and count],
        "no_part": sum(counts.get(state, 0) for state in (State.NO_PAPER, State.NEW)) if ranking else 0,
        "instructs": request.member.role == Role.INSTRUCTOR,
        "bar": charts.progress(asked),
        "total": total,
        "done": sum(counts.get(state, 0) for state in SUBMITTED),
        "added": sum(counts.get(state, 0) for state in (State.ADDED, State.EXTRA)),
        "unfinished": sum(counts.get(state, 0) for state in unfinished),
        "remind": unfinished,
        "late": counts.get(State.LATE, 0),
        "ranking": ranking,
        "open": assignment.stage == Stage.RANKING,
        "ended": assignment.end_of(Stage.RANKING),
        "forecast": expected,
        "shortest": [(authors[paper], paper, now, all_) for paper, now, all_ in expected.shortest] if expected else [],
        "fresh": fresh,
        "mute": _named(expected.mute) if expected is not None else [],
        "curve": curve,
        "listing": listing,
        "state": listing.value("state"),
        "has_sections": any(each.name == "section" for each in listing.filters),
        **_automatic_reminder(assignment),
        "jobs": list(jobs.order_by("enqueued_at")),
    }


def _listing(request: MemberRequest, assignment: Assignment, counts: dict[State, int]) -> Listing:
    """Return a page of the students, narrowed and sorted as the address says."""
    sections = section_filters(assignment.course)
    states = Filter("state", _("State"), [(state.value, str(state.label)) for state in counts], _("All states"))
    listing = Listing.read(request.GET, _columns(assignment, bool(sections)), "name", [*sections, states])
    students = people(assignment).select_related("person", "section")
    if state := listing.value("state"):
        students = students.filter(state=state)
    if listing.words:
        students = students.filter(pk__in=matching(students_of(assignment), listing.words))
    if section := listing.value("section"):
        students = students.filter(section=int(section))
    page = listing.show(listing.sort_rows(students), request.GET.get("page"), _count_students)
    page.object_list = queries.student_rows(assignment, page.object_list, timezone.now())
    return listing


def _columns(assignment: Assignment, has_sections: bool) -> list[Column]:
    in_order = Case(*(When(state=state, then=place) for place, state in enumerate(State)), output_field=IntegerField())
    columns = [
        Column("name", _("Name"), by_surname()),
        Column("student", _("Student ID"), ("student", "pk")),
        Column("section", _("Section"), ("section__name", *by_surname())),
        Column("progress", _("State"), (in_order, *by_surname())),
        Column("papers", _("Papers ranked")),
        Column("extension", _("Extension")),
        Column("reminded", _("Last reminded")),
    ]
    hidden = set() if has_sections else {"section"}
    if Stage(assignment.stage).number < Stage.RANKING.number:
        hidden.add("papers")
    return [each for each in columns if each.name not in hidden]


def _count_students(count: int) -> str:
    return ngettext("%(count)s student", "%(count)s students", count) % {
        "count": number_format(count, force_grouping=True)
    }


def _named(members: list[int]) -> list[Member]:
    return list(Member.objects.filter(pk__in=members).select_related("person").order_by(*by_surname()))


def _automatic_reminder(assignment: Assignment) -> dict[str, Any]:
    """When reminders go out by the clock, if that is still to come; or that none do, because the deadline is near."""
    deadline = {Stage.HANDING_IN: assignment.hand_in_by, Stage.RANKING: assignment.rank_by}.get(Stage(assignment.stage))
    now = timezone.now()
    if deadline is None or deadline <= now or not assignment.remind_hours:
        return {"reminds_at": None, "no_reminder": False}
    moment = queries.reminder_at(assignment, deadline)
    return {"reminds_at": moment if moment is not None and moment > now else None, "no_reminder": moment is None}


def _last_reminders(assignment: Assignment) -> Job | None:
    """What became of the reminders that were asked for last, if that was not long ago."""
    since = timezone.now() - TOLD
    jobs = Job.objects.filter(assignment_id=assignment.pk, kind="reminders", finished_at__gt=since)
    return jobs.order_by("-finished_at").first()


def _back(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """To the list as it was, with whom it was narrowed to."""
    names = ("q", "section", "state", "sort", "page")
    kept = {name: request.GET[name][:100] for name in names if request.GET.get(name)}
    return redirect(_address(assignment) + (f"?{urlencode(kept)}" if kept else ""))


@in_assignment(STAFF)
@require_POST
def remind_all(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """A mail to everybody who has not finished."""
    if Stage(assignment.stage) not in UNFINISHED:
        what = _("Reminders can only be sent during handing in and ranking.")
        return refused(request, _("No reminders were sent"), what, back=_address(assignment))
    # The page shows the job while it runs, and then what became of it.
    services.ask_for_reminders(assignment, request.user)
    return _back(request, assignment)


@in_assignment(STAFF)
@require_POST
def remind_one(request: MemberRequest, assignment: Assignment, member_id: int) -> HttpResponse:
    """A mail to one person."""
    states = UNFINISHED.get(Stage(assignment.stage), ())
    member = get_object_or_404(people(assignment).select_related("person"), pk=member_id)
    if member.state not in states:
        messages.info(request, _("%(name)s has nothing left to do, so no reminder was sent.") % {"name": member})
    elif services.remind_one(assignment, member, request.user):
        if is_set_up():
            messages.success(request, _("A reminder to %(name)s will be sent in a moment.") % {"name": member})
        else:
            said = _("The reminder to %(name)s was not sent: no mail server is set up.")
            messages.warning(request, said % {"name": member})
    else:
        messages.warning(request, _why_not(member))
    return _back(request, assignment)


def _why_not(member: Member) -> str:
    if not member.person.email:
        return _("%(name)s has no e-mail address. Add one on the page of the person.") % {"name": member}
    return _("%(name)s was already reminded today, or is past the deadline.") % {"name": member}


@in_assignment(STAFF)
@require_http_methods(["GET", "HEAD", "POST"])
def offer_more(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """Who could be asked for how many more; then ask them."""
    if assignment.stage != Stage.RANKING:
        what = _("Extra papers can only be offered during the ranking stage.")
        return refused(request, _("This is not the ranking stage"), what, back=_address(assignment))
    if request.method == "POST":
        form = TellForm(request.POST)
        tell = form.is_valid() and form.cleaned_data["tell"]
        services.ask_for_offers(assignment, request.user, tell=tell)
        told = _("Students who have finished are asked now, on their first page and by e-mail.")
        if not tell or not is_set_up():
            told = _("Students who have finished are asked now, on their first page.")
        messages.success(request, told)
        return _back(request, assignment)
    try:
        found = plan(assignment)
    except HandoutError:
        what = _("Nobody has ranked papers yet, so there is nobody to ask for more.")
        return refused(request, _("Nobody was asked"), what, back=_address(assignment))
    many = dict(found.asked)
    people = Member.objects.select_related("person").filter(pk__in=list(many)[:LISTED]).order_by(*by_surname())
    context = {
        "assignment": assignment,
        "plan": found,
        "people": [(person, many[person.pk]) for person in people],
        "more": max(0, len(many) - LISTED),
        "asked": len(many),
        "papers": sum(many.values()),
        "form": TellForm(),
    }
    return render(request, "monitor/more.html", context)


@in_assignment(STAFF)
@require_http_methods(["GET", "HEAD", "POST"])
def hand_out_late(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """Who would get how many papers; then let late papers and their authors join the round."""
    if assignment.stage != Stage.RANKING:
        what = _("Late papers can only be distributed during the ranking stage.")
        return refused(request, _("This is not the ranking stage"), what, back=_address(assignment))
    if request.method == "POST":
        form = TellForm(request.POST)
        ask_for_late(assignment, request.user, tell=form.is_valid() and form.cleaned_data["tell"])
        messages.success(request, _("Late papers are being distributed. Graders keep the papers that they have."))
        return _back(request, assignment)
    try:
        found = joining(assignment)
    except HandoutError as reason:
        return refused(request, _("The papers were not distributed"), str(reason), back=_address(assignment))
    gets = {**dict(found.late), **dict(found.others)}
    people = Member.objects.select_related("person").filter(pk__in=gets).order_by(*by_surname())
    named = [(person, gets[person.pk]) for person in people[: 2 * LISTED]]
    late = dict(found.late)
    context = {
        "assignment": assignment,
        "found": found,
        "late": [(person, many) for person, many in named if person.pk in late],
        "others": [(person, many) for person, many in named if person.pk not in late],
        "more": max(0, len(gets) - len(named)),
        "replaceable": _replaceable(assignment),
        "form": TellForm(),
    }
    return render(request, "monitor/late.html", context)


def _replaceable(assignment: Assignment) -> list[Member]:
    """Authors of papers that wait who could still replace them, and could not once they have joined."""
    wrote = Member.objects.filter(authorships__paper__in=waiting(assignment))
    granted = Extension.objects.filter(assignment=assignment, member__in=wrote).select_related("member__person")
    now = timezone.now()
    return [each.member for each in granted.order_by("member__person__name") if takes_paper(assignment, each, now)]


@in_assignment(STUDENTS)
@require_POST
def answer(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """Yes or no to a few more papers."""
    said = request.POST.get("answer")
    if said not in ("yes", "no"):
        raise Http404
    offer = queries.offer_to(assignment, request.member)
    if offer is None or not services.answer_offer(assignment, request.member, said == "yes"):
        messages.info(request, _("This answer is no longer needed. Thank you anyway."))
    elif said == "yes":
        told = ngettext(
            "Thank you! %(many)d more paper is on its way to your page for ranking; that takes a few seconds.",
            "Thank you! %(many)d more papers are on their way to your page for ranking; that takes a few seconds.",
            offer.papers,
        )
        messages.success(request, told % {"many": offer.papers})
    else:
        messages.success(request, _("That is fine. You have finished."))
    return redirect("lifecycle:assignment", assignment.pk)


def _address(assignment: Assignment) -> str:
    return reverse("monitor:monitor", args=[assignment.pk])
