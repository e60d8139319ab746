"""Tells Django about the app."""

from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class Config(AppConfig):
    """Background work."""

    name = "peerorder.web.jobs"
    label = "jobs"

    def ready(self) -> None:
        """Every app that has work for the background says so in its module ``background``."""
        autodiscover_modules("background")
