"""peerorder: many small rankings by peers become one fair order of everybody's work.

The names below load what they need when first used, so that ``import peerorder`` and the command
line's ``--help`` stay instant.
"""

from typing import TYPE_CHECKING

from peerorder._lazy import loading
from peerorder._version import __version__

if TYPE_CHECKING:
    from peerorder.core import Bundles, InputError, Outcome, PeerorderError, Profile, child, generator, recovered
    from peerorder.noise import NOISES, Noise
    from peerorder.rules import RULES, Rule
    from peerorder.schemes import SCHEMES, Scheme, hand_out

__all__ = [
    "NOISES",
    "RULES",
    "SCHEMES",
    "Bundles",
    "InputError",
    "Noise",
    "Outcome",
    "PeerorderError",
    "Profile",
    "Rule",
    "Scheme",
    "__version__",
    "child",
    "generator",
    "hand_out",
    "recovered",
]

__getattr__, __dir__ = loading(
    __name__,
    {
        "core": ("Bundles", "InputError", "Outcome", "PeerorderError", "Profile", "child", "generator", "recovered"),
        "schemes": ("SCHEMES", "Scheme", "hand_out"),
        "noise": ("NOISES", "Noise"),
        "rules": ("RULES", "Rule"),
        "_version": ("__version__",),
    },
    below=("core", "files", "marks", "noise", "reports", "rules", "schemes", "studies", "theory"),
)
