"""Tells Django about the app."""

from django.apps import AppConfig


class Config(AppConfig):
    """The live monitor, reminders and top-ups."""

    name = "peerorder.web.monitor"
    label = "monitor"
