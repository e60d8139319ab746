"""Tells Django about the app."""

from django.apps import AppConfig


class Config(AppConfig):
    """Papers."""

    name = "peerorder.web.papers"
    label = "papers"
