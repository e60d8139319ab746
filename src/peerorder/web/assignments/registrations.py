"""What this app tells the apps below it."""

from collections.abc import Iterable

from django.utils.translation import gettext_lazy as _

from peerorder.web.assignments.models import Assignment, Stage
from peerorder.web.courses.models import Course
from peerorder.web.courses.registry import assignments_of, running_rounds
from peerorder.web.mail.registry import KINDS

KINDS |= {
    "more time": (_("You have more time: %(title)s"), _("you have more time for “%(title)s” (%(course)s).")),
}


@running_rounds
def count_running(course: Course) -> int:
    """Return how many assignments of a course have a deadline ahead."""
    return Assignment.objects.filter(course=course, stage__in=(Stage.HANDING_IN, Stage.RANKING)).count()


@assignments_of
def newest_first(course: Course) -> Iterable[Assignment]:
    """Return the assignments of a course, the newest first."""
    return Assignment.objects.filter(course=course).order_by("-pk")
