"""Send the e-mails that wait.

Each one is marked as sent as soon as the mail server has taken it, one after another. If the worker dies between the
two, that one e-mail is sent a second time; no other one is, and none is lost.
"""

import logging
from datetime import datetime, timedelta
from smtplib import SMTPException, SMTPRecipientsRefused

from django.contrib.auth import get_user_model
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy

from peerorder.web.jobs.models import Job
from peerorder.web.jobs.registry import Progress, background
from peerorder.web.jobs.services import enqueue
from peerorder.web.jobs.worker import periodic
from peerorder.web.mail.messages import LINK
from peerorder.web.mail.models import MOST_TRIES, Mail
from peerorder.web.mail.registry import LINKS, Recipient
from peerorder.web.mail.services import is_set_up

# How long to wait after the first attempt, the second, ...
PAUSES = (
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=8),
    timedelta(hours=8),
)
# While the mail server cannot be reached no attempt is counted; but old news is not worth sending.
SERVER_PAUSE = timedelta(minutes=1)
GIVE_UP = timedelta(days=3)
BATCH = 100
# No real address ends like this (RFC 2606); those of the sample course do.
MADE_UP = ".invalid"
logger = logging.getLogger("peerorder.mail")


@periodic
def enqueue_due() -> None:
    """Enqueue a job for e-mails that are due: to be retried, or queued while the last job was ending."""
    if Mail.objects.filter(sent_at=None, tries__lt=MOST_TRIES, next_try_at__lte=timezone.now()).exists():
        enqueue("mails", key="mails")


@background("mails", title=gettext_lazy("Sending e-mails"), queue="mail")
def send_waiting(job: Job, progress: Progress) -> str:
    """Send everything that is due."""
    sent = failed = 0
    connection = get_connection()
    while mails := _due(timezone.now()):
        people = get_user_model().objects.in_bulk({mail.person_id for mail in mails if mail.person_id is not None})
        for mail in mails:
            try:
                connection.open()
            except (OSError, SMTPException) as error:
                _postpone(error)
                return _("The mail server cannot be reached. E-mails will be sent as soon as it can.")
            if not _claim(mail):
                continue
            if _deliver(mail, people.get(mail.person_id or 0), connection):
                sent += 1
            else:
                failed += 1
                # After an error the connection may be in any state.
                connection.close()
        progress(sent + failed, sent + failed + Mail.objects.filter(sent_at=None, tries=0).count())
    connection.close()
    text = _("E-mails sent: %(sent)d, failed: %(failed)d.") if is_set_up() else _("E-mails printed: %(sent)d.")
    return text % {"sent": sent, "failed": failed}


def _due(now: datetime) -> list[Mail]:
    waiting = Mail.objects.filter(sent_at=None, tries__lt=MOST_TRIES, next_try_at__lte=now)
    return list(waiting.order_by("next_try_at", "pk")[:BATCH])


def _claim(mail: Mail) -> bool:
    """Return whether this worker, and no other, is to send an e-mail now."""
    mine = Mail.objects.filter(pk=mail.pk, sent_at=None, tries=mail.tries, next_try_at=mail.next_try_at)
    return mine.update(tries=F("tries") + 1, next_try_at=timezone.now() + PAUSES[mail.tries]) == 1


def _deliver(mail: Mail, person: Recipient | None, connection: BaseEmailBackend) -> bool:
    """Return whether the server accepted it; else the e-mail keeps the reason, and when to retry."""
    gone = mail.person_id is not None and (person is None or not person.is_active)
    to = mail.to or (person.email if person is not None else "")
    if gone or not to:
        _fail(mail, _("The person no longer has an e-mail address."), for_good=True)
        return False
    if to.endswith(MADE_UP):
        Mail.objects.filter(pk=mail.pk).update(
            sent_at=timezone.now(), printed=True, problem=_("The address is invented, so nothing was sent.")
        )
        return True
    printed, kind = not is_set_up(), LINKS[mail.link] if LINK in mail.body else None
    link = kind.make(mail, person, printed) if kind else ""
    if kind and not link:
        _fail(mail, _("The link in this e-mail is no longer needed."), for_good=True)
        return False
    message = EmailMessage(
        mail.subject, mail.body.replace(LINK, link), to=[to], headers={"Auto-Submitted": "auto-generated"}
    )
    message.connection = connection
    try:
        message.send()
    except SMTPRecipientsRefused as error:
        codes = [code for code, _said in error.recipients.values()]
        # From 500 on the error is permanent; below, a retry may succeed.
        _fail(mail, _("The mail server refused the address."), for_good=bool(codes) and min(codes) >= 500)
    except (ValueError, UnicodeError):
        _fail(mail, _("The address or the text cannot be sent by e-mail."), for_good=True)
    except Exception as error:
        logger.warning("mail %d could not be sent, try %d: %s", mail.pk, mail.tries + 1, type(error).__name__)
        _fail(mail, _("The mail server did not accept it (%(error)s).") % {"error": type(error).__name__})
    else:
        with transaction.atomic():
            Mail.objects.filter(pk=mail.pk).update(sent_at=timezone.now(), printed=printed, problem="")
            if kind:
                kind.sent(link)
        return True
    if kind:
        kind.forget(link)
    return False


def _fail(mail: Mail, problem: str, *, for_good: bool = False) -> None:
    tries = MOST_TRIES if for_good else mail.tries + 1
    Mail.objects.filter(pk=mail.pk).update(problem=problem[:300], tries=tries)


def _postpone(error: Exception) -> None:
    logger.warning("the mail server cannot be reached: %s", error)
    now = timezone.now()
    waiting = Mail.objects.filter(sent_at=None, tries__lt=MOST_TRIES, next_try_at__lte=now)
    why = _("The mail server cannot be reached.")
    waiting.filter(queued_at__lt=now - GIVE_UP).update(tries=MOST_TRIES, problem=why)
    waiting.update(next_try_at=now + SERVER_PAUSE, problem=why)
