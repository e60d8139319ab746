"""Which papers their graders have opened."""

from datetime import datetime

from django.utils import timezone

from peerorder.web.ranking.models import Slot

__all__ = ["opened"]


def opened(slot: Slot, now: datetime | None = None) -> None:
    """Remember that a grader opened a paper; only the first time is written down."""
    if slot.opened_at is None:
        Slot.written.filter(pk=slot.pk, opened_at=None).update(opened_at=now or timezone.now())
