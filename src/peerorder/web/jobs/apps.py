"""Django's configuration of the app."""

from django.apps import AppConfig


class Config(AppConfig):
    """Background jobs."""

    name = "peerorder.web.jobs"
    label = "jobs"
