"""Tells Django about the app."""

from django.apps import AppConfig


class Config(AppConfig):
    """Pages that look at everything."""

    name = "peerorder.web.home"
    label = "home"
