"""The mails of a course, for its staff."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _, ngettext
from django.views.decorators.http import require_POST, require_safe

from peerorder.web.courses.access import INSTRUCTORS, STAFF, MemberRequest, in_course
from peerorder.web.courses.models import Course
from peerorder.web.mail.models import MOST_TRIES, Mail
from peerorder.web.mail.services import try_again
from peerorder.web.people.models import Person

A_PAGE = 100
STATES = {
    "sent": Q(sent_at__isnull=False, printed=False),
    "printed": Q(sent_at__isnull=False, printed=True),
    "waiting": Q(sent_at=None, tries__lt=MOST_TRIES),
    "failed": Q(sent_at=None, tries__gte=MOST_TRIES),
}


@in_course(STAFF)
@require_safe
def mails(request: MemberRequest, course: Course) -> HttpResponse:
    """What was sent, what waits, and what failed and why."""
    all_mails = Mail.objects.filter(course_id=course.pk)
    counts = all_mails.aggregate(**{state: Count("pk", filter=rule) for state, rule in STATES.items()})
    state = request.GET.get("state", "")
    shown = all_mails.filter(STATES[state]) if state in STATES else all_mails
    page = Paginator(shown.order_by("-queued_at", "-pk"), A_PAGE).get_page(request.GET.get("page"))
    people = Person.objects.in_bulk({mail.person_id for mail in page if mail.person_id is not None})
    words = {"sent": _("Sent"), "printed": _("Not sent"), "waiting": _("Waiting"), "failed": _("Failed")}
    # Where there is a mail server nothing is printed, and nobody need wonder what that is.
    states = [(name, words[name], counts[name]) for name in STATES if name != "printed" or counts[name]]
    context = {"course": course, "page": page, "states": states, "state": state, "counts": counts}
    context["mails"] = [(mail, people.get(mail.person_id or 0), words[mail.state].lower()) for mail in page]
    return render(request, "courses/mails.html", context)


@in_course(INSTRUCTORS)
@require_POST
def again(request: MemberRequest, course: Course) -> HttpResponse:
    """Try those that failed once more."""
    count = try_again(course, request.user)
    said = ngettext("%(count)d mail is tried again.", "%(count)d mails are tried again.", count)
    messages.success(request, said % {"count": count})
    return redirect("courses:mails", course.pk)
