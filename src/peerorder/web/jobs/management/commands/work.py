"""``python -m peerorder.web work``: a worker."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from peerorder.web.jobs.worker import work


class Command(BaseCommand):
    """Run background jobs until a signal comes."""

    help = "Run background jobs and periodic functions until a signal comes."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the worker's name, by which its parent can say that it is gone."""
        parser.add_argument("--name", default=None, help="name of this worker; no two may have the same")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Run the worker."""
        work(name=options["name"])
