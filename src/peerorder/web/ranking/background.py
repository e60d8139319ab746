"""What ranking has for the background."""

from peerorder.web.jobs.registry import background
from peerorder.web.ranking.handouts import hand_out

background("hand-out")(hand_out)
