"""What this app tells the apps below it."""

from collections.abc import Iterable
from datetime import datetime

from django.utils.translation import gettext_lazy as _

from peerorder.web.assignments.models import Assignment, Stage
from peerorder.web.courses.models import Course
from peerorder.web.courses.registry import assignments_of, running_rounds
from peerorder.web.mail.registry import KINDS

KINDS |= {
    "more time": (_("You have an extension: %(title)s"), _("you have an extension for “%(title)s” (%(course)s).")),
}


@running_rounds
def list_running(course: Course) -> Iterable[tuple[str, str, datetime | None]]:
    """Return what still takes papers or rankings in a course, and until when."""
    running = Assignment.objects.filter(course=course, stage__in=(Stage.HANDING_IN, Stage.RANKING)).order_by("pk")
    return [(each.title, each.get_stage_display(), each.end_of(Stage(each.stage))) for each in running]


@assignments_of
def newest_first(course: Course) -> Iterable[Assignment]:
    """Return the assignments of a course, the newest first."""
    return Assignment.objects.filter(course=course).order_by("-pk")
