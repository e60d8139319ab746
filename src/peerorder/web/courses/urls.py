"""Addresses of courses."""

from django.urls import URLPattern

app_name = "courses"
urlpatterns: list[URLPattern] = []
