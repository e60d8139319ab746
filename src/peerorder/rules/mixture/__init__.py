"""The rule ``mixture``."""

from peerorder.rules.mixture.rule import RULE

__all__ = ["RULE"]
