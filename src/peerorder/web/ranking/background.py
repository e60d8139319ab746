"""What ranking has for the background."""

from django.utils.translation import gettext_lazy

from peerorder.web.jobs.registry import background
from peerorder.web.ranking.handouts import hand_out

background("hand-out", title=gettext_lazy("Distributing papers"))(hand_out)
