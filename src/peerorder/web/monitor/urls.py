"""Addresses of monitor."""

from django.urls import URLPattern

app_name = "monitor"
urlpatterns: list[URLPattern] = []
