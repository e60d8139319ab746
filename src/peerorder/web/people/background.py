"""What the worker does for people, on request and by the clock."""

from django.utils.translation import gettext_lazy, ngettext

from peerorder.web.jobs.models import Job
from peerorder.web.jobs.registry import Progress, background
from peerorder.web.jobs.services import enqueue
from peerorder.web.jobs.worker import periodic
from peerorder.web.people import confirmations
from peerorder.web.people.models import MailRequest
from peerorder.web.people.recovery import answer_requests
from peerorder.web.people.sessions import purge_sessions
from peerorder.web.people.throttling import forget_old_attempts


@background("mail requests", title=gettext_lazy("Sending links again"), queue="mail")
def answer(_job: Job, _progress: Progress) -> str:
    """Queue the messages that people asked for."""
    count = answer_requests()
    return ngettext("%(count)d e-mail queued.", "%(count)d e-mails queued.", count) % {"count": count}


@periodic
def tidy() -> None:
    """Delete what no longer counts: failed log-ins, sessions that are over, messages that nobody answered."""
    forget_old_attempts()
    purge_sessions()
    confirmations.purge()
    # Those that came while the job was ending.
    if MailRequest.objects.exists():
        enqueue("mail requests", key="mail requests")
