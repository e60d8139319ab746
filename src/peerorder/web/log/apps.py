"""Tells Django about the app."""

from django.apps import AppConfig


class Config(AppConfig):
    """The record of everything."""

    name = "peerorder.web.log"
    label = "log"
