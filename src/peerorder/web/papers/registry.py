"""What apps above tell this one about papers."""

from collections.abc import Callable

from peerorder.web.hooks import Hook
from peerorder.web.papers.models import Paper

distribution_checks: Hook[Callable[[Paper], bool]] = Hook()
"""Whether a paper was given to graders."""
