"""What results do in the background."""

from django.utils.translation import gettext_lazy as _

from peerorder.web.jobs.registry import background
from peerorder.web.jobs.worker import periodic
from peerorder.web.results import releases, services

background("result", title=_("Computing a result"), queue="results")(services.compute_result)
periodic(releases.publish_due)
