"""The four nouns and what they stand on: Bundles, Profile, Outcome, recovery, randomness, errors."""

from typing import TYPE_CHECKING

from peerorder._lazy import lazy_attributes

if TYPE_CHECKING:
    from peerorder.core.bundles import Bundles, GraphReport
    from peerorder.core.errors import (
        BundlesError,
        HandoutError,
        InputError,
        OptionError,
        PartlyDone,
        PeerorderError,
        ProfileError,
        SchemeError,
        UnknownNameError,
    )
    from peerorder.core.outcome import Outcome, RuleResult
    from peerorder.core.profile import Profile
    from peerorder.core.randomness import child, generator
    from peerorder.core.recovery import kendall_tau, pairwise_accuracy
    from peerorder.core.registry import Entry, Option, Registry
    from peerorder.core.samples import Samples

__all__ = [
    "Bundles",
    "BundlesError",
    "Entry",
    "GraphReport",
    "HandoutError",
    "InputError",
    "Option",
    "OptionError",
    "Outcome",
    "PartlyDone",
    "PeerorderError",
    "Profile",
    "ProfileError",
    "Registry",
    "RuleResult",
    "Samples",
    "SchemeError",
    "UnknownNameError",
    "child",
    "generator",
    "kendall_tau",
    "pairwise_accuracy",
]

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "bundles": ("Bundles", "GraphReport"),
        "errors": (
            "BundlesError",
            "HandoutError",
            "InputError",
            "OptionError",
            "PartlyDone",
            "PeerorderError",
            "ProfileError",
            "SchemeError",
            "UnknownNameError",
        ),
        "outcome": ("RuleResult", "Outcome"),
        "profile": ("Profile",),
        "randomness": ("child", "generator"),
        "recovery": ("kendall_tau", "pairwise_accuracy"),
        "registry": ("Entry", "Option", "Registry"),
        "samples": ("Samples",),
    },
)
