"""What the monitor does in the background and periodically."""

from django.utils.translation import gettext_lazy as _

from peerorder.web.jobs.registry import background
from peerorder.web.jobs.worker import periodic
from peerorder.web.monitor import services

background("reminders", title=_("Writing reminders"))(services.remind)
background("offers", title=_("Asking finished students for more rankings"))(services.make_offers)
periodic(services.remind_automatically)
periodic(services.serve_accepted_offers)
