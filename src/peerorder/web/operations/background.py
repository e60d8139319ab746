"""What the worker does for the site as a whole."""

from peerorder.web.audit.seals import seal_new_rows
from peerorder.web.jobs.worker import periodic

periodic(seal_new_rows)
