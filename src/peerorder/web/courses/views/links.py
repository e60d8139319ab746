"""Personal links of all students: export for mail merge, send, revoke."""

import uuid
from pathlib import Path

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _, ngettext
from django.views.decorators.http import require_POST, require_safe

from peerorder.web.courses import queries
from peerorder.web.courses.access import INSTRUCTORS, MemberRequest, in_course
from peerorder.web.courses.forms import SendForm
from peerorder.web.courses.models import Course, Member
from peerorder.web.courses.services import links as services
from peerorder.web.mail.services import is_set_up, on_the_way

TYPES = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


@in_course(INSTRUCTORS)
@require_safe
def links(request: MemberRequest, course: Course) -> HttpResponse:
    """Show the ways to get links to students."""
    students = queries.students_of(course)
    context = {
        "course": course,
        "students": students.count(),
        "never": queries.never_logged_in(students).count(),
        "without": queries.students_without_link(course).count(),
        "without_address": students.filter(person__email="").count(),
        "once": uuid.uuid4(),
    }
    return render(request, "courses/links.html", context)


def _chosen(course: Course, form: SendForm) -> list[Member]:
    students = queries.students_of(course).exclude(pk__in=queries.members_with_own_account(course).values("pk"))
    if form.cleaned_data["who"] == "never":
        students = queries.never_logged_in(students)
    elif form.cleaned_data["who"] == "without":
        students = queries.students_without_link(course)
    return list(students.order_by("student", "pk"))


@in_course(INSTRUCTORS)
@require_POST
def export(request: MemberRequest, course: Course) -> HttpResponse:
    """Return new links as a table for mail merge, which is neither cached nor stored."""
    from peerorder.files import table_bytes
    from peerorder.files.formats.kinds import EXPORT

    form = SendForm(request.POST)
    if not form.is_valid():
        return redirect("courses:links", course.pk)
    students = _chosen(course, form)
    if not students:
        messages.warning(request, _("No links were created, because no students match your choice."))
        return redirect("courses:links", course.pk)
    name = f"links.{form.cleaned_data['format'] or 'csv'}"
    columns = {
        "student": [member.student for member in students],
        "name": [member.person.name for member in students],
        "email": [member.person.email for member in students],
        "link": services.links_for(course, request.user, students),
    }
    data = table_bytes(Path(name), columns, EXPORT)
    # Shown by the next page, or by this one where its script loads it again after the download.
    message = ngettext(
        "%(count)d link created and downloaded. Now send it to the student.",
        "%(count)d links created and downloaded. Now send them to the students.",
        len(students),
    )
    messages.success(request, message % {"count": len(students)})
    return HttpResponse(
        data,
        content_type=TYPES[form.cleaned_data["format"] or "csv"],
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


@in_course(INSTRUCTORS)
@require_POST
def send(request: MemberRequest, course: Course) -> HttpResponse:
    """Send new links by e-mail, in the background."""
    form = SendForm(request.POST)
    if not form.is_valid() or form.cleaned_data["once"] is None:
        return redirect("courses:links", course.pk)
    count = services.send_links(course, request.user, _chosen(course, form), form.cleaned_data["once"].hex)
    messages.add_message(request, messages.SUCCESS if is_set_up() else messages.WARNING, on_the_way(count))
    return redirect("courses:mails", course.pk)


@in_course(INSTRUCTORS)
@require_POST
def revoke_all(request: MemberRequest, course: Course) -> HttpResponse:
    """Revoke the links, passwords and sessions of all students."""
    count = services.revoke_student_access(course, request.user)
    message = ngettext(
        "%(count)d link revoked. Send or download new links, so that students can log in again.",
        "%(count)d links revoked. Send or download new links, so that students can log in again.",
        count,
    )
    messages.success(request, message % {"count": count})
    return redirect("courses:links", course.pk)
