"""What the sample course does in the background."""

from django.utils.translation import gettext_lazy as _

from peerorder.web.jobs.registry import background
from peerorder.web.sample.results import compute_results

background("sample results", title=_("Computing the results of the sample course"), queue="results")(compute_results)
