"""A round of peer grading, from the hand-out to marks, without files or a database."""

from typing import TYPE_CHECKING

from peerorder._lazy import lazy_attributes

if TYPE_CHECKING:
    from peerorder.rounds.allocation import NewRows, Participants, add_late_joiners, allocate, top_up
    from peerorder.rounds.explanation import Explanation, Vote, explain
    from peerorder.rounds.grading import GradedRound, grade
    from peerorder.rounds.marking import StaffMarks
    from peerorder.rounds.overrides import Override
    from peerorder.rounds.round import HandoutRows, Input, People, Round
    from peerorder.rounds.settings import GradeSettings
    from peerorder.rounds.verification import Difference, verify

__all__ = [
    "Difference",
    "Explanation",
    "GradeSettings",
    "GradedRound",
    "HandoutRows",
    "Input",
    "NewRows",
    "Override",
    "Participants",
    "People",
    "Round",
    "StaffMarks",
    "Vote",
    "add_late_joiners",
    "allocate",
    "explain",
    "grade",
    "top_up",
    "verify",
]

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "allocation": ("NewRows", "Participants", "add_late_joiners", "allocate", "top_up"),
        "explanation": ("Explanation", "Vote", "explain"),
        "grading": ("GradedRound", "grade"),
        "marking": ("StaffMarks",),
        "overrides": ("Override",),
        "round": ("HandoutRows", "Input", "People", "Round"),
        "settings": ("GradeSettings",),
        "verification": ("Difference", "verify"),
    },
)
