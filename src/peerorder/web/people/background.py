"""What the worker does for people by the clock."""

from peerorder.web.jobs.worker import periodic
from peerorder.web.people.throttling import forget_old_attempts


@periodic
def tidy() -> None:
    """Forget failed log-ins that no longer count: the brake needs a quarter of an hour, nobody needs more."""
    forget_old_attempts()
