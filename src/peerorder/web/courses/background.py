"""What the worker does for courses by the clock."""

from peerorder.web.courses.services.invitations import forget_old
from peerorder.web.jobs.worker import periodic


@periodic
def tidy() -> None:
    """Forget the names and addresses of people who did not accept an invitation."""
    forget_old()
