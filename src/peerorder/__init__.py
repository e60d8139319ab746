"""peerorder: many small rankings by peers become one fair order of everybody's work.

The names below load what they need when first used, so that ``import peerorder`` and the command
line's ``--help`` stay instant.
"""

from typing import TYPE_CHECKING

from peerorder._lazy import lazy_attributes
from peerorder._version import __version__

if TYPE_CHECKING:
    from peerorder.api import Ballots, Ranking, next_pairs, pairs, plan, rank, read_preflib, simulate
    from peerorder.core import (
        Bundles,
        InputError,
        Outcome,
        PeerorderError,
        Profile,
        RuleResult,
        Samples,
        child,
        generator,
        kendall_tau,
        pairwise_accuracy,
    )
    from peerorder.noise import NOISES, Noise
    from peerorder.rounds import GradedRound, GradeSettings, Round, allocate, grade
    from peerorder.rules import RULES, Rule
    from peerorder.schemes import SCHEMES, Scheme, hand_out
    from peerorder.studies import Study, summary

__all__ = [
    "NOISES",
    "RULES",
    "SCHEMES",
    "Ballots",
    "Bundles",
    "GradeSettings",
    "GradedRound",
    "InputError",
    "Noise",
    "Outcome",
    "PeerorderError",
    "Profile",
    "Ranking",
    "Round",
    "Rule",
    "RuleResult",
    "Samples",
    "Scheme",
    "Study",
    "__version__",
    "allocate",
    "child",
    "generator",
    "grade",
    "hand_out",
    "kendall_tau",
    "next_pairs",
    "pairs",
    "pairwise_accuracy",
    "plan",
    "rank",
    "read_preflib",
    "simulate",
    "summary",
]

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "api": ("Ballots", "Ranking", "next_pairs", "pairs", "plan", "rank", "read_preflib", "simulate"),
        "core": (
            "Bundles",
            "InputError",
            "Outcome",
            "PeerorderError",
            "Profile",
            "RuleResult",
            "Samples",
            "child",
            "generator",
            "kendall_tau",
            "pairwise_accuracy",
        ),
        "schemes": ("SCHEMES", "Scheme", "hand_out"),
        "noise": ("NOISES", "Noise"),
        "rounds": ("GradeSettings", "GradedRound", "Round", "allocate", "grade"),
        "rules": ("RULES", "Rule"),
        "studies": ("Study", "summary"),
        "_version": ("__version__",),
    },
    below=("api", "core", "files", "marks", "noise", "reports", "rounds", "rules", "schemes", "studies", "theory"),
)
