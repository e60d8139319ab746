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
from peerorder.web.courses.search import by_surname, find_members, section_filters
from peerorder.web.errors import refused
from peerorder.web.jobs.models import Job
from peerorder.web.mail.forms import TellForm
from peerorder.web.mail.services import is_set_up
from peerorder.web.monitor import charts, queries, services
from peerorder.web.monitor.forecast import forecast_round, plan_top_up, preview_late_papers
from peerorder.web.monitor.states import students_with_state
from peerorder.web.monitor.student_state import BUSY, SUBMITTED, UNFINISHED, State
from peerorder.web.papers.queries import authors_of
from peerorder.web.ranking.handouts import enqueue_late_handout
from peerorder.web.ranking.late_papers import waiting_papers
from peerorder.web.tables import Column, Filter, Listing

LISTED = 50
REPORTED = timedelta(days=1)
"""The page reports the result of the last reminders for this long."""


@in_assignment(STAFF)
@require_safe
def monitor(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """Show the progress; a part of the page polls every few seconds and is sent again when something has changed."""
    if assignment.stage == Stage.DRAFT:
        what = _("Students do not see this assignment yet. To see progress, open it for handing in.")
        return refused(request, _("No progress yet"), what, back=reverse("lifecycle:assignment", args=[assignment.pk]))
    version = queries.page_version(assignment)
    seen = request.GET.get("seen")
    if seen == version:
        return HttpResponse(status=204)
    context = _context(request, assignment)
    # Where the forecast is a little old, the next time is for a new one.
    context["seen"] = version if context["fresh"] else "old"
    if seen is not None:
        return render(request, "monitor/again.html", context)
    context["to_remind"] = queries.count_to_remind(assignment, timezone.now()) if context["unfinished"] else 0
    context["not_to_remind"] = context["unfinished"] - context["to_remind"]
    context["reminded"] = _last_reminders(assignment)
    context["reminder"] = services.example_reminder(assignment)
    return render(request, "monitor/monitor.html", context)


def _context(request: MemberRequest, assignment: Assignment) -> dict[str, Any]:
    counts = queries.count_by_state(assignment)
    listing = _listing(request, assignment, counts)
    unfinished = UNFINISHED.get(Stage(assignment.stage), ())
    ranking = Stage(assignment.stage).number >= Stage.RANKING.number
    asked = {state: count for state, count in counts.items() if not ranking or state in BUSY}
    total = sum(asked.values())
    curve = charts.submissions(queries.submitted_by_hour(assignment), total, timezone.now()) if ranking else None
    expected, fresh = forecast_round(assignment) if ranking else (None, True)
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
        "mute": _members_by_surname(expected.mute) if expected is not None else [],
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
    students = students_with_state(assignment).select_related("person", "section")
    if state := listing.value("state"):
        students = students.filter(state=state)
    if listing.words:
        students = students.filter(pk__in=find_members(students_of(assignment), listing.words))
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


def _members_by_surname(members: list[int]) -> list[Member]:
    return list(Member.objects.filter(pk__in=members).select_related("person").order_by(*by_surname()))


def _automatic_reminder(assignment: Assignment) -> dict[str, Any]:
    """Return when automatic reminders go out, if that is to come, or that none do because the deadline is near."""
    deadline = {Stage.HANDING_IN: assignment.hand_in_by, Stage.RANKING: assignment.rank_by}.get(Stage(assignment.stage))
    now = timezone.now()
    if deadline is None or deadline <= now or not assignment.remind_hours:
        return {"reminds_at": None, "no_reminder": False}
    moment = queries.reminder_at(assignment, deadline)
    return {"reminds_at": moment if moment is not None and moment > now else None, "no_reminder": moment is None}


def _last_reminders(assignment: Assignment) -> Job | None:
    """Return the job of the last reminders, unless it finished long ago."""
    since = timezone.now() - REPORTED
    jobs = Job.objects.filter(assignment_id=assignment.pk, kind="reminders", finished_at__gt=since)
    return jobs.order_by("-finished_at").first()


def _redirect_to_list(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """Return to the list with its search, filters, order and page."""
    names = ("q", "section", "state", "sort", "page")
    kept = {name: request.GET[name][:100] for name in names if request.GET.get(name)}
    return redirect(_address(assignment) + (f"?{urlencode(kept)}" if kept else ""))


@in_assignment(STAFF)
@require_POST
def remind_all(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """Remind everybody who has not finished."""
    if Stage(assignment.stage) not in UNFINISHED:
        what = _("Reminders can only be sent during handing in and ranking.")
        return refused(request, _("No reminders were sent"), what, back=_address(assignment))
    # The page shows the job while it runs, and then what became of it.
    services.enqueue_reminders(assignment, request.user)
    return _redirect_to_list(request, assignment)


@in_assignment(STAFF)
@require_POST
def remind_one(request: MemberRequest, assignment: Assignment, member_id: int) -> HttpResponse:
    """Remind one person."""
    states = UNFINISHED.get(Stage(assignment.stage), ())
    member = get_object_or_404(students_with_state(assignment).select_related("person"), pk=member_id)
    if member.state not in states:
        messages.info(request, _("%(name)s was not reminded, because they have finished.") % {"name": member})
    elif services.remind_one(assignment, member, request.user):
        if is_set_up():
            messages.success(request, _("A reminder to %(name)s will be sent in a moment.") % {"name": member})
        else:
            message = _("The reminder to %(name)s was not sent: no mail server is set up.")
            messages.warning(request, message % {"name": member})
    else:
        messages.warning(request, _reminder_refusal(member))
    return _redirect_to_list(request, assignment)


def _reminder_refusal(member: Member) -> str:
    if not member.person.email:
        return _("%(name)s was not reminded, because they have no e-mail address. Add one on their page.") % {
            "name": member
        }
    return _("%(name)s was not reminded: they were reminded today, or are past the deadline.") % {"name": member}


@in_assignment(STAFF)
@require_http_methods(["GET", "HEAD", "POST"])
def offer_more(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """Show which students could be asked for how many more rankings, and ask them."""
    if assignment.stage != Stage.RANKING:
        what = _("Extra papers can only be offered during the ranking stage.")
        return refused(request, _("This is not the ranking stage"), what, back=_address(assignment))
    if request.method == "POST":
        form = TellForm(request.POST)
        tell = form.is_valid() and form.cleaned_data["tell"]
        services.enqueue_offers(assignment, request.user, tell=tell)
        message = _("Finished students are being asked on their home page and by e-mail.")
        if not tell or not is_set_up():
            message = _("Finished students are being asked on their home page.")
        messages.success(request, message)
        return _redirect_to_list(request, assignment)
    try:
        plan = plan_top_up(assignment)
    except HandoutError:
        what = _("Nobody has ranked papers yet, so there is nobody to ask for more.")
        return refused(request, _("Nobody was asked"), what, back=_address(assignment))
    papers = dict(plan.asked)
    people = Member.objects.select_related("person").filter(pk__in=list(papers)[:LISTED]).order_by(*by_surname())
    context = {
        "assignment": assignment,
        "plan": plan,
        "people": [(person, papers[person.pk]) for person in people],
        "more": max(0, len(papers) - LISTED),
        "asked": len(papers),
        "papers": sum(papers.values()),
        "form": TellForm(),
    }
    return render(request, "monitor/more.html", context)


@in_assignment(STAFF)
@require_http_methods(["GET", "HEAD", "POST"])
def hand_out_late(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """Show which students would get how many papers, and add late papers and their authors to the round."""
    if assignment.stage != Stage.RANKING:
        what = _("Late papers can only be distributed during the ranking stage.")
        return refused(request, _("This is not the ranking stage"), what, back=_address(assignment))
    if request.method == "POST":
        form = TellForm(request.POST)
        enqueue_late_handout(assignment, request.user, tell=form.is_valid() and form.cleaned_data["tell"])
        messages.success(request, _("Late papers are being distributed. Graders keep the papers they have."))
        return _redirect_to_list(request, assignment)
    try:
        preview = preview_late_papers(assignment)
    except HandoutError as reason:
        return refused(request, _("The papers were not distributed"), str(reason), back=_address(assignment))
    papers = {**dict(preview.late), **dict(preview.others)}
    people = Member.objects.select_related("person").filter(pk__in=papers).order_by(*by_surname())
    named = [(person, papers[person.pk]) for person in people[: 2 * LISTED]]
    late = dict(preview.late)
    context = {
        "assignment": assignment,
        "preview": preview,
        "late": [(person, count) for person, count in named if person.pk in late],
        "others": [(person, count) for person, count in named if person.pk not in late],
        "more": max(0, len(papers) - len(named)),
        "replaceable": _replaceable(assignment),
        "form": TellForm(),
    }
    return render(request, "monitor/late.html", context)


def _replaceable(assignment: Assignment) -> list[Member]:
    """Return the authors of waiting papers who can still replace them, and no longer once these are added."""
    wrote = Member.objects.filter(authorships__paper__in=waiting_papers(assignment))
    granted = Extension.objects.filter(assignment=assignment, member__in=wrote).select_related("member__person")
    now = timezone.now()
    return [each.member for each in granted.order_by("member__person__name") if takes_paper(assignment, each, now)]


@in_assignment(STUDENTS)
@require_POST
def answer(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """Accept or decline a few more papers."""
    reply = request.POST.get("answer")
    if reply not in ("yes", "no"):
        raise Http404
    offer = queries.offer_to(assignment, request.member)
    if offer is None or not services.answer_offer(assignment, request.member, reply == "yes"):
        messages.info(request, _("Your answer is no longer needed, but thank you."))
    elif reply == "yes":
        message = ngettext(
            "Thank you! You will find %(count)d more paper on your ranking page in a few seconds.",
            "Thank you! You will find %(count)d more papers on your ranking page in a few seconds.",
            offer.papers,
        )
        messages.success(request, message % {"count": offer.papers})
    else:
        messages.success(request, _("You have declined. Nothing more is asked of you."))
    return redirect("lifecycle:assignment", assignment.pk)


def _address(assignment: Assignment) -> str:
    return reverse("monitor:monitor", args=[assignment.pk])
