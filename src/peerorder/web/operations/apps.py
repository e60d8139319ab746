"""Tells Django about the app."""

from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class Config(AppConfig):
    """Running the web app. It is above all others, so it connects them."""

    name = "peerorder.web.operations"
    label = "operations"

    def ready(self) -> None:
        """Load what the apps register: their jobs, what apps below call, and the words of the audit log."""
        autodiscover_modules("background", "registrations", "audit_messages")
