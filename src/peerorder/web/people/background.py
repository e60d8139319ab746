"""What the worker does for people by the clock."""

from peerorder.web.jobs.worker import at_every_tick
from peerorder.web.people.services import forget_old_attempts


@at_every_tick
def tidy() -> None:
    """Forget failed log-ins that no longer count: the brake needs a quarter of an hour, nobody needs more."""
    forget_old_attempts()
