"""Tells Django about the app."""

from django.apps import AppConfig


class Config(AppConfig):
    """The sample course."""

    name = "peerorder.web.sample"
    label = "sample"
