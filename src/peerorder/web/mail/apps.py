"""Tells Django about the app."""

from django.apps import AppConfig


class Config(AppConfig):
    """Mails."""

    name = "peerorder.web.mail"
    label = "mail"
