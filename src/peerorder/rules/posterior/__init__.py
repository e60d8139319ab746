"""``posterior``, the default rule: the order, how sure it is, and which graders to trust."""

from peerorder.rules.posterior.rule import RULE

__all__ = ["RULE"]
