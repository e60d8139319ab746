"""Changed defaults of ``grade``: what older files were made with, and what applies now."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from peerorder._version import __version__
from peerorder.core.errors import InputError
from peerorder.core.translation import gettext as _, message
from peerorder.rounds.settings import GradeSettings

__all__ = ["CHANGES", "Change", "settings_of"]


@dataclass(frozen=True)
class Change:
    """A setting that older versions did not have: what they did, and what this version does."""

    setting: str
    before: Any
    """The value that reproduces older versions."""
    now: str
    """What this version does, in words that are translated where they are shown."""
    option: str = ""
    """What to add to the command for the old behaviour, where there is such an option."""


CHANGES = (
    Change("unranked", "place", message("papers that nobody ranked have no mark"), "--unranked place"),
    Change("smooth_anchors", True, message("papers that staff marked keep staff's mark"), "--smooth-anchors"),
    Change("ties", "order", message("papers with equal scores share a place")),
    Change(
        "best_tenth", "all", message("marks for ranking are relative to the best tenth of the students, without staff")
    ),
    Change(
        "tied",
        "count",
        message("ballots that tie all of their papers do not count, and their graders have no reliability"),
    ),
    Change("top_ups", "duties", message("unranked papers of a top-up do not count against their graders")),
    Change("unread", "nothing", message("graders with no readable row have no mark for ranking, and no penalty")),
)
"""What changed with 0.4.0, and the last one with 0.5.0; the provenance of an older file has none of these settings."""


def settings_of(said: Mapping[str, Any], made: str) -> GradeSettings:
    """Return the settings that a file was made with, from its provenance; ``made`` names the file and the version."""
    try:
        return GradeSettings(**{change.setting: change.before for change in CHANGES} | dict(said))
    except TypeError:
        text = _("{made} with settings that this version, {version}, does not know; verify it with that version")
        raise InputError(text.format(made=made, version=__version__)) from None
