"""The e-mails of a course, for its staff."""

from django.contrib import messages
from django.db.models import Count, OuterRef, Q, Subquery
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.formats import number_format
from django.utils.translation import gettext as _, ngettext, pgettext
from django.views.decorators.http import require_POST, require_safe

from peerorder.web.courses.access import INSTRUCTORS, STAFF, MemberRequest, in_course
from peerorder.web.courses.models import Course, Member, Role
from peerorder.web.courses.search import by_surname, find_members
from peerorder.web.mail.models import MOST_TRIES, Mail
from peerorder.web.mail.services import try_again
from peerorder.web.people.models import Person
from peerorder.web.tables import Column, Filter, Listing

STATES = {
    "sent": Q(sent_at__isnull=False, printed=False),
    "printed": Q(sent_at__isnull=False, printed=True),
    "waiting": Q(sent_at=None, tries__lt=MOST_TRIES),
    "failed": Q(sent_at=None, tries__gte=MOST_TRIES),
}


@in_course(STAFF)
@require_safe
def mails(request: MemberRequest, course: Course) -> HttpResponse:
    """What was sent, what waits, and what failed and why; the newest first unless the address says otherwise."""
    mails = Mail.objects.filter(course_id=course.pk).defer("body")
    counts = mails.aggregate(**{state: Count("pk", filter=rule) for state, rule in STATES.items()})
    listing = Listing.read(request.GET, _columns(), "-at", [_state_filter(counts)])
    if listing.words:
        matches = find_members(Member.objects.filter(course=course), listing.words)
        to = Member.objects.filter(pk__in=matches).values("person")
        words = listing.words
        mails = mails.filter(Q(person_id__in=to) | Q(to__icontains=words) | Q(subject__icontains=words))
    if state := listing.value("state"):
        mails = mails.filter(STATES[state])
    recipients = Member.objects.filter(course=course, person=OuterRef("person_id"))
    surname, *_rest = by_surname()
    mails = mails.annotate(surname=Subquery(recipients.annotate(surname=surname).values("surname")[:1]))
    page = listing.show(listing.sort_rows(mails), request.GET.get("page"), _count_mails)
    to_people = {mail.person_id for mail in page if mail.person_id is not None}
    context = {
        "course": course,
        "listing": listing,
        "failed": counts["failed"] if request.member.role == Role.INSTRUCTOR and course.archived_at is None else 0,
    }
    members = dict(Member.objects.filter(course=course, person__in=to_people).values_list("person", "pk"))
    people = Person.objects.in_bulk(to_people)
    page.object_list = [
        (mail, people.get(mail.person_id or 0), members.get(mail.person_id or 0)) for mail in page.object_list
    ]
    return render(request, "courses/mails.html", context)


def _columns() -> list[Column]:
    return [
        Column("to", _("To"), ("surname", "to", "pk")),
        Column("subject", _("Subject"), ("subject", "pk")),
        Column("state", _("State")),
        Column("at", _("Date"), ("queued_at", "pk"), newest_first=True),
    ]


def _state_filter(counts: dict[str, int]) -> Filter:
    titles = {
        "sent": pgettext("e-mails", "Sent"),
        "printed": pgettext("e-mails", "Not sent"),
        "waiting": pgettext("e-mails", "Waiting"),
        "failed": pgettext("e-mails", "Failed"),
    }
    # Where there is a mail server everything is sent sooner or later, and nobody need wonder what is not.
    options = [(name, f"{titles[name]} ({counts[name]})") for name in STATES if name != "printed" or counts[name]]
    return Filter("state", _("State"), options, _("All states"))


def _count_mails(count: int) -> str:
    return ngettext("%(count)s e-mail", "%(count)s e-mails", count) % {
        "count": number_format(count, force_grouping=True)
    }


@in_course(INSTRUCTORS)
@require_POST
def again(request: MemberRequest, course: Course) -> HttpResponse:
    """Send those that failed once more."""
    count = try_again(course, request.user)
    message = ngettext("%(count)d e-mail will be sent again.", "%(count)d e-mails will be sent again.", count)
    messages.success(request, message % {"count": count})
    return redirect("courses:mails", course.pk)
