"""Tells Django about the app."""

from django.apps import AppConfig


class Config(AppConfig):
    """The audit log."""

    name = "peerorder.web.audit"
    # The name of its table in databases that are there.
    label = "log"
