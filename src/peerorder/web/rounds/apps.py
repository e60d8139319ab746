"""Tells Django about the app."""

from django.apps import AppConfig


class Config(AppConfig):
    """Assignments and their life."""

    name = "peerorder.web.rounds"
    label = "rounds"
