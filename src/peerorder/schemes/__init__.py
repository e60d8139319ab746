"""Allocation: bundle graphs, and which grader ranks which bundle. A new scheme is one file and one line here."""

from peerorder.core.registry import Registry
from peerorder.core.translation import message
from peerorder.schemes import complete, girth6, planes, random_regular
from peerorder.schemes.allocation import Allocation, allocate
from peerorder.schemes.handout import hand_out
from peerorder.schemes.late_joiners import LateJoiners, add_late_joiners
from peerorder.schemes.scheme import Scheme
from peerorder.schemes.top_up import Coverage, TopUp, top_up

__all__ = [
    "SCHEMES",
    "Allocation",
    "Coverage",
    "LateJoiners",
    "Scheme",
    "TopUp",
    "add_late_joiners",
    "allocate",
    "hand_out",
    "top_up",
]

SCHEMES: Registry[Scheme] = Registry(
    message("scheme"),
    "peerorder.schemes",
    [
        random_regular.SCHEME,
        planes.PLANES,
        complete.SCHEME,
        planes.ORDER_REVEALING,
        girth6.SCHEME,
    ],
)
