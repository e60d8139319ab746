"""Tells Django about the app."""

from django.apps import AppConfig


class Config(AppConfig):
    """Accounts and personal links."""

    name = "peerorder.web.people"
    label = "people"
