"""peerorder: many small rankings by peers become one fair order of everybody's work.

The names below load what they need when first used, so that ``import peerorder`` and the command
line's ``--help`` stay instant.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

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

_HOMES = {
    "core": ("Bundles", "InputError", "Outcome", "PeerorderError", "Profile", "child", "generator", "recovered"),
    "schemes": ("SCHEMES", "Scheme", "hand_out"),
    "noise": ("NOISES", "Noise"),
    "rules": ("RULES", "Rule"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


_PACKAGES = ("core", "files", "marks", "noise", "reports", "rules", "schemes", "studies", "theory")


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return import_module(f"peerorder.{name}")
    if name not in _HOME_OF:
        raise AttributeError(f"module 'peerorder' has no attribute {name!r}")
    return getattr(import_module(f"peerorder.{_HOME_OF[name]}"), name)


def __dir__() -> list[str]:
    return __all__
