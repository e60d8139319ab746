"""Erase the people of courses that ended long ago."""

from datetime import timedelta

from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy, ngettext

from peerorder.web.audit import ledger
from peerorder.web.courses.models import Course
from peerorder.web.home.retention import FIRST_WARNING, erase_course, is_due, look_after
from peerorder.web.jobs.models import Job
from peerorder.web.jobs.registry import Progress, background
from peerorder.web.jobs.worker import periodic


@periodic
def look_after_retention() -> None:
    """Warn instructors of erasures that are near, and enqueue those that are due."""
    now = timezone.now()
    soon = timezone.localdate(now) + FIRST_WARNING + timedelta(days=1)
    for course in Course.objects.filter(erased_at=None, retention_months__isnull=False, ends_on__lte=soon):
        look_after(course, now)


@periodic
def write_ledger() -> None:
    """Write to the ledger what a crash kept from it."""
    ledger.write()


@background("retention", title=gettext_lazy("Erasing a course"))
def erase(job: Job, progress: Progress) -> str:
    """Erase the people of a course, unless somebody has moved the date."""
    course = Course.objects.filter(pk=job.about["course"]).first()
    if course is None or not is_due(course, timezone.now()):
        return _("There is nothing left to erase.")
    count = erase_course(course, progress)
    return ngettext("%(count)d person was erased.", "%(count)d people were erased.", count) % {"count": count}
