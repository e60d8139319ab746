"""Tells Django about the app."""

from django.apps import AppConfig


class Config(AppConfig):
    """Courses and rosters."""

    name = "peerorder.web.courses"
    label = "courses"
