"""Addresses of ranking."""

from django.urls import URLPattern

app_name = "ranking"
urlpatterns: list[URLPattern] = []
