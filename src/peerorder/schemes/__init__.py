"""Who ranks what: bundle graphs, and handing bundles to graders. A new scheme is one file and one line here."""

from peerorder.core.registry import Registry
from peerorder.schemes import complete, girth6, matchings, planes
from peerorder.schemes.assignment import Assignment, assign
from peerorder.schemes.extension import Extension, extend
from peerorder.schemes.handout import hand_out
from peerorder.schemes.scheme import Scheme
from peerorder.schemes.topping_up import State, TopUp, top_up

__all__ = ["SCHEMES", "Assignment", "Extension", "Scheme", "State", "TopUp", "assign", "extend", "hand_out", "top_up"]

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
