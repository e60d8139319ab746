"""``python -m peerorder.web work``: a worker."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from peerorder.web.jobs.worker import work


class Command(BaseCommand):
    """Do what is queued, until told to stop."""

    help = "Do the work in the background, and what is due by the clock, until told to stop."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The name, so that whoever started a worker can say that it is dead."""
        parser.add_argument("--name", default=None, help="what to call this worker; no two may have the same name")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Until a signal comes."""
        work(name=options["name"])
