"""Tells Django about the app."""

from django.apps import AppConfig


class Config(AppConfig):
    """Hand-outs and rankings."""

    name = "peerorder.web.ranking"
    label = "ranking"
