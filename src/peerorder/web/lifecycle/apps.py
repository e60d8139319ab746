"""Tells Django about the app."""

from django.apps import AppConfig


class Config(AppConfig):
    """Moving an assignment through its stages."""

    name = "peerorder.web.lifecycle"
    label = "lifecycle"
