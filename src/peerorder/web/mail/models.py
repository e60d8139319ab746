"""E-mails that wait, and e-mails that were sent."""

from django.db import models
from django.utils import timezone

# After this many attempts an e-mail is tried again only if staff say so.
MOST_TRIES = 6


class Mail(models.Model):
    """An e-mail to one person. The body says ``{link}`` where the personal link goes, which is made when it is sent."""

    person_id = models.BigIntegerField(db_index=True, null=True)
    """Empty for somebody without an account, who is written to by the address alone."""
    to = models.EmailField(blank=True)
    """Where the person's own address at the time of sending will not do: an address to verify, or the previous one."""
    link = models.CharField(max_length=20, default="personal")
    """What kind of link goes into the body: a name among ``mail.registry.LINKS``."""
    link_id = models.BigIntegerField(null=True)
    """What the link is for, by id, where it is not for the person as such."""
    course_id = models.BigIntegerField(null=True)
    assignment_id = models.BigIntegerField(null=True, db_index=True)
    key = models.CharField(max_length=200, unique=True)
    """What it is about: the same e-mail is queued only once."""
    subject = models.CharField(max_length=200)
    body = models.TextField()
    queued_at = models.DateTimeField(default=timezone.now)
    tries = models.PositiveSmallIntegerField(default=0)
    next_try_at = models.DateTimeField(default=timezone.now)
    """Not to be sent before. A worker first puts this off, so that no two workers send the same e-mail."""
    sent_at = models.DateTimeField(null=True, blank=True)
    printed = models.BooleanField(default=False)
    """No mail server was set up: it was printed where the app was started, and reached nobody."""
    problem = models.CharField(max_length=300, blank=True)
    """Why it could not be sent."""

    class Meta:
        """E-mails that wait are queried all the time, and are few."""

        indexes = (
            models.Index(fields=("next_try_at",), condition=models.Q(sent_at=None), name="mails_that_wait"),
            models.Index(fields=("course_id", "-queued_at"), name="mails_of_a_course"),
        )

    @property
    def state(self) -> str:
        """Sent, printed, waiting or failed."""
        if self.sent_at is not None:
            return "printed" if self.printed else "sent"
        return "failed" if self.tries >= MOST_TRIES else "waiting"
