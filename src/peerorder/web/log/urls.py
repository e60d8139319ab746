"""Addresses of log."""

from django.urls import URLPattern

app_name = "log"
urlpatterns: list[URLPattern] = []
