"""Who ranks what: bundle graphs, and handing bundles to graders. A new scheme is one file and one line here."""

from peerorder.core.registry import Registry
from peerorder.schemes import complete, girth6, matchings, planes
from peerorder.schemes.handout import hand_out
from peerorder.schemes.scheme import Scheme

__all__ = ["SCHEMES", "Scheme", "hand_out"]

SCHEMES: Registry[Scheme] = Registry(
    "scheme",
    "peerorder.schemes",
    [
        matchings.SCHEME,
        planes.PLANES,
        complete.SCHEME,
        planes.ORDER_REVEALING,
        girth6.SCHEME,
    ],
)
