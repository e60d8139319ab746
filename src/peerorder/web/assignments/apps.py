"""Tells Django about the app."""

from django.apps import AppConfig


class Config(AppConfig):
    """Assignments."""

    name = "peerorder.web.assignments"
    # The name of its tables in databases that are there.
    label = "rounds"
