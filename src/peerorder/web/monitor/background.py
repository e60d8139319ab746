"""What the monitor does in the background and by the clock."""

from peerorder.web.jobs.registry import background
from peerorder.web.jobs.worker import at_every_tick
from peerorder.web.monitor import services

background("reminders")(services.remind)
background("offers")(services.make_offers)
at_every_tick(services.remind_by_the_clock)
at_every_tick(services.hand_out_to_willing)
